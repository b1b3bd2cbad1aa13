import { nameIn, sentenceOf } from '../../../provisioning/index.ts';
import { namedIn } from '../load-page.ts';
import type { NameOf } from '../refs.ts';
import type { Change } from './changes.ts';

/** The names of what changes would make, which the table does not have yet. */
export function newNamesIn(changes: readonly Change[]): NameOf {
  const names = new Map(
    changes.flatMap(({ command, input }): [string, string][] => {
      const { ref, name } = namedIn(command.slice(0, command.lastIndexOf('.')), input);
      const isNamed =
        command.endsWith('.create') && typeof input.id === 'string' && nameIn(input) !== undefined;
      return isNamed ? [[ref, name]] : [];
    }),
  );
  return (ref) => names.get(ref);
}

/** Of whom or of what the caches of decisions are to be followed after changes: the one subject, or what was changed. */
export function revokedBy(changes: readonly Change[], losers: readonly string[]): string | undefined {
  const [only] = losers;
  if (only !== undefined && losers.length === 1) return only;
  const named = changes
    .flatMap((change) => sentenceOf(change) ?? [])
    .find((part) => typeof part !== 'string');
  return named?.ref ?? only;
}
