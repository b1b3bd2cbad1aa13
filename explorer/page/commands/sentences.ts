import { nameIn, sentenceOf } from '../../../provisioning/index.ts';
import type { NameOf } from '../refs.ts';
import type { Change } from './changes.ts';

/** The names of what changes would make, which the table does not have yet. */
export function newNamesIn(changes: readonly Change[]): NameOf {
  const names = new Map(
    changes.flatMap(({ command, input }): [string, string][] => {
      const name = command.endsWith('.create') ? nameIn(input) : undefined;
      const kind = command.slice(0, command.lastIndexOf('.'));
      const type = kind === 'scope' || kind === 'subject' ? String(input.type) : kind;
      return name === undefined || typeof input.id !== 'string' ? [] : [[`${type}:${input.id}`, name]];
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
