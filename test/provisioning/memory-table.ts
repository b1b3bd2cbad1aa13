import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { keyAttributes } from '../../table/read/cursor.ts';
import type { ListQuery } from '../../table/read/query.ts';
import type { Reader } from '../../table/read/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { assertFits } from '../../table/write/transaction.ts';
import type { Writer } from '../../table/write/writer.ts';

/** A table in memory: enough of one to damage it in a thousand ways and look at each. */
const identity = ({ PK, SK }: Key) => `${PK}\n${SK}`;

export interface MemoryTable {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly items: () => readonly Item[];
  readonly put: (item: Item) => void;
  readonly remove: (key: Key) => void;
}

export function createMemoryTable(given: readonly Item[]): MemoryTable {
  const table = new Map(given.map((item) => [identity(item), item]));
  const lists = new Map<string, Map<string, Item>>();
  const INDEXES = [undefined, 'GSI1', 'GSI2', 'GSI3'] as const;
  const file = (item: Item, isThere: boolean) => {
    for (const index of INDEXES) {
      const [hash, sort] = keyAttributes(index);
      if (typeof item[hash] !== 'string' || typeof item[sort] !== 'string') continue;
      const name = `${index} ${item[hash]}`;
      const list = lists.get(name) ?? new Map<string, Item>();
      lists.set(name, list);
      if (isThere) list.set(identity(item), item);
      else list.delete(identity(item));
    }
  };
  for (const item of given) file(item, true);
  const remove = (key: Key) => {
    const old = table.get(identity(key));
    if (old) file(old, false);
    table.delete(identity(key));
  };
  const put = (item: Item) => {
    remove(item);
    table.set(identity(item), item);
    file(item, true);
  };

  const all = ({ ranges, index, keep }: Omit<ListQuery, 'limit' | 'cursor'>): readonly Item[] => {
    const [, sort] = keyAttributes(index);
    return ranges.flatMap(({ partition, prefix = '', between }) =>
      [...(lists.get(`${index} ${partition}`)?.values() ?? [])]
        .filter((item) => {
          const key = String(item[sort]);
          return key.startsWith(prefix) && (!between || (between[0] <= key && key <= between[1]));
        })
        .sort((a, b) => (String(a[sort]) < String(b[sort]) ? -1 : 1))
        .filter((item) => keep?.(item) ?? true),
    );
  };
  const getMany: Reader['getMany'] = async (keys) => keys.map((key) => table.get(identity(key)));
  const reader: Reader = {
    get: async (key) => table.get(identity(key)),
    getMany,
    getSnapshot: (keys) => {
      if (keys.length > 100) throw new Error('a snapshot is of at most 100 items');
      if (new Set(keys.map(identity)).size < keys.length) throw new Error('a snapshot names an item twice');
      return getMany(keys);
    },
    // One page is all.
    list: async (query) => ({ items: all(query) }),
    listMerged: () => Promise.reject(new Error('nobody asks for it')),
    listAll: async (query) => all(query),
  };

  const same = (a: unknown, b: unknown) => JSON.stringify(plain(a)) === JSON.stringify(plain(b));
  const send: Writer['send'] = async (actions) => {
    assertFits(actions);
    if (new Set(actions.map((action) => identity(keyOf(action)))).size < actions.length)
      throw new Error('a transaction names an item twice');
    for (const { when, failure, ...action } of actions) {
      const found = table.get(identity(keyOf(action as Action)));
      const holds =
        !when ||
        (when.exists === (found !== undefined) &&
          Object.entries(when.equals ?? {}).every(([name, value]) => same(found?.[name], value)));
      if (!holds) throw failure?.(found) ?? new GatehouseError('internal', 'a condition without a word');
    }
    for (const action of actions) {
      if (action.kind === 'put') put(defined(action.item));
      if (action.kind === 'delete') remove(action.key);
      if (action.kind === 'update') put(updated(table.get(identity(action.key)), action));
    }
  };
  return { reader, writer: { send }, items: () => [...table.values()], put, remove };
}

const plain = (value: unknown): unknown => (value instanceof Set ? { set: [...value].sort() } : value);
const defined = (item: Item) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as Item;

function updated(old: Item | undefined, action: Extract<Action, { kind: 'update' }>): Item {
  const item: Record<string, unknown> = { ...old, ...action.key, ...action.set };
  for (const name of action.remove ?? []) delete item[name];
  for (const [name, value] of Object.entries(action.add ?? {})) {
    const known = old?.[name];
    if (typeof value === 'number') {
      if (known !== undefined && typeof known !== 'number')
        throw new GatehouseError('internal', `ADD of a number to ${typeof known} ${name}`);
      item[name] = (known ?? 0) + value;
    } else item[name] = new Set([...((known as Set<string> | undefined) ?? []), ...value]);
  }
  for (const [name, value] of Object.entries(action.takeOut ?? {})) {
    const left = new Set(
      [...((old?.[name] as Set<string> | undefined) ?? [])].filter((each) => !value.has(each)),
    );
    if (left.size > 0) item[name] = left;
    else delete item[name];
  }
  return defined(item as Item);
}
