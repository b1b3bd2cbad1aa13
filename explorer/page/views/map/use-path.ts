import { commandsOn } from '../../../../provisioning/index.ts';
import { type Called, useAnswer } from '../../calls.ts';
import { type Send, useClient } from '../../client.ts';
import { type Answered, run } from '../../load-page.ts';
import { typeOf } from '../../refs.ts';
import { type Scope, scopeOf } from './levels.ts';

/** A scope with what is above it, from its root down to itself. */
export type Path = readonly [...Scope[], Scope];

/** The path of a scope that the address names; kept until that of the next one is known. */
export function usePath(ref: string | undefined): Called<Path> {
  const { send } = useClient();
  return useAnswer(ref, () => loadPath(send, ref as string));
}

async function loadPath(send: Send, ref: string): Promise<Answered<Path>> {
  const own = await loadScope(send, ref);
  if (!own.ok) return own;
  const above: Scope[] = [];
  for (const loaded of await Promise.all(own.result.ancestors.map((each) => loadScope(send, each)))) {
    if (!loaded.ok) return loaded;
    above.unshift(loaded.result);
  }
  return { ok: true, result: [...above, own.result] };
}

async function loadScope(send: Send, ref: string): Promise<Answered<Scope>> {
  const reply = await run(send, commandsOn(ref, 'scope').read);
  return reply.ok ? { ok: true, result: scopeOf(typeOf(ref), reply.result) } : reply;
}
