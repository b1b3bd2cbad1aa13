import { INDEXES } from '../entities/entity.ts';
import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';
import type { Reader } from '../reader.ts';
import { type Action, keyOf } from '../write/action.ts';
import type { Writer } from '../writer.ts';
import { createMishaps, type Faults, type Schedule } from './faults.ts';
import { createMemoryReader } from './reader.ts';
import { createRows } from './rows.ts';
import { copyItem } from './values.ts';
import { createMemoryWriter } from './writer.ts';

export interface MemoryTableOptions {
  /** What the table holds from the start. */
  readonly items?: readonly Item[];
  /**
   * Whether items go in and out as they are, not as copies: faster, and nobody may ever change one that was given or
   * read. Default: false.
   */
  readonly sharesItems?: boolean;
  /** What goes wrong. Nothing unless given. */
  readonly faults?: Faults;
  /** How faults that take time let it pass; a test gives its own time. */
  readonly schedule?: Schedule;
  /**
   * Awaited before an item is read by its key. What it writes in between the items of one `getMany` is seen
   * by those that follow: DynamoDB reads the items of a BatchGetItem one by one. A snapshot is read after all
   * of its calls.
   */
  readonly onItemRead?: (key: Key) => Promise<void>;
  /** Called with each transaction, as it was given to the writer, at the instant at which it commits. */
  readonly onCommit?: (actions: readonly Action[]) => void;
}

export interface MemoryTable {
  readonly reader: Reader;
  readonly writer: Writer;
  /** All current items, in no order. */
  readonly items: () => readonly Item[];
  /** Puts an item there, past every check: what another program might have done. */
  readonly put: (item: Item) => void;
  readonly remove: (key: Key) => void;
}

/**
 * A table in plain JavaScript (ADR 0015, The table is a port): what DynamoDB does with reads, conditions,
 * transactions and limits, without a network or a clock. On demand it also does what may happen on DynamoDB
 * and seldom does: see {@link Faults} and the functions beside reader and writer.
 *
 * @throws GatehouseError `invalid` on `schedule`, when faults take time and there is none
 */
export function createMemoryTable(options: MemoryTableOptions = {}): MemoryTable {
  const { items = [], sharesItems = false, faults, schedule, onItemRead, onCommit } = options;
  const copied = sharesItems ? (item: Item): Item => item : copyItem;
  const mishaps = createMishaps(faults, schedule);
  const rows = createRows();
  const indexes = new Map(Object.values(INDEXES).map((name) => [name, createRows(name)]));

  for (const item of items) {
    const kept = copied(item);
    for (const each of [rows, ...indexes.values()]) each.put(kept);
  }

  /** Changes are numbered: one that reaches the indexes after a later one of the same item is no news. */
  const shown = new Map<string, number>();
  let changes = 0;
  function change(key: Key, item: Item | undefined): void {
    if (item) rows.put(item);
    else rows.remove(key);
    changes += 1;
    const number = changes;
    const identity = identityOf(key);
    mishaps.follow(() => {
      if ((shown.get(identity) ?? 0) > number) return;
      shown.set(identity, number);
      for (const index of indexes.values()) {
        if (item) index.put(item);
        else index.remove(key);
      }
    });
  }

  return {
    reader: createMemoryReader({
      rows,
      indexOf: (index) => indexes.get(index) ?? createRows(index),
      mishaps,
      copied,
      onItemRead,
    }),
    writer: createMemoryWriter({
      rows,
      change: (action, item) => change(keyOf(action), item),
      mishaps,
      copied,
      onCommit,
    }),
    items: () => rows.all().map(copied),
    put: (item) => change(item, copied(item)),
    remove: (key) => change(key, undefined),
  };
}
