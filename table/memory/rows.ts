import { compareBytes } from '../bytes.ts';
import type { IndexName } from '../entities/entity.ts';
import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';
import { isWithin, keyAttributes } from '../read/pages.ts';
import type { Range } from '../reader.ts';

/** Items by their key, and within each partition in the order of their sort keys. */
export interface Rows {
  readonly get: (key: Key) => Item | undefined;
  /**
   * Puts an item in the place of the one with its key. Of an index: takes it out if it lacks the index's
   * keys.
   */
  readonly put: (item: Item) => void;
  readonly remove: (key: Key) => void;
  readonly all: () => readonly Item[];
  /** The items of a range in order, or in the opposite one, from the first or from after a place. */
  readonly within: (
    range: Range,
    after: Readonly<Record<string, string>> | undefined,
    descending: boolean,
  ) => Iterable<Item>;
}

/** Rows of the base table, or of an index. They keep the items that they are given, and hand out the same. */
export function createRows(index?: IndexName): Rows {
  const [hash, sort] = keyAttributes(index);
  const byKey = new Map<string, Item>();
  const partitions = new Map<string, Item[]>();

  const sortKeyOf = (row: Item): string => String(row[sort]);
  /** Rows of an index may share a sort key: then their own keys say which comes first. */
  const compare = (a: Item, b: Item): number =>
    compareBytes(sortKeyOf(a), sortKeyOf(b)) || compareBytes(a.PK, b.PK) || compareBytes(a.SK, b.SK);

  function remove(key: Key): void {
    const identity = identityOf(key);
    const old = byKey.get(identity);
    if (!old) return;
    byKey.delete(identity);
    takeOut(old);
  }
  function takeOut(old: Item): void {
    const partition = partitions.get(String(old[hash])) ?? [];
    if (partition.length === 1) partitions.delete(String(old[hash]));
    else
      partition.splice(
        firstWhere(partition, (row) => compare(row, old) >= 0),
        1,
      );
  }

  return {
    get: (key) => byKey.get(identityOf(key)),
    put: (item) => {
      const { [hash]: partitionKey, [sort]: sortKey } = item;
      if (typeof partitionKey !== 'string' || typeof sortKey !== 'string') return remove(item);
      const identity = identityOf(item);
      const old = byKey.get(identity);
      if (old) {
        byKey.delete(identity);
        takeOut(old);
      }
      byKey.set(identity, item);
      const partition = partitions.get(partitionKey);
      if (!partition) partitions.set(partitionKey, [item]);
      else
        partition.splice(
          firstWhere(partition, (row) => compare(row, item) > 0),
          0,
          item,
        );
    },
    remove,
    all: () => [...byKey.values()],
    within: function* (range, after, descending) {
      const partition = partitions.get(range.partition) ?? [];
      const first = range.between?.[0] ?? range.prefix ?? '';
      if (descending) {
        const place = after as (Readonly<Record<string, string>> & Key) | undefined;
        const isPast = (row: Item) =>
          place
            ? compare(row, place) >= 0
            : compareBytes(sortKeyOf(row), first) > 0 && !isWithin(sortKeyOf(row), range);
        for (let position = firstWhere(partition, isPast) - 1; position >= 0; position--) {
          const row = partition[position] as Item;
          if (!isWithin(sortKeyOf(row), range)) return;
          yield row;
        }
        return;
      }
      const begin = after
        ? firstWhere(partition, (row) => compare(row, after as Readonly<Record<string, string>> & Key) > 0)
        : firstWhere(partition, (row) => compareBytes(sortKeyOf(row), first) >= 0);
      for (let position = begin; position < partition.length; position++) {
        const row = partition[position] as Item;
        if (!isWithin(sortKeyOf(row), range)) return;
        yield row;
      }
    },
  };
}

/** The position of the first row that satisfies a predicate which all later rows satisfy too. */
function firstWhere(rows: readonly Item[], isPast: (row: Item) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(rows[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
