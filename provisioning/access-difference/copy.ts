import { holdsEntries } from '../../table/decision/apart.ts';
import type { Stamp } from '../../table/decision/decode.ts';
import { createKnownSplits, isSplit, type KnownSplits, noteSplits } from '../../table/decision/split.ts';
import { stamped } from '../../table/decision/writes.ts';
import { defined } from '../../table/defined.ts';
import type { Item } from '../../table/item.ts';
import { distinctKeys, identityOf, type Key } from '../../table/keys.ts';
import { createMemoryTable, type MemoryTable } from '../../table/memory/index.ts';
import { type ListQuery, MAX_PAGE, type Range, type Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import type { Writer } from '../../table/writer.ts';
import { createBatchedReads } from '../batched-reads.ts';
import { pagesOf } from '../list-pages.ts';

/** Of a put, its key is the item. */
const plainKey = ({ PK, SK }: Key): Key => ({ PK, SK });

/** More is to be looked at than a bound allows. The message says which. */
export class TooLarge extends Error {}

/** A table in memory as it is before a change and, once the change is written to it, after it. */
export interface Copy {
  readonly before: Reader;
  readonly after: Reader;
  /** Writes to `after` only. */
  readonly writer: Writer;
  /** Writes what is planned to `after`, as one transaction, in the forms that the items have. */
  readonly write: (planned: readonly Action[], stamp: Stamp) => Promise<void>;
  /** The items that are known to have parts that stand apart. */
  readonly splits: KnownSplits;
  /** Notes which of the items of these actions have such parts, and answers whether any has. */
  readonly findSplits: (actions: readonly Action[]) => Promise<boolean>;
  /** The keys that were written, and by what. */
  readonly written: () => readonly Key[];
  readonly actions: () => readonly Action[];
}

/**
 * Two copies of a table, made item by item as they are read. The table itself is only read.
 *
 * @param most items and calls that the copy may take
 * @returns readers that throw {@link TooLarge} beyond that
 */
export function createCopy(reader: Reader, most: { readonly items: number; readonly calls: number }): Copy {
  const done: Action[] = [];
  const before = createMemoryTable();
  const after = createMemoryTable({
    onCommit: (actions) => {
      done.push(...actions);
    },
  });
  const known = new Set<string>();
  const ranges = new Map<string, Promise<void>>();
  let [items, calls] = [0, 0];
  const call = <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls > most.calls || items > most.items)
      throw new TooLarge(`it takes more than ${most.items} items or ${most.calls} calls to read`);
    return work();
  };
  const keep = (key: Key, item: Item | undefined): void => {
    // The first reading counts: what was written since then is in the copy alone.
    if (known.has(identityOf(key))) return;
    known.add(identityOf(key));
    if (!item) return;
    items += 1;
    before.put(item);
    after.put(item);
  };
  const counted: Reader = {
    ...reader,
    getMany: async (keys) => call(() => reader.getMany(keys)),
    list: (query) => call(() => reader.list(query)),
  };
  const reads = createBatchedReads(counted);
  async function copyKeys(keys: readonly Key[]): Promise<void> {
    const unknown = keys.filter((key) => !known.has(identityOf(key)));
    if (unknown.length === 0) return;
    const items = await reads.reader.getMany(unknown);
    for (const [position, key] of unknown.entries()) keep(key, items[position]);
  }
  async function copyRange(range: Range, index: ListQuery['index']): Promise<void> {
    for await (const items of pagesOf(counted, { ranges: [range], ...defined({ index }) }, MAX_PAGE))
      for (const item of items) keep(item, item);
  }
  async function copyRanges(all: readonly Range[], index: ListQuery['index']): Promise<void> {
    for (const range of all) {
      const name = JSON.stringify([range, index]);
      const copied = ranges.get(name) ?? copyRange(range, index);
      ranges.set(name, copied);
      await copied;
    }
  }

  const readerOf = (table: MemoryTable): Reader => ({
    get: async (key) => {
      await copyKeys([key]);
      return table.reader.get(key);
    },
    getMany: async (keys, ...rest) => {
      await copyKeys(keys);
      return table.reader.getMany(keys, ...rest);
    },
    getSnapshot: async (keys, ...rest) => {
      await copyKeys(keys);
      return table.reader.getSnapshot(keys, ...rest);
    },
    list: async (query) => {
      await copyRanges(query.ranges, query.index);
      return table.reader.list(query);
    },
    listAll: async (query) => {
      await copyRanges(query.ranges, query.index);
      return table.reader.listAll(query);
    },
    listMerged: async (query) => {
      const { partitions, between, index } = query;
      await copyRanges(
        partitions.map((partition) => ({ partition, between })),
        index,
      );
      return table.reader.listMerged(query);
    },
  });

  const changed = readerOf(after);
  const splits = createKnownSplits();
  async function findSplits(actions: readonly Action[]): Promise<boolean> {
    const keys = actions.filter(holdsEntries).map(keyOf);
    const items = keys.length > 0 ? await changed.getMany(keys) : [];
    for (const [position, key] of keys.entries()) noteSplits(splits, key, items[position]);
    return items.some(isSplit);
  }
  const send: Writer['send'] = async (actions) => {
    await copyKeys(actions.map((action) => plainKey(keyOf(action))));
    await after.writer.send(actions);
  };

  return {
    before: readerOf(before),
    after: changed,
    writer: { send },
    write: async (planned, stamp) => {
      const actions = mergeActions(planned);
      await findSplits(actions);
      await send(stamped(actions, stamp, splits));
    },
    splits,
    findSplits,
    written: () => {
      const keys = done.filter(({ kind }) => kind !== 'check').map((action) => plainKey(keyOf(action)));
      return distinctKeys(keys);
    },
    actions: () => done,
  };
}
