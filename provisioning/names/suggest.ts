import { INDEXES, type NamedKind } from '../../table/entities/entity.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, nodesNamedPartition } from '../../table/keys.ts';
import { foldName } from '../../table/normalise.ts';
import type { Reader } from '../../table/reader.ts';
import { guardLists } from '../nodes/guards.ts';
import { lastSegment, NODE_NAME, nameLists, readNodeName } from '../nodes/node-names.ts';
import { closest } from '../suggestions.ts';

/** Letters that a suggestion begins with, as the name does. */
const PREFIX = 2;
/** Names looked at in one partition of the list. */
const MOST = 100;

/** What an item of the lists is found by, each with how it is written where that is known. */
function shownOf(item: Item): readonly (readonly [found: string, shown: string])[] {
  if (item.Type !== NODE_NAME) return [[String(item.value), String(item.value)]];
  const { name, values } = readNodeName(item);
  return values.map((value) => [lastSegment(value), foldName(name) === value ? name : value]);
}

/**
 * The name that was probably meant: the last of a path, an email or a username; undefined where nothing that begins
 * alike is similar. It reads the lists of names and guards, by an index, a page of each partition.
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
  const known = new Map(pages.flatMap(({ items }) => items.flatMap(shownOf)));
  const meant = closest(wanted, known.keys());
  return meant === undefined ? undefined : known.get(meant);
}
