import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import { type Source, sourcesOf } from './sources.ts';
import { isOpen } from './tree.ts';

/** Built-in types that can be roots. A location may also have a parent. */
const ROOTS = ['tenant', 'location', 'client', 'account', 'enterprise'] as const;

/** The index lists that contain every root. A root created just now may be missing. */
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
