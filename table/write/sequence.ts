import { type GatehouseError, stale } from '../errors.ts';
import { FORM } from '../form.ts';
import type { Item } from '../item.ts';
import { type Action, type Condition, type Expected, keyOf, type Update, type Value } from './action.ts';
import { updateFor } from './other-form.ts';

/**
 * Two actions on one item, one after the other, as one action: DynamoDB takes only one of each item in a
 * transaction. What the later one asks for is judged by what the earlier one leaves. Where both together
 * cannot be said without knowing the item, it must still be as it was read.
 */

/** What an item is after an action on it. */
export function after(item: Item | undefined, action: Action): Item | undefined {
  if (action.kind === 'put') return action.item;
  if (action.kind === 'delete') return undefined;
  return action.kind === 'check' ? item : updated(item ?? { ...keyOf(action) }, updateFor(item, action));
}

function updated(before: Item, { set, remove, add, takeOut, initial }: Update): Item {
  const item: Record<string, unknown> = { ...initial, ...before, ...set };
  for (const attribute of remove ?? []) delete item[attribute];
  for (const [attribute, value] of Object.entries(add ?? {})) {
    const old = item[attribute];
    if (typeof value === 'number') item[attribute] = (typeof old === 'number' ? old : 0) + value;
    else item[attribute] = new Set([...(old instanceof Set ? old : []), ...value]);
  }
  for (const [attribute, members] of Object.entries(takeOut ?? {})) {
    const old = item[attribute];
    if (!(old instanceof Set)) continue;
    const left = [...old].filter((member) => !members.has(member));
    if (left.length > 0) item[attribute] = new Set(left);
    else delete item[attribute];
  }
  return item as Item;
}

/** Whether an item is as a condition wants it. */
export const meets = (item: Item | undefined, { exists, equals, atMost, form }: Condition): boolean =>
  (exists === undefined || exists === (item !== undefined)) &&
  !(form !== undefined && Number(item?.[FORM]) > form) &&
  Object.entries(equals ?? {}).every(([attribute, expected]) => isSame(item?.[attribute], expected)) &&
  Object.entries(atMost ?? {}).every(
    ([attribute, most]) => item?.[attribute] === undefined || (item[attribute] as number) <= most,
  );

function isSame(value: unknown, expected: Expected): boolean {
  if (Array.isArray(value) && Array.isArray(expected))
    return JSON.stringify(value) === JSON.stringify(expected);
  if (value instanceof Set && expected instanceof Set)
    return value.size === expected.size && [...value].every((each) => expected.has(each));
  return value === expected;
}

function judge(item: Item | undefined, { when, failure }: Action): void {
  if (when && failure && !meets(item, when)) throw failure(item);
}

/**
 * One action that does what both do. `base` is the item as it was read before them.
 *
 * @throws the failure of either, where `base` says that it will fail
 */
export function inSequence(base: Item | undefined, earlier: Action, later: Action): Action {
  judge(base, earlier);
  const between = after(base, earlier);
  judge(between, later);
  const last = after(between, later);
  const united =
    earlier.kind === 'update' && later.kind === 'update' ? uniteUpdates(earlier, later, last) : undefined;
  const when = conditionOf(base, earlier, later, united?.resting ?? []);
  const asked = when ? { when, failure: failureOf(earlier, later) } : {};
  if (united) return { ...united.update, ...asked };
  if (later.kind === 'check') return { ...earlier, ...asked } as Action;
  if (earlier.kind === 'check') return { ...later, ...asked } as Action;
  if (last) return { kind: 'put', item: last, ...asked };
  const key = keyOf(earlier);
  // What was only being created and is not wanted after all: nothing is written.
  if (base === undefined && when) return { kind: 'check', key, when, failure: failureOf(earlier, later) };
  return { kind: 'delete', key, ...asked };
}

/** The item must be as it was read in all that either of both looks at, or that the whole rests on. */
function conditionOf(
  base: Item | undefined,
  earlier: Action,
  later: Action,
  resting: readonly string[],
): Condition | undefined {
  const isFresh = earlier.kind === 'put' || earlier.kind === 'delete';
  // Upon what the earlier one puts there, the later one asks nothing of the table.
  const asking = [earlier.when, isFresh ? undefined : later.when].filter((when) => when !== undefined);
  if (asking.length === 0 && resting.length === 0) return undefined;
  // What an unconditional update would have made is there for the later one, whatever the table has.
  const isMade = earlier.kind === 'update' && !earlier.when && resting.length === 0;
  const looking = asking.flatMap(({ equals, atMost }) => Object.keys({ ...equals, ...atMost }));
  if (isMade && looking.length === 0) return undefined;
  const names = [...new Set([...looking, ...resting])];
  const exists = base !== undefined;
  return names.length === 0 || !exists
    ? { exists }
    : { exists, equals: Object.fromEntries(names.map((name) => [name, base[name] as Expected])) };
}

const failureOf =
  (earlier: Action, later: Action) =>
  (found: Item | undefined): GatehouseError => {
    if (earlier.when && earlier.failure && !meets(found, earlier.when)) return earlier.failure(found);
    const between = after(found, earlier);
    if (later.when && later.failure && !meets(between, later.when)) return later.failure(between);
    const { PK, SK } = keyOf(later);
    return stale(`${PK} / ${SK}`);
  };

const OPERATIONS = ['set', 'remove', 'add', 'takeOut'] as const;
type Operation = (typeof OPERATIONS)[number];

const operationsOf = (update: Update): ReadonlyMap<string, Operation> =>
  new Map(
    OPERATIONS.flatMap((operation) => {
      const part = update[operation] ?? {};
      const names = Array.isArray(part) ? (part as readonly string[]) : Object.keys(part);
      return names.map((name): [string, Operation] => [name, operation]);
    }),
  );

/** Both updates as one, and the attributes whose new value follows from the one that was read. */
function uniteUpdates(
  earlier: Update,
  later: Update,
  last: Item | undefined,
): { readonly update: Update; readonly resting: readonly string[] } {
  const [first, second] = [operationsOf(earlier), operationsOf(later)];
  const set: Record<string, Value> = {};
  const remove: string[] = [];
  const add: Record<string, number | Set<string>> = {};
  const takeOut: Record<string, Set<string>> = {};
  const resting: string[] = [];
  const settle = (name: string): void => {
    const value = last?.[name] as Value | undefined;
    if (value === undefined) remove.push(name);
    else set[name] = value;
  };
  for (const name of new Set([...first.keys(), ...second.keys()])) {
    const [a, b] = [first.get(name), second.get(name)];
    const overrides = [a, b].some((each) => each === 'set' || each === 'remove');
    if (overrides) settle(name);
    else if (a !== undefined && b !== undefined && a !== b) {
      settle(name);
      resting.push(name);
    } else if ((a ?? b) === 'add') {
      const [x, y] = [earlier.add?.[name], later.add?.[name]];
      add[name] =
        x instanceof Set || y instanceof Set
          ? new Set([...((x as Set<string>) ?? []), ...((y as Set<string>) ?? [])])
          : (x ?? 0) + (y ?? 0);
    } else takeOut[name] = new Set([...(earlier.takeOut?.[name] ?? []), ...(later.takeOut?.[name] ?? [])]);
  }
  return { update: { kind: 'update', key: earlier.key, set, remove, add, takeOut }, resting };
}
