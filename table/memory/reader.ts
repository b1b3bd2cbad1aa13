import { GatehouseError, invalid, limitExceeded } from '../errors.ts';
import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';
import {
  createLists,
  keyAttributes,
  placeOf,
  type QueryRange,
  type RangeQuery,
  readInBatches,
} from '../read/pages.ts';
import type { Reader } from '../reader.ts';
import { noNotes, type ReadNotes } from '../reader.ts';
import { MAX_TRANSACTION_BYTES } from '../size.ts';
import { READ_DEADLINE_MS } from '../timing.ts';
import { type Mishaps, throttled } from './faults.ts';
import type { Rows } from './rows.ts';
import { sizeOfRow } from './values.ts';

/** DynamoDB's limits: keys of one TransactGetItems, bytes of one BatchGetItem and of one Query. */
const MAX_SNAPSHOT_KEYS = 100;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const MAX_QUERY_BYTES = 1024 * 1024;
/** What one read unit reads. */
const UNIT_BYTES = 4 * 1024;

export interface MemoryReaderOptions {
  readonly rows: Rows;
  readonly indexOf: (index: NonNullable<RangeQuery['index']>) => Rows;
  readonly mishaps: Mishaps;
  /** What is handed out of an item: a copy, or the item itself. */
  readonly copied: (item: Item) => Item;
  readonly onItemRead: ((key: Key) => Promise<void>) | undefined;
}

/** Reading from memory as from DynamoDB: the same limits, the same units, the same failures. */
export function createMemoryReader({
  rows,
  indexOf,
  mishaps,
  copied,
  onItemRead,
}: MemoryReaderOptions): Reader {
  const read = (key: Key): Item | undefined => {
    const item = rows.get(key);
    return item && copied(item);
  };
  const note = (notes: ReadNotes, bytes: number, unitsEach: number): void => {
    if (notes.units === undefined) return;
    notes.units += unitsEach * Math.max(1, Math.ceil(bytes / UNIT_BYTES));
  };

  /** Does something at some instant of an attempt. */
  async function during<T>(act: () => T): Promise<T> {
    const { instants, takes } = mishaps.spread(1);
    const [instant = 0] = instants;
    await mishaps.wait(instant);
    const done = act();
    await mishaps.wait(takes - instant);
    return done;
  }

  /** One BatchGetItem: each item at an instant of its own. Answers the keys that it left unread. */
  async function attemptBatch(
    keys: readonly Key[],
    found: Map<string, Item>,
    notes: ReadNotes,
  ): Promise<readonly Key[]> {
    notes.calls += 1;
    if (mishaps.throttles()) throw throttled('BatchGetItem');
    const unread: Key[] = [];
    const { instants, takes } = mishaps.spread(keys.length);
    let [time, bytes] = [0, 0];
    for (const [position, key] of keys.entries()) {
      const instant = instants[position] ?? time;
      if (instant > time) await mishaps.wait(instant - time);
      time = instant;
      if (bytes > MAX_BATCH_BYTES || mishaps.leavesUnread()) {
        unread.push(key);
        continue;
      }
      if (onItemRead) await onItemRead(key);
      const row = rows.get(key);
      if (row) found.set(identityOf(key), copied(row));
      const size = row ? sizeOfRow(row) : 0;
      bytes += size;
      note(notes, size, 1);
    }
    await mishaps.wait(takes - time);
    return unread;
  }

  const getMany = (keys: readonly Key[], notes: ReadNotes) =>
    readInBatches(keys, async (batch, found) => {
      let wanted = batch;
      await mishaps.persistently(READ_DEADLINE_MS, async () => {
        wanted = await attemptBatch(wanted, found, notes);
        return wanted.length === 0
          ? undefined
          : new GatehouseError('throttled', 'BatchGetItem left keys unread until the deadline');
      });
    });

  async function getSnapshot(keys: readonly Key[], notes: ReadNotes): Promise<readonly (Item | undefined)[]> {
    if (keys.length > MAX_SNAPSHOT_KEYS)
      throw limitExceeded(`one snapshot holds ${MAX_SNAPSHOT_KEYS} items, this would take ${keys.length}`);
    if (keys.length === 0 || new Set(keys.map(identityOf)).size < keys.length)
      throw new GatehouseError('internal', 'a snapshot is of no item, or of one twice');
    if (onItemRead) for (const key of keys) await onItemRead(key);
    let found: readonly (Item | undefined)[] = [];
    await mishaps.persistently(READ_DEADLINE_MS, async () => {
      notes.calls += 1;
      if (mishaps.throttles()) throw throttled('TransactGetItems');
      const isConflict = mishaps.conflicts();
      found = await during(() => keys.map(rows.get));
      return isConflict
        ? new GatehouseError('contended', 'other changes to the same items were under way')
        : undefined;
    });
    const sizes = found.map((row) => (row ? sizeOfRow(row) : 0));
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_TRANSACTION_BYTES)
      throw limitExceeded('the items of one snapshot take more than 4 MB');
    for (const size of sizes) note(notes, size, 2);
    return found.map((row) => row && copied(row));
  }

  const queryRange =
    (notes: ReadNotes): QueryRange =>
    ({ range, index, limit, after, descending }) => {
      notes.calls += 1;
      if (mishaps.throttles()) return Promise.reject(throttled('Query'));
      return during(() => {
        if (after && !isPlace(after, index)) throw invalid('cursor', 'cursor does not belong to this list');
        const items: Item[] = [];
        let bytes = 0;
        let last: Item | undefined;
        for (const row of (index ? indexOf(index) : rows).within(range, after, descending)) {
          items.push(copied(row));
          bytes += sizeOfRow(row);
          if (items.length === limit || bytes >= MAX_QUERY_BYTES) {
            last = row;
            break;
          }
        }
        // An index is read with eventual consistency, at half the price.
        note(notes, bytes, index ? 0.5 : 1);
        return last ? { items, after: placeOf(last, index) } : { items };
      });
    };

  return {
    get: async (key) => {
      if (mishaps.throttles()) throw throttled('GetItem');
      await onItemRead?.(key);
      return during(() => read(key));
    },
    getMany: (keys, notes = noNotes()) => getMany(keys, notes),
    getSnapshot: (keys, notes = noNotes()) => getSnapshot(keys, notes),
    ...createLists(queryRange),
  };
}

/** Whether a place names just the keys that DynamoDB's own would. */
const isPlace = (after: Readonly<Record<string, string>>, index: RangeQuery['index']): boolean => {
  const names = new Set(['PK', 'SK', ...keyAttributes(index)]);
  return Object.keys(after).length === names.size && [...names].every((name) => after[name] !== undefined);
};
