import { commandsOn } from '../../../../provisioning/index.ts';
import type { Fault } from '../../../service/index.ts';
import { useLoaded } from '../../calls.ts';
import { type Send, useClient } from '../../client.ts';
import { firstPage, run } from '../../load-page.ts';
import { ROOT_TYPES } from '../../registry.ts';

/** A root, or none; or why that is not known. */
interface Root {
  readonly ref?: string;
  readonly error?: Fault;
}

/** The first root that the table lists: a table often has one. */
async function firstRoot(send: Send): Promise<Root> {
  for (const list of [...ROOT_TYPES, 'scope']) {
    const reply = await firstPage(send, `${list}.list`, { limit: 1 });
    if (!reply.ok) return { error: reply.error };
    const [first] = reply.result.items;
    if (first) return { ref: String(first.root) };
  }
  return {};
}

/** The root of a scope, which has the log of everything below it. */
async function rootOf(send: Send, scope: string): Promise<Root> {
  const reply = await run(send, commandsOn(scope, 'scope').read);
  const root = reply.ok ? reply.result.root : undefined;
  return { ref: typeof root === 'string' ? root : scope };
}

/** What became of a look-up: undefined while it is under way. */
export type Tenant = (Root & { readonly retry: () => void }) | undefined;

/**
 * The tenant whose log is shown.
 *
 * @param scope the one that was chosen, or one below it; the first tenant of the table if left out
 */
export function useTenant(scope: string | undefined): Tenant {
  const { send } = useClient();
  const load = () => (scope === undefined ? firstRoot(send) : rootOf(send, scope));
  const { value, isLoading, retry } = useLoaded(String(scope), load);
  return isLoading ? undefined : { ...value, retry };
}
