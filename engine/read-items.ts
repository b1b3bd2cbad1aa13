import type { Reader } from '../table/reader.ts';
import { type ItemId, keyOf } from './items.ts';

/**
 * Reads items as they stand in the table, in one call, for what a decision does not rest on: candidates and suggestions.
 * Null for what the table has not, and for what nothing can have.
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
