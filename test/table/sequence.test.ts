import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Action, Condition, Update } from '../../table/write/action.ts';
import { inSequence } from '../../table/write/sequence.ts';
import { refusalNow } from './support.ts';

/** Two actions on one item as one. What an action makes of an item, and when its condition is met: conformance.ts. */
const key = { PK: 'USER#1', SK: 'META' };
const item = (values: object): Item => ({ ...key, ...values });
const put = (values: object) => ({ kind: 'put' as const, item: item(values) });
const update = (changes: Partial<Update>): Update => ({ kind: 'update', key, ...changes });
const remove = { kind: 'delete' as const, key };
const asking = (who: string, exists: boolean, equals?: Condition['equals']) => ({
  when: equals ? { exists, equals } : { exists },
  failure: () => new GatehouseError('conflict', who),
});
const check = (who: string, exists: boolean) => ({ kind: 'check' as const, key, ...asking(who, exists) });
const [X, Y, XY] = [new Set(['x']), new Set(['y']), new Set(['x', 'y'])];

describe('two actions are one', () => {
  /** What is done, and under which condition. */
  const doneBy = (base: Item | undefined, earlier: Action, later: Action) => {
    const { failure, ...action } = inSequence(base, earlier, later);
    expect(failure === undefined).toBe(action.when === undefined);
    return action;
  };
  const nothing = { set: {}, remove: [], add: {}, takeOut: {} };
  const there = { when: { exists: true } };

  test.each<[string, Item | undefined, Action, Action, object]>([
    ['an update of what is put', undefined, put({ a: 1 }), update({ set: { b: 2 } }), put({ a: 1, b: 2 })],
    ['a put over an update', item({}), update({ set: { a: 1 } }), put({ b: 2 }), put({ b: 2 })],
    ['a put over a deletion', item({ a: 1 }), remove, put({ b: 2 }), put({ b: 2 })],
    ['an update of what is deleted', item({ a: 1 }), remove, update({ set: { b: 2 } }), put({ b: 2 })],
    ['a deletion of what is put', undefined, put({ a: 1 }), remove, remove],
    [
      'a deletion of what is created: nothing, where there was nothing',
      undefined,
      { ...put({ a: 1 }), ...asking('create', false) },
      remove,
      { kind: 'check', key, when: { exists: false } },
    ],
    [
      'a deletion of what is there',
      item({ a: 1 }),
      { ...update({ set: { a: 2 } }), ...asking('update', true) },
      remove,
      { ...remove, ...there },
    ],
    [
      'an update of what is put, whatever it asks for',
      item({}),
      put({ a: 1 }),
      { ...update({ set: { b: 2 } }), ...asking('update', true, { a: 1 }) },
      put({ a: 1, b: 2 }),
    ],
    [
      'a creation after a deletion',
      item({ a: 1 }),
      remove,
      { ...put({ b: 2 }), ...asking('create', false) },
      put({ b: 2 }),
    ],
    [
      'a check before an update',
      item({}),
      check('check', true),
      update({ set: { a: 1 } }),
      { ...update({ set: { a: 1 } }), ...there },
    ],
    [
      'a check after an update',
      item({}),
      { ...update({ set: { a: 1 } }), ...asking('update', true) },
      check('check', true),
      { ...update({ set: { a: 1 } }), ...there },
    ],
    [
      'a check after an update that makes what it asks for',
      undefined,
      update({ set: { a: 1 } }),
      check('check', true),
      update({ set: { a: 1 } }),
    ],
    ['two checks', item({}), check('one', true), check('two', true), check('two', true)],
  ])('%s', (_, base, earlier, later, expected) => {
    const { failure: __, ...wanted } = expected as Action;
    expect(doneBy(base, earlier, later)).toEqual(wanted);
  });

  test.each<[string, Partial<Update>, Partial<Update>, object]>([
    ['set different attributes', { set: { n: 1 } }, { set: { m: 2 } }, { set: { n: 1, m: 2 } }],
    ['set the same: the later one', { set: { n: 1 } }, { set: { n: 2 } }, { set: { n: 2 } }],
    ['remove what was set', { set: { n: 1 } }, { remove: ['n'] }, { remove: ['n'] }],
    ['set what was removed', { remove: ['n'] }, { set: { n: 1 } }, { set: { n: 1 } }],
    ['add to what was set', { set: { n: 1 } }, { add: { n: 2 } }, { set: { n: 3 } }],
    ['take out of what was set', { set: { s: XY } }, { takeOut: { s: X } }, { set: { s: Y } }],
    ['take all out of what was set', { set: { s: X } }, { takeOut: { s: X } }, { remove: ['s'] }],
    ['add to what was removed', { remove: ['n'] }, { add: { n: 2 } }, { set: { n: 2 } }],
    ['add numbers', { add: { n: 1, m: 5 } }, { add: { n: 2, o: 6 } }, { add: { n: 3, m: 5, o: 6 } }],
    ['add members', { add: { s: X } }, { add: { s: Y } }, { add: { s: XY } }],
    ['add members, the first', { add: { s: X } }, {}, { add: { s: X } }],
    ['add members, the second', {}, { add: { s: X } }, { add: { s: X } }],
    ['take members out', { takeOut: { s: X } }, { takeOut: { s: Y } }, { takeOut: { s: XY } }],
    ['take members out, the first', { takeOut: { s: X } }, {}, { takeOut: { s: X } }],
    ['take members out, the second', {}, { takeOut: { s: X } }, { takeOut: { s: X } }],
  ])('updates that %s', (_, earlier, later, expected) => {
    const base = item({ n: 10, s: XY });
    expect(doneBy(base, update(earlier), update(later))).toEqual(update({ ...nothing, ...expected }));
  });

  test.each<[string, Partial<Update>, Partial<Update>, Set<string>]>([
    ['add and take out', { add: { s: new Set(['z']) } }, { takeOut: { s: X } }, new Set(['y', 'z'])],
    ['take out and add', { takeOut: { s: X } }, { add: { s: new Set(['z']) } }, new Set(['y', 'z'])],
  ])('updates that %s rest on the set that was read', (_, earlier, later, s) => {
    expect(doneBy(item({ s: XY }), update(earlier), update(later))).toEqual({
      ...update({ ...nothing, set: { s } }),
      when: { exists: true, equals: { s: XY } },
    });
  });

  test.each<[string, Update, Update, Condition | undefined]>([
    ['neither', update({}), update({}), undefined],
    ['the first', { ...update({}), ...asking('', true) }, update({}), { exists: true }],
    ['the second: the first makes it', update({}), { ...update({}), ...asking('', true) }, undefined],
  ])('updates are conditional where %s asks for something', (_, earlier, later, when) => {
    expect(doneBy(item({ a: 1 }), earlier, later).when).toEqual(when);
  });

  test('updates of nothing are conditional on there being nothing', () => {
    const later = { ...update({}), ...asking('', true, { a: 1 }) };
    expect(doneBy(undefined, update({ set: { a: 1 } }), later).when).toEqual({ exists: false });
  });
});

describe('what fails', () => {
  const earlier = { ...update({ set: { b: 1 } }), ...asking('earlier', true) };
  const later = { ...update({ set: { c: 1 } }), ...asking('later', true, { a: 1, b: 1 }) };

  test('at once is the first that what was read does not meet', () => {
    expect(refusalNow(() => inSequence(undefined, earlier, later)).message).toBe('earlier');
    expect(refusalNow(() => inSequence(item({ a: 2 }), earlier, later)).message).toBe('later');
  });

  test('when it is sent is the first that what stands there then does not meet', () => {
    const { failure } = inSequence(item({ a: 1, b: 7 }), earlier, later);
    expect(failure?.(undefined).message).toBe('earlier');
    expect(failure?.(item({ a: 2 })).message).toBe('later');
    expect(failure?.(item({ a: 1, b: 8 }))).toMatchObject({ code: 'stale' });
  });

  test('is stale where neither asked for anything', () => {
    const [one, two] = [update({ add: { s: X } }), update({ takeOut: { s: Y } })];
    const { failure } = inSequence(item({ s: Y }), one, two);
    expect(failure?.(item({ s: XY }))).toMatchObject({
      code: 'stale',
      message: expect.stringContaining('USER#1 / META'),
    });
  });

  test('of what is only being created is its creation', () => {
    const create = { ...put({ a: 1 }), ...asking('create', false) };
    expect(inSequence(undefined, create, remove).failure?.(item({})).message).toBe('create');
  });
});
