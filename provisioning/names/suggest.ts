import { INDEXES } from '../../table/entities/entity.ts';
import type { NamedKind } from '../../table/entities/registry.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, nodesNamedPartition } from '../../table/keys.ts';
import { foldName } from '../../table/normalise.ts';
import type { Reader } from '../../table/reader.ts';
import { closest } from '../../table/similar-words.ts';
import { guardLists } from '../nodes/guards.ts';
import { lastSegment, NODE_NAME, nameLists, readNodeName } from '../nodes/node-names.ts';
import { findName } from './find.ts';

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

/** Names above the last one that are looked at when a path has a slip. */
const MAX_LEVELS = 5;
/** Last names of a path that are tried. */
const MAX_ENDINGS = 3;

/** The path that was probably meant: of each name of the text, the same one or one that is similar. */
export function closestPath(text: string, paths: readonly string[]): string | undefined {
  const wanted = foldName(text).split('/');
  const similar = paths.flatMap((path) => {
    const names = foldName(path).split('/').slice(-wanted.length);
    const differ = wanted.filter((name, position) => name !== names[position]);
    const isClose =
      names.length === wanted.length &&
      wanted.every((name, position) => closest(name, [names[position] as string]) !== undefined);
    return isClose ? [{ path, differ: differ.length }] : [];
  });
  return similar.sort((a, b) => a.differ - b.differ)[0]?.path;
}

/**
 * The name that was probably meant, of a path the whole path; undefined where nothing that begins alike is similar. It
 * reads the lists of names and guards, by an index, a page of each partition, and of a path those of each name in it.
 */
export async function suggestName(
  reader: Reader,
  { name, kind }: { readonly name: string; readonly kind: NamedKind },
  levels = MAX_LEVELS,
): Promise<string | undefined> {
  const text = foldName(name);
  const last = lastSegment(text);
  const known = await similarNames(reader, kind, last);
  if (last === text || levels <= 1) {
    const meant = closest(last, known.keys()) ?? onlyAddressOf(last, known.keys());
    return meant === undefined ? undefined : known.get(meant);
  }
  const rest = text.slice(0, -last.length - 1);
  const above = await suggestName(reader, { name: rest, kind: 'scope' }, levels - 1);
  const left = new Set(known.keys());
  for (let tries = 0; tries < MAX_ENDINGS; tries++) {
    const ending = closest(last, left);
    if (ending === undefined) break;
    left.delete(ending);
    for (const before of new Set([rest, ...(above === undefined ? [] : [above])])) {
      const { candidates, elsewhere } = await findName(reader, { name: `${before}/${ending}`, kind });
      const paths = [...candidates, ...elsewhere].map((each) => each.path ?? each.name);
      const meant = closestPath(text, paths);
      if (meant !== undefined) return meant;
    }
  }
  return undefined;
}

/** The address that has a name before its @, where only one has. */
function onlyAddressOf(name: string, known: Iterable<string>): string | undefined {
  const [only, other] = [...known].filter((each) => each.startsWith(`${name}@`));
  return other === undefined ? only : undefined;
}

/** What begins as a name does: what it is found by, and how it is written. */
async function similarNames(
  reader: Reader,
  kind: NamedKind,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const start = [...name.replaceAll('#', '')].slice(0, PREFIX).join('');
  if (start === '') return new Map();
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
  return new Map(pages.flatMap(({ items }) => items.flatMap(shownOf)));
}
