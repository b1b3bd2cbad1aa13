import type { Fault } from '../../../service/index.ts';
import { useLoaded } from '../../calls.ts';
import { type Send, useClient } from '../../client.ts';
import { commandPages } from '../../load-page.ts';

/** Types of roots that come with the table. */
const ROOTS = ['tenant', 'client', 'account', 'enterprise', 'location', 'scope'];

/** Types of scopes that have commands of their own; added ones have those of `scope`. */
const BUILT_IN = new Set([...ROOTS.slice(0, -1), 'project', 'building', 'zone', 'device', 'workstream']);

/** A root, or none; or why that is not known. */
interface Root {
  readonly ref?: string;
  readonly error?: Fault;
}

/** The first root that the table lists: a table often has one. */
async function firstRoot(send: Send): Promise<Root> {
  for (const list of ROOTS) {
    const reply = await commandPages(send, `${list}.list`, { limit: 1 })(undefined);
    if (!reply.ok) return { error: reply.error };
    const [first] = reply.result.items;
    if (first) return { ref: String(first.root) };
  }
  return {};
}

/** The root of a scope, which has the log of everything below it. */
async function rootOf(send: Send, scope: string): Promise<Root> {
  const colon = scope.indexOf(':');
  const [type, id] = [scope.slice(0, colon), scope.slice(colon + 1)];
  const asked = BUILT_IN.has(type)
    ? { command: `${type}.read`, input: { id } }
    : { command: 'scope.read', input: { scope } };
  const reply = await send('command', asked);
  const root = reply.ok && reply.result.ok ? reply.result.result.root : undefined;
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
