import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { type Action, type Condition, type Expected, keyOf, type Value } from '../../table/write/action.ts';
import type { Effect, Finding, FindingCode } from './finding.ts';

/**
 * Something that must hold between a few items. It is judged over what a walk has read, and before anything is
 * said, again over the items as they stood at one instant.
 */
export interface Relation {
  /** The same relation has the same name, from whichever of its items it was come upon. */
  readonly name: string;
  readonly keys: readonly Key[];
  readonly judge: (items: readonly Found[]) => readonly Fault[];
  /** A part of its items with which the walk contents itself as long as nothing is wrong there. */
  readonly glance?: { readonly keys: readonly Key[]; readonly isFine: (items: readonly Found[]) => boolean };
}

export type Found = Item | undefined;

/** A finding with what puts it right. */
export interface Fault {
  readonly code: FindingCode;
  readonly key: Key;
  readonly attribute?: string;
  readonly expected: string;
  readonly effect: Effect;
  /** Writes to items of the relation; or the decision item that is to be made anew from nodes and edges. */
  readonly repair?: readonly Action[] | 'rebuild' | undefined;
}

export const toFinding = ({ repair, ...fault }: Fault): Finding => ({
  ...fault,
  key: { PK: fault.key.PK, SK: fault.key.SK },
  dangerous: fault.effect === 'opens' || fault.effect === 'either',
  repairable: repair !== undefined,
});

export const identity = ({ PK, SK }: Key): string => `${PK}\n${SK}`;
export const isSameKey = (a: Key, b: Key): boolean => a.PK === b.PK && a.SK === b.SK;

/** Attributes by which every writer marks that it has been there. */
const MARKS = ['Type', 'rev', 'writtenAt', 'writeId', 'updatedAt'];

/** That an item is as it was read. */
export const asRead = (item: Found): Condition =>
  item
    ? { exists: true, equals: Object.fromEntries(MARKS.map((mark) => [mark, item[mark] as Expected])) }
    : { exists: false };

const changed = (key: Key) => () =>
  new GatehouseError('stale', `${key.PK} / ${key.SK} was changed by someone else meanwhile`);

/** The writes on condition that all they were made from is as it was read. */
export function guarded(
  keys: readonly Key[],
  items: readonly Found[],
  actions: readonly Action[],
): readonly Action[] {
  const conditionOf = (key: Key) => ({
    when: asRead(items[keys.findIndex((each) => isSameKey(each, key))]),
    failure: changed(key),
  });
  const written = new Set(actions.map((action) => identity(keyOf(action))));
  return [
    ...actions.map((action): Action => ({ ...action, ...conditionOf(keyOf(action)) })),
    ...keys
      .filter((key) => !written.has(identity(key)))
      .map((key): Action => ({ kind: 'check', key, ...conditionOf(key) })),
  ];
}

/** A change of a node counts up its revision, as every other does. */
export const changeOf = (
  key: Key,
  changes: Readonly<Record<string, Value | undefined>>,
): readonly Action[] => [
  {
    kind: 'update',
    key,
    set: Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Record<
      string,
      Value
    >,
    remove: Object.keys(changes).filter((name) => changes[name] === undefined),
    ...('rev' in changes ? {} : { add: { rev: 1 } }),
  },
];

/** A form in which equal values are equal texts; what is undefined is not there. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value)) ?? '';

const sorted = (value: unknown): unknown => {
  if (value instanceof Set) return { set: [...value].sort() };
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
};

/** The names of attributes in which two items differ. */
export const differences = (a: object, b: object): readonly string[] => {
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => canonical(one[name]) !== canonical(other[name]))
    .sort();
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Gone by its time-to-live, whether DynamoDB has come to it or not. */
export const isExpired = (item: Found, now: number): boolean =>
  typeof item?.ttl === 'number' && item.ttl * 1_000 <= now;

/** The value of what may throw because an item is damaged. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  }
}
