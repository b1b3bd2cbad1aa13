import type { Item } from '../table/item.ts';
import type { Key } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';

/** The same table, where what is read by key is as `as` says, or is only shown to it. */
export function readAs(reader: Reader, as: (key: Key, item: Item | undefined) => Item | undefined): Reader {
  const each = (keys: readonly Key[], items: readonly (Item | undefined)[]) =>
    keys.map((key, position) => as(key, items[position]));
  return {
    ...reader,
    get: async (key) => as(key, await reader.get(key)),
    getMany: async (keys, notes) => each(keys, await reader.getMany(keys, notes)),
    getSnapshot: async (keys, notes) => each(keys, await reader.getSnapshot(keys, notes)),
  };
}
