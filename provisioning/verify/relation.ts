import { GatehouseError, stale } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, isSameKey, type Key } from '../../table/keys.ts';
import { type Action, type Condition, type Expected, keyOf, type Value } from '../../table/write/action.ts';
import { canonical, differences } from '../canonical.ts';
import type { Finding, FindingCode } from './finding.ts';

/**
 * A condition over a few items. It is checked over what the walk has read and, before anything is
 * reported, again over a snapshot of the items.
 */
export interface Relation {
  /** The same relation has the same name, whichever of its items leads to it. */
  readonly name: string;
  readonly keys: readonly Key[];
  readonly judge: (items: readonly Found[]) => readonly Fault[];
  /** A cheaper check over some of its items; the whole relation is checked where this one fails. */
  readonly glance?: { readonly keys: readonly Key[]; readonly isFine: (items: readonly Found[]) => boolean };
}

export type Found = Item | undefined;

/** A finding with its repair. */
export interface Fault extends Omit<Finding, 'dangerous' | 'repairable'> {
  /** Writes to items of the relation; or the decision item that is to be made anew from nodes and edges. */
  readonly repair?: readonly Action[] | 'rebuild' | undefined;
}

type More = Partial<Pick<Fault, 'attribute' | 'effect' | 'repair'>>;

/** A fault; one of lists and look-ups only, unless an effect is given. */
export const fault = (code: FindingCode, key: Key, expected: string, more: More = {}): Fault => ({
  code,
  key: { PK: key.PK, SK: key.SK },
  expected,
  effect: 'none',
  ...more,
});

/** What derived items there are, by the codes of their faults. */
type Derived = 'copy' | 'edge' | 'guard' | 'name' | 'rule';

/** The faults of an item that must be there and as it is wanted. */
export const faultsOf = (what: Derived, wanted: Item, found: Found, missing: string, more: More = {}) =>
  found
    ? differences(found, wanted).map((attribute) =>
        fault(`${what}_differs`, wanted, canonical(wanted[attribute]) || 'none', { attribute, ...more }),
      )
    : [fault(`${what}_missing`, wanted, missing, more)];

export const toFinding = ({ repair, ...fault }: Fault): Finding => ({
  ...fault,
  key: { PK: fault.key.PK, SK: fault.key.SK },
  dangerous: fault.effect === 'opens' || fault.effect === 'either',
  repairable: repair !== undefined,
});

/** Attempts of what concurrent changes interrupt. */
export const MAX_TRIES = 5;

/** Attributes that every write changes. */
const MARKS = ['Type', 'rev', 'writtenAt', 'writeId', 'updatedAt'];

/** The condition that an item is as it was read. */
export const asRead = (item: Found): Condition =>
  item
    ? { exists: true, equals: Object.fromEntries(MARKS.map((mark) => [mark, item[mark] as Expected])) }
    : { exists: false };

const changed = (key: Key) => () => stale(`${key.PK} / ${key.SK}`);

/** The writes, on condition that all items of the relation are as they were read. */
export function guarded(
  keys: readonly Key[],
  items: readonly Found[],
  actions: readonly Action[],
): readonly Action[] {
  const conditionOf = (key: Key) => ({
    when: asRead(items[keys.findIndex((each) => isSameKey(each, key))]),
    failure: changed(key),
  });
  const written = new Set(actions.map((action) => identityOf(keyOf(action))));
  return [
    ...actions.map((action): Action => ({ ...action, ...conditionOf(keyOf(action)) })),
    ...keys
      .filter((key) => !written.has(identityOf(key)))
      .map((key): Action => ({ kind: 'check', key, ...conditionOf(key) })),
  ];
}

/** A change of a node, which increments its revision. */
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

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Past its time-to-live, whether DynamoDB has deleted it or not. */
export const isExpired = (item: Found, now: number): boolean =>
  typeof item?.ttl === 'number' && item.ttl * 1_000 <= now;

const MEANWHILE: ReadonlySet<string> = new Set(['stale', 'contended']);

/** Whether a transaction was refused because something came between: it may be made anew. */
export const isMeanwhile = (error: unknown): boolean =>
  error instanceof GatehouseError && MEANWHILE.has(error.code);

/** The result, or undefined where an item is damaged. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  }
}
