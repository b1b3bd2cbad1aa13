import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Action, Check, Condition, Delete, Put, Update } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { refusalNow } from './support.ts';

/** The actions of one transaction, brought down to one for each item. */
const key = { PK: 'USER#1', SK: 'META' };
const update = (changes: Partial<Update>): Update => ({ kind: 'update', key, ...changes });
const remove = (changes: Partial<Delete> = {}): Delete => ({ kind: 'delete', key, ...changes });
const put = (item: Item = key): Put => ({ kind: 'put', item });
const check: Check = { kind: 'check', key, when: { exists: true }, failure: () => failed('check') };
const failed = (who: string) => new GatehouseError('conflict', who);
const asking = (who: string, when: Condition) => ({ when, failure: () => failed(who) });

/** The one action that several of one item become. */
function merged(...actions: readonly Action[]): Action {
  const [action, ...others] = mergeActions(actions);
  expect(others).toEqual([]);
  return action as Action;
}

test('actions on different items stay as they are, in their order', () => {
  const actions = [
    put(),
    put({ ...key, PK: 'META', SK: 'USER#1' }),
    put({ ...key, SK: 'GROUP#1' }),
    put({ ...key, PK: 'USER#2' }),
  ];
  expect(mergeActions(actions)).toEqual(actions);
});

describe('updates of one item unite', () => {
  test('in what they set, remove, add and take out', () => {
    const first = {
      set: { name: 'a', status: 'active' },
      remove: ['phone', 'mail'],
      add: { count: 1, members: new Set(['x']), mine: 5 },
      takeOut: { roles: new Set(['r']), my: new Set(['m']) },
    };
    const second = {
      set: { name: 'b', age: 7 },
      remove: ['mail', 'fax'],
      add: { count: 2, members: new Set(['y']), yours: 6 },
      takeOut: { roles: new Set(['s']), your: new Set(['y']) },
    };
    expect(merged(update(first), update(second))).toEqual({
      kind: 'update',
      key,
      set: { name: 'b', status: 'active', age: 7 },
      remove: ['phone', 'mail', 'fax'],
      add: { count: 3, members: new Set(['x', 'y']), mine: 5, yours: 6 },
      takeOut: { roles: new Set(['r', 's']), my: new Set(['m']), your: new Set(['y']) },
    });
  });

  test('in both of their forms, where one has another form or each has', () => {
    const apart = { attribute: 'roleTable', value: 'folded' } as const;
    const inBoth = (name: string) =>
      update({ set: { [name]: 1 }, otherForm: { ...apart, update: update({ set: { [name]: 2 } }) } });
    const plain = update({ set: { c: 1 } });
    const united = { set: { a: 1, c: 1 }, otherForm: { ...apart, update: { set: { a: 2, c: 1 } } } };
    expect(merged(inBoth('a'), plain)).toMatchObject(united);
    expect(merged(plain, inBoth('a'))).toMatchObject(united);
    expect(merged(inBoth('a'), inBoth('b'))).toMatchObject({
      otherForm: { update: { set: { a: 2, b: 2 } } },
    });
  });

  test('where each says something else', () => {
    const nothing = { set: {}, remove: [], add: {}, takeOut: {} };
    expect(merged(update({ set: { a: 1 } }), update({ remove: ['b'] }))).toEqual({
      ...update({ ...nothing, set: { a: 1 }, remove: ['b'] }),
    });
    expect(merged(update({ remove: ['b'] }), update({ set: { a: 1 } }))).toEqual({
      ...update({ ...nothing, set: { a: 1 }, remove: ['b'] }),
    });
  });

  test.each<[string, Partial<Update>, Partial<Update>]>([
    ['set and removed', { set: { a: 1 } }, { remove: ['a'] }],
    ['set and added to', { set: { a: 1 } }, { add: { a: 1 } }],
    ['added to and removed', { add: { a: 1 } }, { remove: ['a'] }],
    ['added to and taken out of', { add: { a: new Set(['x']) } }, { takeOut: { a: new Set(['x']) } }],
    ['taken out of and removed', { takeOut: { a: new Set(['x']) } }, { remove: ['a'] }],
  ])('but not where one attribute is %s', (_, first, second) => {
    const refusal = refusalNow(() => mergeActions([update(first), update(second)]));
    expect(refusal).toMatchObject({ code: 'internal', message: expect.stringContaining('to a of USER#1') });
  });
});

describe('a deletion', () => {
  test('swallows updates before and after it', () => {
    const change = update({ set: { a: 1 }, ...asking('update', { exists: true }) });
    expect(merged(change, remove())).toEqual(remove());
    expect(merged(remove(), change)).toEqual(remove());
    expect(merged(change, remove(), change, remove())).toEqual(remove());
  });

  test('of the same item is one, under the conditions of both', () => {
    const [first, second] = [
      asking('first', { exists: true }),
      asking('second', { exists: true, equals: { a: 1 } }),
    ];
    expect(merged(remove(first), remove(second))).toMatchObject({
      kind: 'delete',
      key,
      when: { exists: true, equals: { a: 1 } },
    });
  });
});

test.each<[string, readonly Action[]]>([
  ['two puts', [put(), put()]],
  ['a put and an update', [put(), update({})]],
  ['an update and a put', [update({}), put()]],
  ['a put and a deletion', [put(), remove()]],
  ['a deletion and a put', [remove(), put()]],
  ['a check and an update', [check, update({})]],
  ['an update and a check', [update({}), check]],
  ['a check and a deletion', [check, remove()]],
  ['a deletion and a check', [remove(), check]],
])('%s of one item are a fault of the caller', (_, actions) => {
  expect(refusalNow(() => mergeActions(actions))).toMatchObject({ code: 'internal' });
});

describe('conditions', () => {
  const exists = asking('first', { exists: true });
  const equal = asking('second', { exists: true, equals: { a: 1 } });
  const conditionsOf = (first: Partial<Update>, second: Partial<Update>) => {
    const { when, failure } = merged(update(first), update(second));
    return { when, found: failure?.({ ...key })?.message, missing: failure?.(undefined)?.message };
  };

  test('that a number is not larger stays, and counts once', () => {
    const first = asking('first', { exists: true });
    const counting = asking('second', { exists: true, atMost: { a: 1 } });
    expect(merged(update(first), update(counting))).toMatchObject({
      when: { exists: true, atMost: { a: 1 } },
    });
    expect(refusalNow(() => merged(update(counting), update(counting)))).toMatchObject({ code: 'internal' });
  });

  test('of both: the one that does not hold says how the write fails', () => {
    const first = asking('first', { exists: true, equals: { a: 1 } });
    const second = asking('second', { exists: true, equals: { b: 1 } });
    const { failure } = merged(update(first), update(second));
    expect(failure?.({ ...key, b: 1 })?.message).toBe('first');
    expect(failure?.({ ...key, a: 1 })?.message).toBe('second');
  });

  test.each<[string, Partial<Update>, Partial<Update>, ReturnType<typeof conditionsOf>]>([
    ['of neither are none', {}, {}, { when: undefined, found: undefined, missing: undefined }],
    ['of the first alone', exists, {}, { when: { exists: true }, found: 'first', missing: 'first' }],
    ['of the second alone', {}, exists, { when: { exists: true }, found: 'first', missing: 'first' }],
    [
      'of both: who asks for values speaks of an item that is there',
      exists,
      equal,
      { when: { exists: true, equals: { a: 1 } }, found: 'second', missing: 'first' },
    ],
    [
      'of both: the first, where the second asks for none',
      equal,
      exists,
      { when: { exists: true, equals: { a: 1 } }, found: 'second', missing: 'second' },
    ],
    [
      'of both, with the values that each wants',
      asking('first', { exists: true, equals: { a: 1, b: 2 } }),
      asking('second', { exists: true, equals: { b: 3, c: 4 } }),
      { when: { exists: true, equals: { a: 1, b: 3, c: 4 } }, found: 'first', missing: 'first' },
    ],
    [
      'without a failure are none',
      { when: { exists: true } },
      { when: { exists: true } },
      { when: undefined, found: undefined, missing: undefined },
    ],
    [
      'of the second without a failure are none',
      exists,
      { when: { exists: false } },
      { when: { exists: true }, found: 'first', missing: 'first' },
    ],
  ])('%s', (_, first, second, expected) => {
    expect(conditionsOf(first, second)).toEqual(expected);
  });

  test('that contradict each other are a fault of the caller', () => {
    const actions = [update(exists), update(asking('second', { exists: false }))];
    expect(refusalNow(() => mergeActions(actions))).toMatchObject({ code: 'internal' });
  });
});
