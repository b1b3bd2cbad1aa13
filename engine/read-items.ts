import type { Reader } from '../table/reader.ts';
import { type ItemId, keyOf } from './items.ts';

/**
 * Reads items from the table in one call, past the cache: for candidates and suggestions, which are no input
 * of a decision. Absent items and impossible ids give null.
 *
 * @throws GatehouseError as the reader does, `damaged_item`
 */
export async function readItems<T extends readonly unknown[]>(
  reader: Pick<Reader, 'getMany'>,
  ...ids: { readonly [K in keyof T]: ItemId<T[K]> }
): Promise<{ readonly [K in keyof T]: T[K] | null }> {
  const wanted: readonly ItemId[] = ids.filter(({ kind, id }: ItemId) => kind.keyOf(id) !== undefined);
  const items = wanted.length > 0 ? await reader.getMany(wanted.map(keyOf)) : [];
  const decoded = new Map<ItemId, unknown>();
  for (const [position, each] of wanted.entries()) {
    const item = items[position];
    if (item) decoded.set(each, each.kind.decode(each.id, item, []));
  }
  return ids.map((each: ItemId) => decoded.get(each) ?? null) as {
    readonly [K in keyof T]: T[K] | null;
  };
}
