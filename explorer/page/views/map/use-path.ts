import { commandsOn } from '../../../../provisioning/index.ts';
import type { Fault } from '../../../service/index.ts';
import { useLoaded } from '../../calls.ts';
import { type Send, useClient } from '../../client.ts';
import { run } from '../../load-page.ts';
import { typeOf } from '../../refs.ts';
import { type Scope, scopeOf } from './levels.ts';

/** A scope with what is above it, from its root down to itself. */
export type Path = readonly [...Scope[], Scope];

export interface LoadedPath {
  readonly path: Path | undefined;
  readonly error: Fault | undefined;
  readonly retry: () => void;
}

/** The path of a scope that the address names; kept until that of the next one is known. */
export function usePath(ref: string | undefined): LoadedPath {
  const { send } = useClient();
  const { value, isLoading, retry } = useLoaded(ref, () => loadPath(send, ref as string));
  return value && 'error' in value
    ? { path: undefined, error: isLoading ? undefined : value.error, retry }
    : { path: value?.path, error: undefined, retry };
}

async function loadPath(send: Send, ref: string): Promise<{ path: Path } | { error: Fault }> {
  const own = await loadScope(send, ref);
  if ('error' in own) return own;
  const above: Scope[] = [];
  for (const loaded of await Promise.all(own.ancestors.map((each) => loadScope(send, each)))) {
    if ('error' in loaded) return loaded;
    above.push(loaded);
  }
  return { path: [...above.reverse(), own] };
}

async function loadScope(send: Send, ref: string): Promise<Scope | { readonly error: Fault }> {
  const reply = await run(send, commandsOn(ref, 'scope').read);
  return reply.ok ? scopeOf(typeOf(ref), reply.result) : reply;
}
