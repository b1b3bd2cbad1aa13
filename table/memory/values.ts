import { byteLength } from '../bytes.ts';
import { GatehouseError } from '../errors.ts';
import type { Item } from '../item.ts';
import type { Key } from '../keys.ts';
import { sizeOf } from '../size.ts';
import type { Action } from '../write/action.ts';

/** Nothing that a caller holds is shared with the table: what goes in or out is a copy. */
export const copyItem = (item: Item): Item => copyMap(item) as Item;

/** Of rows, which nobody changes once the table has them: most are read far more often than written. */
const sizes = new WeakMap<Item, number>();

/** The bytes of a row, measured once. */
export function sizeOfRow(row: Item): number {
  const known = sizes.get(row);
  if (known !== undefined) return known;
  const size = sizeOf(row);
  sizes.set(row, size);
  return size;
}

/**
 * A copy of an action, as it is to be carried out. Its values are such as the table can hold (table/value.ts).
 *
 * @throws GatehouseError `internal` for what DynamoDB refuses as a request: a key that is empty, too long or
 *   more than one, an update that changes the key, nothing, or one attribute twice
 */
export function copyAction(action: Action): Action {
  if (action.kind === 'put') {
    assertKey(action.item);
    return { ...action, item: copyItem(action.item) };
  }
  assertKey(action.key);
  if (Object.keys(action.key).length > 2) throw refused('a key has attributes that are no keys');
  if (action.kind !== 'update') return action;
  const { set = {}, remove = [], add = {}, takeOut = {} } = action;
  const names = [...Object.keys(set), ...remove, ...Object.keys(add), ...Object.keys(takeOut)];
  if (new Set(names).size < names.length) throw refused('an update does two things to one attribute');
  if (names.includes('PK') || names.includes('SK')) throw refused('an update changes the key');
  if (names.length === 0 && !action.when) throw refused('an update changes nothing and asks nothing');
  return {
    ...action,
    set: copyMap(set) as NonNullable<typeof action.set>,
    remove: [...remove],
    add: copyMap(add) as NonNullable<typeof action.add>,
    takeOut: copyMap(takeOut) as NonNullable<typeof action.takeOut>,
  };
}

const refused = (why: string): GatehouseError => new GatehouseError('internal', why);

/** Bytes that a partition key and a sort key may have (DynamoDB's limits). */
const MAX_PARTITION_KEY = 2_048;
const MAX_SORT_KEY = 1_024;

function assertKey({ PK, SK }: Key): void {
  const [partition, sort] = [byteLength(PK), byteLength(SK)];
  if (partition === 0 || partition > MAX_PARTITION_KEY || sort === 0 || sort > MAX_SORT_KEY)
    throw refused('a key is empty or too long');
}

/** A loop, not a chain of lists: every read and every write comes by here. */
function copyMap(map: object): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(map)) {
    const value = (map as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    const copied = typeof value === 'object' ? copy(value) : value;
    // Assigned, it would be the prototype.
    if (name === '__proto__') Object.defineProperty(made, name, { ...OWN, value: copied });
    else made[name] = copied;
  }
  return made;
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;

function copy(value: unknown): unknown {
  if (value instanceof Set) return new Set(value);
  if (Array.isArray(value)) return value.filter((each) => each !== undefined).map(copy);
  return typeof value === 'object' && value !== null ? copyMap(value) : value;
}
