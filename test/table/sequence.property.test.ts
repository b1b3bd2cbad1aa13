import { expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { type Action, type Condition, keyOf } from '../../table/write/action.ts';
import { after, inSequence, meets } from '../../table/write/sequence.ts';
import * as fc from '../support/fast-check.ts';

/** Two actions on one item as one: on whatever item it is carried out, it does what both would have done. */
const key = { PK: 'USER#1', SK: 'META' };
const NAMES = ['a', 'b', 'c'];
/** Each attribute has a type of its own: a number, a set, a text. */
const numbers = fc.integer({ min: 0, max: 2 });
const sets = fc.subarray(['x', 'y', 'z'], { minLength: 1 }).map((members) => new Set(members));
const texts = fc.constantFrom('p', 'q');
const values = fc.record({ a: numbers, b: sets, c: texts }, { requiredKeys: [] });
const items = fc.option(
  values.map((value): Item => ({ ...key, ...value })),
  { nil: undefined },
);

const failure = () => new GatehouseError('conflict', 'not as it should be');
const equals = fc.option(
  fc.record(
    {
      a: fc.option(numbers, { nil: undefined }),
      b: fc.option(sets, { nil: undefined }),
      c: fc.option(texts, { nil: undefined }),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const conditions = fc.oneof(
  fc.constant({ when: { exists: false } }),
  equals.map((of) => ({ when: { exists: true, ...(of ? { equals: of } : {}) } })),
  numbers.map((a) => ({ when: { atMost: { a } } })),
);
const conditional = fc.option(
  conditions.map((when) => ({ ...when, failure })),
  { nil: undefined },
);
const updates = fc
  .record({
    of: fc.record({ a: numbers, b: sets, c: texts }),
    how: fc.record({
      a: fc.constantFrom('set', 'remove', 'add', ''),
      b: fc.constantFrom('set', 'remove', 'add', 'takeOut', ''),
      c: fc.constantFrom('set', 'remove', ''),
    }),
  })
  .map(({ of, how }) => {
    const part = (wanted: string) =>
      Object.fromEntries(
        Object.entries(of).filter(([name]) => how[name as keyof typeof how] === wanted),
      ) as never;
    return {
      kind: 'update' as const,
      key,
      set: part('set'),
      add: part('add'),
      takeOut: part('takeOut'),
      remove: Object.keys(part('remove')),
    };
  });
const actions: fc.Arbitrary<Action> = fc
  .tuple(
    fc.oneof(
      values.map((value) => ({ kind: 'put' as const, item: { ...key, ...value } })),
      { weight: 3, arbitrary: updates },
      fc.constant({ kind: 'delete' as const, key }),
    ),
    conditional,
  )
  .map(([action, asked]) => ({ ...action, ...asked }) as Action);
const checks: fc.Arbitrary<Action> = conditions.map(
  (when) => ({ kind: 'check', key, ...when, failure }) as Action,
);
const anyAction = fc.oneof({ weight: 6, arbitrary: actions }, checks);

const holds = (item: Item | undefined, when: Condition | undefined) =>
  when === undefined || meets(item, when);
const attempt = (base: Item | undefined, a: Action, b: Action): Action | undefined => {
  try {
    return inSequence(base, a, b);
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'conflict') return undefined;
    throw error;
  }
};

test('upon any item that it takes, one does what both do, and neither of both would have been refused', () => {
  let merged = 0;
  fc.assert(
    fc.property(items, items, anyAction, anyAction, anyAction, (base, other, a, b, c) => {
      const first = attempt(base, a, b);
      const whole = first && attempt(base, first, c);
      const goes = holds(base, a.when) && holds(after(base, a), b.when);
      expect(first !== undefined).toBe(goes);
      if (!whole) return;
      merged += 1;
      expect(holds(base, whole.when)).toBe(true);
      for (const item of [base, other]) {
        if (!holds(item, whole.when)) continue;
        expect(holds(item, a.when)).toBe(true);
        expect(holds(after(item, a), b.when)).toBe(true);
        const both = after(after(item, a), b);
        expect(holds(both, c.when)).toBe(true);
        expect(after(item, whole)).toEqual(after(both, c));
      }
    }),
    { numRuns: 3_000 },
  );
  expect(merged).toBeGreaterThan(50);
});

test('it does one thing to one attribute, and writes no empty set', () => {
  let updates = 0;
  fc.assert(
    fc.property(items, actions, actions, (base, a, b) => {
      const whole = attempt(base, a, b);
      if (whole?.kind !== 'update') return;
      updates += 1;
      expect(keyOf(whole)).toEqual(key);
      const names = [
        ...Object.keys(whole.set ?? {}),
        ...Object.keys(whole.add ?? {}),
        ...Object.keys(whole.takeOut ?? {}),
        ...(whole.remove ?? []),
      ];
      expect(names.length).toBe(new Set(names).size);
      expect(names.every((name) => NAMES.includes(name))).toBe(true);
      for (const value of Object.values(whole.set ?? {}))
        if (value instanceof Set) expect(value.size).toBeGreaterThan(0);
    }),
    { numRuns: 700 },
  );
  expect(updates).toBeGreaterThan(10);
});
