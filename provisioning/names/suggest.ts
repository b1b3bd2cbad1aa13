import { INDEXES, type NamedKind } from '../../table/entities/entity.ts';
import { guardKey, nodesNamedPartition } from '../../table/keys.ts';
import { foldName } from '../../table/normalise.ts';
import type { Reader } from '../../table/reader.ts';
import { guardLists } from '../nodes/guards.ts';
import { lastSegment, nameLists } from '../nodes/node-names.ts';
import { closest } from '../suggestions.ts';

/** Letters that a suggestion begins with, as the name does. */
const PREFIX = 2;
/** Names looked at in one partition of the list. */
const MOST = 100;

/** The value of a guard or the name in a key of the lists. */
const nameIn = (sort: unknown): string => String(sort).slice(String(sort).lastIndexOf('#') + 1);

/**
 * The name that was probably meant: the last of a path, an email or a username, folded; undefined where nothing that
 * begins alike is similar. It reads the lists of names and guards, by an index, a page of each partition.
 */
export async function suggestName(
  reader: Reader,
  { name, kind }: { readonly name: string; readonly kind: NamedKind },
): Promise<string | undefined> {
  const wanted = lastSegment(foldName(name));
  const start = [...wanted.replaceAll('#', '')].slice(0, PREFIX).join('');
  if (start === '') return undefined;
  const starting = (partitions: readonly string[], prefix: string) =>
    partitions.map((partition) =>
      reader.list({ index: INDEXES.all, ranges: [{ partition, prefix }], limit: MOST }),
    );
  const pages = await Promise.all([
    ...starting(nameLists, nodesNamedPartition(kind, start)),
    ...(kind === 'subject'
      ? ['EMAIL', 'USERNAME'].flatMap((guard) => starting(guardLists, guardKey(guard, start).PK))
      : []),
  ]);
  return closest(
    wanted,
    pages.flatMap(({ items }) => items.map((item) => nameIn(item[`${INDEXES.all}SK`]))),
  );
}
