import { GatehouseError, stale } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, isSameKey, type Key, nodeKey } from '../../table/keys.ts';
import { type Action, type Condition, type Expected, keyOf, type Value } from '../../table/write/action.ts';
import { canonical, differences } from '../canonical.ts';
import type { Effect, Finding, FindingCode } from './finding.ts';

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

/** What a node says of another one. */
export const beside = (
  what: string,
  ref: Ref,
  other: Ref,
  judge: (node: Item, other: Found) => readonly Fault[],
): Relation => {
  const keys = [nodeKey(ref), nodeKey(other)];
  const name = [what, ...keys.map(({ PK }) => PK)].join(' ');
  return { name, keys, judge: ([node, found]) => (node ? judge(node, found) : []) };
};

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
type Derived = 'copy' | 'edge' | 'name' | 'rule';

/** How faults of a derived item are reported and repaired. */
interface Reporting {
  /** What is expected where it is missing, and where there must be none. */
  readonly missing: string;
  readonly leftOver: string;
  /** Whether what it follows from can be trusted, so that it is repaired. */
  readonly isSure: boolean;
  /** What a repair writes as well. */
  readonly also?: readonly Action[];
  /** What a missing or wrong one does, and one that must not be there. */
  readonly effects?: readonly [wrong: Effect, leftOver: Effect];
}

/** The faults of an item that follows from others. @param wanted undefined where there must be none */
export function faultsOf(
  what: Derived,
  key: Key,
  [wanted, found]: readonly [wanted: Found, found: Found],
  { missing, leftOver, isSure, also = [], effects: [wrong, unwanted] = ['none', 'none'] }: Reporting,
): readonly Fault[] {
  const repairBy = (action: Action) => (isSure ? [action, ...also] : undefined);
  if (!wanted) {
    const repair = repairBy({ kind: 'delete', key: { PK: key.PK, SK: key.SK } });
    return found ? [fault(`${what}_left_over`, key, leftOver, { effect: unwanted, repair })] : [];
  }
  const repaired = { effect: wrong, repair: repairBy({ kind: 'put', item: wanted }) };
  if (!found) return [fault(`${what}_missing`, key, missing, repaired)];
  return differences(found, wanted).map((attribute) =>
    fault(`${what}_differs`, key, canonical(wanted[attribute]) || 'none', { attribute, ...repaired }),
  );
}

export const toFinding = ({ repair, ...fault }: Fault): Finding => ({
  ...fault,
  dangerous: fault.effect === 'opens' || fault.effect === 'either',
  repairable: repair !== undefined,
});

/** Attempts of what concurrent changes interrupt. */
export const MAX_TRIES = 5;

/** Attributes that every write changes. */
const MARKS = ['Type', 'rev', 'writtenAt', 'writeId', 'updatedAt'];

/** The condition that an item is as it was read. */
const asRead = (item: Found): Condition =>
  item
    ? { exists: true, equals: Object.fromEntries(MARKS.map((mark) => [mark, item[mark] as Expected])) }
    : { exists: false };

/** That an item is as it was read; what is refused otherwise is planned anew. */
export const unchanged = (key: Key, item: Found) => ({
  when: asRead(item),
  failure: () => stale(`${key.PK} / ${key.SK}`),
});

/** An item in the place of one that was read. */
export const replacing = (before: Found, item: Item): Action => ({
  kind: 'put',
  item,
  ...unchanged(item, before),
});

/** The writes, on condition that all items of the relation are as they were read. */
export function guarded(
  keys: readonly Key[],
  items: readonly Found[],
  actions: readonly Action[],
): readonly Action[] {
  const conditionOf = (key: Key) => unchanged(key, items[keys.findIndex((each) => isSameKey(each, key))]);
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

/** Whether the time-to-live of an item says that it goes. */
export const isPast = (item: Readonly<Record<string, unknown>> | undefined, now: number): boolean =>
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
