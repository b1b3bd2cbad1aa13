import { commandsOn, inTurns, type WrittenRoute, writtenScope } from '../../provisioning/index.ts';
import { formatRef } from '../../table/identifiers.ts';
import type { Sender } from '../provisioning.ts';

/** Of some routes those that write out a scope that does not exist: they refuse everybody. */
export async function withMissingScope<R extends Pick<WrittenRoute, 'scope'>>(
  { find }: Pick<Sender, 'find'>,
  routes: readonly R[],
): Promise<readonly R[]> {
  const written = new Set(
    routes.flatMap(({ scope }) => {
      const ref = writtenScope(scope);
      return ref ? formatRef(ref) : [];
    }),
  );
  const missing = new Set<string>();
  await inTurns([...written], async (scope) => {
    const { command, input } = commandsOn(scope, 'scope').read;
    if (!(await find(command, input))) missing.add(scope);
  });
  return routes.filter(({ scope }) => missing.has(scope));
}

/** A note for each scope that routes write out and that does not exist: a typing error, or one that is made later. */
export async function missingScopeNotes(
  sender: Pick<Sender, 'find'>,
  routes: readonly Pick<WrittenRoute, 'scope'>[],
): Promise<readonly string[]> {
  const missing = new Set((await withMissingScope(sender, routes)).map(({ scope }) => scope));
  return [...missing].map(
    (scope) => `there is no scope ${scope}: every request for it is refused until somebody creates it`,
  );
}
