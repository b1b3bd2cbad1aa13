import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import { type Source, sourcesOf } from './sources.ts';
import { isOpen } from './tree.ts';

/** Types that come with the table and can stand alone; a location is a root or stands under one. */
const ROOTS = ['tenant', 'location', 'client', 'account', 'enterprise'] as const;

/** The lists that hold every root. They are of an index: one that was made this very moment may be missed. */
export const rootScopes = (added: readonly Item[]): readonly Source<string>[] => [
  ...ROOTS.flatMap((type) => sourcesOf(allOf(type), toRoot)),
  ...added
    .filter(({ root }) => root === true)
    .flatMap(({ name }) => sourcesOf(allOf('scope', String(name)), toRoot)),
];

function toRoot(item: Item): string | undefined {
  const key = parseKey(item);
  const isRoot = key?.form === 'node' && item.parent === undefined && isOpen(item);
  return isRoot ? `${key.type}:${key.id}` : undefined;
}
