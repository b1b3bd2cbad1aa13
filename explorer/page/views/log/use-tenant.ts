import { commandsOn } from '../../../../provisioning/index.ts';
import { type Called, useAnswer } from '../../calls.ts';
import { type Send, useClient } from '../../client.ts';
import { type Answered, firstPage, run } from '../../load-page.ts';
import { ROOT_TYPES } from '../../registry.ts';

type Root = Answered<string | undefined>;

/** The first root that the table lists, if it has one: a table often has one. */
async function firstRoot(send: Send): Promise<Root> {
  for (const list of [...ROOT_TYPES, 'scope']) {
    const reply = await firstPage(send, `${list}.list`, { limit: 1 });
    if (!reply.ok) return reply;
    const [first] = reply.result.items;
    if (first) return { ok: true, result: String(first.root) };
  }
  return { ok: true, result: undefined };
}

/** The root of a scope, which has the log of everything below it; the scope itself where it is not there any more. */
async function rootOf(send: Send, scope: string): Promise<Root> {
  const reply = await run(send, commandsOn(scope, 'scope').read);
  if (!reply.ok && reply.error.code !== 'not_found') return reply;
  const root = reply.ok ? reply.result.root : undefined;
  return { ok: true, result: typeof root === 'string' ? root : scope };
}

/**
 * The tenant whose log is shown.
 *
 * @param scope the one that was chosen, or one below it; the first tenant of the table if left out
 */
export function useTenant(scope: string | undefined): Called<string | undefined> {
  const { send } = useClient();
  return useAnswer(String(scope), () => (scope === undefined ? firstRoot(send) : rootOf(send, scope)));
}
