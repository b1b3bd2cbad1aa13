import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { cursorAfter, encodeCursor, placeOf } from '../../table/read/pages.ts';
import type { ListQuery, Reader } from '../../table/reader.ts';
import { noNotes } from '../../table/reader.ts';
import { type Action, create, type Failure } from '../../table/write/action.ts';
import type { WriteNotes, Writer } from '../../table/writer.ts';
import { refusalOf } from './support.ts';

/** A table as everything above knows it. */
export interface Store {
  readonly reader: Reader;
  readonly writer: Writer;
}

const KB = 1024;
const newPartition = (): string => `CONFORMANCE#${ulid()}`;
const keysOf = (PK: string, count: number): readonly Item[] =>
  Array.from({ length: count }, (_, n) => ({ PK, SK: `ITEM#${String(n).padStart(4, '0')}` }));
const put = (item: Item): Action => ({ kind: 'put', item });
const keyIn = ({ PK, SK }: Key): Key => ({ PK, SK });
const sortKeys = (items: readonly Item[]): readonly string[] => items.map(({ SK }) => SK);

/** A failure by name, which tells what was found. */
const named =
  (name: string): Failure =>
  (found) =>
    new GatehouseError('conflict', `${name}: ${found ? JSON.stringify(found.value ?? null) : 'nothing'}`);

/** In what an engine is known not to do as DynamoDB does; a case fails when it does after all. */
export interface Differences {
  /** `begins_with` takes letters of either case. */
  readonly ignoresCaseOfPrefixes?: boolean;
  /** A snapshot may be larger than 4 MB. */
  readonly readsLargeSnapshots?: boolean;
}

/** The same cases for whatever stands behind the ports. A case has a partition of its own. */
export function conforms(open: () => Promise<Store>, differences: Differences = {}): void {
  let reader: Reader;
  let writer: Writer;
  beforeAll(async () => {
    ({ reader, writer } = await open());
  });
  const fill = async (items: readonly Item[], together = 100): Promise<void> => {
    for (let n = 0; n < items.length; n += together) await writer.send(items.slice(n, n + together).map(put));
  };
  const pagesOf = async (query: ListQuery): Promise<readonly (readonly Item[])[]> => {
    const pages: (readonly Item[])[] = [];
    let cursor: string | undefined;
    do {
      const page = await reader.list({ ...query, cursor });
      pages.push(page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return pages;
  };

  describe('a condition', () => {
    const item = (value: unknown): Item => ({ PK: newPartition(), SK: 'META', value });
    const check = (key: Key, equals: NonNullable<Action['when']>['equals'], exists = true): Action => ({
      kind: 'check',
      key: keyIn(key),
      when: { exists, ...(equals === undefined ? {} : { equals }) },
      failure: named('check'),
    });

    test('that an item is not there', async () => {
      const first = item('first');
      await writer.send([create(first, named('create'))]);
      expect(
        await refusalOf(() => writer.send([create({ ...first, value: 'second' }, named('create'))])),
      ).toMatchObject({ code: 'conflict', message: 'create: "first"' });
      expect(await reader.get(first)).toEqual(first);
    });

    test('that one is there, and what is found when it is not', async () => {
      expect((await refusalOf(() => writer.send([check(item(0), undefined)])))?.message).toBe(
        'check: nothing',
      );
    });

    test.each([
      ['a text', 'x', 'y'],
      ['a number', 1.5, 2],
      ['a truth', false, true],
      ['a list', ['a', 'b'], ['b', 'a']],
      ['a set', new Set(['a', 'b']), new Set(['a'])],
      ['a set within another', new Set(['a']), new Set(['a', 'b'])],
      ['a set of as many', new Set(['a', 'b']), new Set(['a', 'c'])],
    ])('of %s: it is, and is not', async (_what, value, other) => {
      const one = item(value);
      await writer.send([put(one)]);
      await writer.send([check(one, { value })]);
      expect(await refusalOf(() => writer.send([check(one, { value: other })]))).toMatchObject({
        code: 'conflict',
      });
      expect(await refusalOf(() => writer.send([check(one, { value: String(value) + 1 })]))).toMatchObject({
        code: 'conflict',
      });
    });

    test('of a set holds in any order of its members', async () => {
      const one = item(new Set(['a', 'b']));
      await writer.send([put(one)]);
      await writer.send([check(one, { value: new Set(['b', 'a']) })]);
    });

    test('that an attribute is not there', async () => {
      const one = item('x');
      await writer.send([put(one)]);
      await writer.send([check(one, { value: 'x', other: undefined })]);
      expect((await refusalOf(() => writer.send([check(one, { value: undefined })])))?.message).toBe(
        'check: "x"',
      );
    });

    test('that a number is not larger; what is not there is none', async () => {
      const one = item('x');
      await writer.send([put({ ...one, count: 2 })]);
      const atMost = (name: string, most: number): Action => ({
        kind: 'update',
        key: keyIn(one),
        add: { [name]: 1 },
        when: { atMost: { [name]: most } },
        failure: named('check'),
      });
      expect(await refusalOf(() => writer.send([atMost('count', 1)]))).toMatchObject({ code: 'conflict' });
      await writer.send([atMost('count', 2)]);
      await writer.send([atMost('other', 0)]);
      expect(await reader.get(one)).toEqual({ ...one, count: 3, other: 1 });
    });

    test('every condition that failed is noted, in the order of the actions; the first is thrown', async () => {
      const [a, b, c] = [item('a'), item('b'), item('c')];
      await writer.send([put(a), put(c)]);
      const notes: WriteNotes = { failures: [] };
      const actions = [create(a, named('first')), create(b, named('second')), create(c, named('third'))];
      expect((await refusalOf(() => writer.send(actions, notes)))?.message).toBe('first: "a"');
      expect(notes.failures.map(({ message }) => message)).toEqual(['first: "a"', 'third: "c"']);
    });

    test('that fails keeps everything from happening; the first action that failed speaks', async () => {
      const [a, b, c] = [item('a'), item('b'), item('c')];
      await writer.send([put(b), put(c)]);
      const refusal = await refusalOf(() =>
        writer.send([
          create(a, named('a')),
          {
            kind: 'update',
            key: keyIn(b),
            set: { value: 'changed' },
            when: { exists: false },
            failure: named('b'),
          },
          { kind: 'delete', key: keyIn(c), when: { exists: false }, failure: named('c') },
        ]),
      );
      expect(refusal?.message).toBe('b: "b"');
      expect(await reader.getMany([a, b, c])).toEqual([undefined, b, c]);
    });

    test('is judged by what stood before the transaction, whatever else is in it', async () => {
      const [a, b] = [item('a'), item('b')];
      await writer.send([put(a), check(b, undefined, false)]);
      expect(await reader.get(a)).toEqual(a);
    });
  });

  describe('an update', () => {
    const update = (key: Key, change: Omit<Extract<Action, { kind: 'update' }>, 'kind' | 'key'>): Action => ({
      kind: 'update',
      key,
      ...change,
    });
    const key = (): Item => ({ PK: newPartition(), SK: 'META' });

    test('creates the item when there is none', async () => {
      const one = key();
      await writer.send([update(one, { set: { a: 1 }, add: { count: 2, names: new Set(['x']) } })]);
      expect(await reader.get(one)).toEqual({ ...one, a: 1, count: 2, names: new Set(['x']) });
    });

    test('sets, removes, adds and takes out, and leaves the rest', async () => {
      const one = {
        ...key(),
        gone: 'x',
        kept: ['y'],
        count: 3,
        names: new Set(['a', 'b']),
        less: new Set(['c', 'd']),
      };
      await writer.send([put(one)]);
      await writer.send([
        update(
          { PK: one.PK, SK: one.SK },
          {
            set: { a: { deep: [1, 'two', true, null] } },
            remove: ['gone', 'never-there'],
            add: { count: -5, names: new Set(['b', 'c']) },
            takeOut: { less: new Set(['d', 'e']), absent: new Set(['f']) },
          },
        ),
      ]);
      const { gone: _, ...rest } = one;
      expect(await reader.get(one)).toEqual({
        ...rest,
        a: { deep: [1, 'two', true, null] },
        count: -2,
        names: new Set(['a', 'b', 'c']),
        less: new Set(['c']),
      });
    });

    test('that takes the last member out takes the set away', async () => {
      const one = { ...key(), names: new Set(['a', 'b']) };
      await writer.send([put(one)]);
      await writer.send([update(keyIn(one), { takeOut: { names: new Set(['a', 'b']) } })]);
      expect(await reader.get(one)).toEqual({ PK: one.PK, SK: one.SK });
      // So a condition on it asks for nothing.
      await writer.send([
        {
          kind: 'check',
          key: keyIn(one),
          when: { exists: true, equals: { names: undefined } },
          failure: named('check'),
        },
      ]);
    });

    test('that changes nothing is its condition', async () => {
      const one = key();
      const nothing: Action = {
        kind: 'update',
        key: one,
        set: {},
        when: { exists: true },
        failure: named('nothing'),
      };
      expect((await refusalOf(() => writer.send([nothing])))?.message).toBe('nothing: nothing');
      await writer.send([put(one)]);
      await writer.send([nothing]);
      expect(await reader.get(one)).toEqual(one);
    });
  });

  describe('a value', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'end' : [nested(levels - 1)]);
    const kept: readonly unknown[] = [
      ...[0, -1, 0.1, 1e-130, -1e-130, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1.5e15],
      ...['', '😀', '\u0000', '#', true, false, null, [], {}, [null, [[]], { a: {} }], nested(20)],
      ...[
        { toString: 1, hasOwnProperty: 'x', length: 3, PK: 'x' },
        new Set(['a', '']),
        { 'a.b': 1, '#n0': 2 },
      ],
    ];
    test.each(kept.map((value) => [value]))('%j is kept as it is', async (value) => {
      const item = {
        PK: newPartition(),
        SK: 'META',
        value,
        within: { value: value instanceof Set ? 1 : value },
      };
      await writer.send([put(item)]);
      expect(await reader.get(item)).toEqual(item);
      await writer.send([{ kind: 'update', key: keyIn(item), set: { again: value as string } }]);
      expect(await reader.get(item)).toEqual({ ...item, again: value });
    });

    const refused: readonly (readonly [string, unknown])[] = [
      ...[1e-200, 5e-324, 9.9e-131, 1e16, -1e200, Number.NaN, Number.POSITIVE_INFINITY].map(
        (number): [string, unknown] => [`the number ${number}`, number],
      ),
      ['a text with half a character', 'a\ud800b'],
      ['an empty set', new Set()],
      ['a set with half a character', new Set(['a', '\udc00'])],
      ['more than 32 levels', nested(33)],
      ['3,000 levels', nested(3_000)],
      ['a date', new Date(0)],
      ['a function', () => 1],
      ['a big integer', 1n],
    ];
    test.each(refused)('is refused that is %s', async (_, value) => {
      const key = { PK: newPartition(), SK: 'META' };
      const attempts: readonly (readonly [string, Action])[] = [
        ['value', put({ ...key, value })],
        ['value', { kind: 'update', key, set: { value: value as string } }],
        ['deep.list.1', put({ ...key, deep: { list: [0, value] } })],
      ];
      for (const [field, action] of attempts) {
        const refusal = await refusalOf(() => writer.send([action]));
        expect(refusal?.code).toBe('invalid');
        expect(refusal?.field?.startsWith(field)).toBe(true);
      }
      expect(await reader.get(key)).toBeUndefined();
    });

    test.each(['constructor', '__proto__', '', '\ud800'])('named %j in a map is refused', async (name) => {
      const map = Object.defineProperty({}, name, { value: 1, enumerable: true });
      const key = { PK: newPartition(), SK: 'META' };
      expect(await refusalOf(() => writer.send([put({ ...key, in: [{ map }] })]))).toMatchObject({
        code: 'invalid',
        field: `in.0.map.${name}`,
      });
    });
  });

  test('deleting what is not there changes nothing, and is no fault', async () => {
    const key = { PK: newPartition(), SK: 'META' };
    await writer.send([{ kind: 'delete', key }]);
    expect(await reader.get(key)).toBeUndefined();
  });

  test('undefined is no attribute; what was written or read is nobody else’s', async () => {
    const item = { PK: newPartition(), SK: 'META', nothing: undefined, names: new Set(['a']), list: ['x'] };
    const written = { PK: item.PK, SK: item.SK, names: new Set(['a']), list: ['x'] };
    await writer.send([put(item)]);
    item.names.add('b');
    item.list.push('y');
    const read = (await reader.get(item)) as typeof item;
    expect(read).toStrictEqual(written);
    read.names.add('c');
    read.list.push('z');
    expect(await reader.getSnapshot([item])).toStrictEqual([written]);
  });

  describe('a transaction', () => {
    test('holds 100 actions and no more', async () => {
      const keys = keysOf(newPartition(), 101);
      expect(await refusalOf(() => writer.send(keys.map(put)))).toMatchObject({ code: 'limit_exceeded' });
      expect(await reader.listAll({ ranges: [{ partition: keys[0]?.PK ?? '' }] })).toEqual([]);
      await writer.send(keys.slice(0, 100).map(put));
      expect(await reader.listAll({ ranges: [{ partition: keys[0]?.PK ?? '' }] })).toHaveLength(100);
    });

    test('has one action for each item, and at least one', async () => {
      const key = { PK: newPartition(), SK: 'META' };
      const twice: readonly Action[] = [put(key), { kind: 'delete', key }];
      for (const actions of [twice, []])
        expect(await refusalOf(() => writer.send(actions))).toMatchObject({ code: 'internal' });
      expect(await reader.get(key)).toBeUndefined();
    });

    test('holds 4 MB', async () => {
      const large = (count: number) =>
        keysOf(newPartition(), count).map((key) => ({ ...key, text: 'x'.repeat(390 * KB) }));
      const [enough, tooMuch] = [large(10), large(11)];
      await writer.send(enough.map(put));
      expect(await refusalOf(() => writer.send(tooMuch.map(put)))).toMatchObject({ code: 'limit_exceeded' });
      expect((await reader.getMany(enough)).every((item) => item !== undefined)).toBe(true);
      expect((await reader.getMany(tooMuch)).every((item) => item === undefined)).toBe(true);
    });

    test('writes no item of more than 400 KB, at once or by growing', async () => {
      const one = { PK: newPartition(), SK: 'META', text: 'ä'.repeat(199 * KB) };
      await writer.send([put(one)]);
      expect(await refusalOf(() => writer.send([put({ ...one, text: 'ä'.repeat(200 * KB) })]))).toMatchObject(
        { code: 'limit_exceeded' },
      );
      const grow: Action = { kind: 'update', key: keyIn(one), set: { more: 'x'.repeat(3 * KB) } };
      const beside = { PK: one.PK, SK: 'BESIDE' };
      expect(await refusalOf(() => writer.send([put(beside), grow]))).toMatchObject({
        code: 'limit_exceeded',
      });
      expect(await reader.get(beside)).toBeUndefined();
      expect(await reader.get(one)).toEqual(one);
    });

    test('and others on the same item: each counts once', async () => {
      const key = { PK: newPartition(), SK: 'META' };
      await Promise.all(
        Array.from({ length: 12 }, () => writer.send([{ kind: 'update', key, add: { count: 1 } }])),
      );
      expect(await reader.get(key)).toEqual({ ...key, count: 12 });
    });

    test('and others that create the same item: one of them does', async () => {
      const PK = newPartition();
      const tries = Array.from({ length: 12 }, (_, n) =>
        writer
          .send([create({ PK, SK: 'META', value: n }, named('create')), put({ PK, SK: `BESIDE#${n}` })])
          .then(
            () => 'created',
            (error: GatehouseError) => error.code,
          ),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(11);
      expect(await reader.listAll({ ranges: [{ partition: PK }] })).toHaveLength(2);
    });
  });

  describe('items by their keys', () => {
    test('come in the order of the keys, absent ones as undefined, repeated ones again, by 100 a call', async () => {
      const keys = keysOf(newPartition(), 230);
      await fill(keys.filter((_, n) => n % 3 !== 0));
      const asked = [...keys.slice(100), ...keys.slice(0, 110)];
      const notes = noNotes();
      const found = await reader.getMany(asked, notes);
      expect(found).toEqual(
        asked.map((key) => (keys.findIndex(({ SK }) => SK === key.SK) % 3 === 0 ? undefined : key)),
      );
      expect(notes).toMatchObject({ calls: 3 });
    });

    test('up to 100 are one call', async () => {
      const keys = keysOf(newPartition(), 100);
      await fill(keys);
      const notes = noNotes();
      expect(await reader.getMany(keys, notes)).toEqual(keys);
      expect(notes).toMatchObject({ calls: 1 });
    });

    test('none are no call', async () => {
      const notes = noNotes();
      expect(await reader.getMany([], notes)).toEqual([]);
      expect(notes.calls).toBe(0);
    });

    test('of more than 16 MB leave some unread, which are asked for again', async () => {
      const items = keysOf(newPartition(), 45).map((key) => ({ ...key, text: 'x'.repeat(390 * KB) }));
      await fill(items, 10);
      const notes = noNotes();
      const found = await reader.getMany(items, notes);
      expect(found.map((item) => item?.SK)).toEqual(items.map(({ SK }) => SK));
      expect(notes).toMatchObject({ calls: 2 });
    });

    test('cost a unit for each begun 4 KB', async () => {
      const [small, large] = keysOf(newPartition(), 2) as [Item, Item];
      await writer.send([put(small), put({ ...large, text: 'x'.repeat(5 * KB) })]);
      const notes = { ...noNotes(), units: 0 };
      await reader.getMany([small, large], notes);
      expect(notes.units).toBe(3);
      await reader.getSnapshot([small, large], notes);
      expect(notes.units).toBe(3 + 6);
    });
  });

  describe('a snapshot', () => {
    test('holds 100 items and no more, in the order of the keys', async () => {
      const keys = keysOf(newPartition(), 101);
      await fill(keys.slice(0, 50));
      const asked = keys.slice(0, 100).reverse();
      const notes = noNotes();
      expect(await reader.getSnapshot(asked, notes)).toEqual(
        asked.map((key) => (key.SK < 'ITEM#0050' ? key : undefined)),
      );
      expect(notes).toMatchObject({ calls: 1 });
      expect(await refusalOf(() => reader.getSnapshot(keys))).toMatchObject({ code: 'limit_exceeded' });
    });

    test('holds 4 MB', async () => {
      const items = keysOf(newPartition(), 11).map((key) => ({ ...key, text: 'x'.repeat(390 * KB) }));
      await fill(items, 10);
      expect(await reader.getSnapshot(items.slice(0, 10))).toEqual(items.slice(0, 10));
      if (differences.readsLargeSnapshots) expect(await reader.getSnapshot(items)).toEqual(items);
      else expect(await refusalOf(() => reader.getSnapshot(items))).toMatchObject({ code: 'limit_exceeded' });
    });

    test('is of one instant: never half of a transaction', async () => {
      const [a, b] = keysOf(newPartition(), 2) as [Item, Item];
      await writer.send([put({ ...a, n: 0 }), put({ ...b, n: 0 })]);
      const writing = (async () => {
        for (let n = 1; n <= 25; n++) await writer.send([put({ ...a, n }), put({ ...b, n })]);
      })();
      for (let n = 0; n < 25; n++) {
        const [first, second] = await reader.getSnapshot([a, b]);
        expect(first?.n).toBe(second?.n);
      }
      await writing;
    });
  });

  describe('a list', () => {
    test('notes its calls, and a unit for each begun 4 KB of all items together', async () => {
      const partition = newPartition();
      await fill(keysOf(partition, 5).map((key) => ({ ...key, text: 'x'.repeat(KB) })));
      const notes = { ...noNotes(), units: 0 };
      await reader.list({ ranges: [{ partition }], limit: 3 }, notes);
      expect(notes).toEqual({ calls: 1, units: 1 });
      await reader.listAll({ ranges: [{ partition }, { partition: newPartition() }] }, notes);
      expect(notes.calls).toBe(3);
      expect(notes.units).toBeGreaterThanOrEqual(1 + 2);
    });

    /**
     * In UTF-8: one, two, three, three and four bytes. JavaScript would put the last before the two others.
     */
    const TEXTS = ['A', 'Z', 'a', 'ab', 'z', 'é', '中', '\uE000', '\uFF5E', '\u{1F600}', '\u{10FFFF}'];

    test('is in the order of its sort keys in UTF-8 bytes', async () => {
      const partition = newPartition();
      await fill([...TEXTS].reverse().map((SK) => ({ PK: partition, SK })));
      expect(sortKeys(await reader.listAll({ ranges: [{ partition }] }))).toEqual(TEXTS);
    });

    test('goes page by page in that order, whatever the pages hold', async () => {
      const partition = newPartition();
      await fill(TEXTS.map((SK) => ({ PK: partition, SK })));
      for (const limit of [1, 2, 3, TEXTS.length]) {
        const pages = await pagesOf({ ranges: [{ partition }], limit });
        expect(pages.flatMap(sortKeys)).toEqual(TEXTS);
        expect(pages.every((page) => page.length <= limit)).toBe(true);
      }
    });

    test('is of what lies between two keys, or begins with a prefix', async () => {
      const partition = newPartition();
      await fill(TEXTS.map((SK) => ({ PK: partition, SK })));
      const between = async (first: string, last: string) =>
        sortKeys(await reader.listAll({ ranges: [{ partition, between: [first, last] }] }));
      expect(await between('\uFF5E', '\u{1F600}')).toEqual(['\uFF5E', '\u{1F600}']);
      expect(await between('b', '中')).toEqual(['z', 'é', '中']);
      expect(await between('\u{1F600}', '\uFF5E')).toEqual([]);
      expect(sortKeys(await reader.listAll({ ranges: [{ partition, prefix: 'a' }] }))).toEqual(
        differences.ignoresCaseOfPrefixes ? ['A', 'a', 'ab'] : ['a', 'ab'],
      );
      expect(await reader.listAll({ ranges: [{ partition: newPartition() }] })).toEqual([]);
    });

    test('of several ranges is one after the other', async () => {
      const [p, q] = [newPartition(), newPartition()];
      await fill([p, q].flatMap((PK) => [...keysOf(PK, 3), { PK, SK: 'OTHER' }]));
      const ranges = [{ partition: q, prefix: 'ITEM#' }, { partition: newPartition() }, { partition: p }];
      const expected = [...keysOf(q, 3), ...keysOf(p, 3), { PK: p, SK: 'OTHER' }];
      for (const limit of [1, 2, 3, 7, 100]) {
        const pages = await pagesOf({ ranges, limit });
        expect(pages.flat()).toEqual(expected);
        // No page but the last is short.
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    });

    test('that keeps some items fills its pages with them', async () => {
      const partition = newPartition();
      await fill(keysOf(partition, 250));
      const keep = ({ SK }: Item) => Number(SK.slice(-4)) % 10 === 0;
      const pages = await pagesOf({ ranges: [{ partition }], limit: 10, keep });
      expect(pages.map((page) => page.length).filter((length) => length > 0)).toEqual([10, 10, 5]);
      expect(pages.flat().every(keep)).toBe(true);
    });

    test('goes backwards where it is asked to, page by page', async () => {
      const partition = newPartition();
      await fill([...TEXTS, 'a#1', 'a#2'].map((SK) => ({ PK: partition, SK })));
      for (const limit of [1, 2, 3, 20]) {
        const pages = await pagesOf({ ranges: [{ partition }], limit, descending: true });
        const all = [...TEXTS.slice(0, 3), 'a#1', 'a#2', ...TEXTS.slice(3)];
        expect(pages.flatMap(sortKeys)).toEqual(all.reverse());
        expect(pages.every((page) => page.length <= limit)).toBe(true);
      }
      const of = async (range: object) =>
        sortKeys(await reader.listAll({ ranges: [{ partition, ...range }], descending: true }));
      expect(await of({ prefix: 'a#' })).toEqual(['a#2', 'a#1']);
      expect(await of({ between: ['b', '中'] })).toEqual(['中', 'é', 'z']);
      expect(await of({ between: ['中', 'b'] })).toEqual([]);
    });

    test('refuses the cursor of the other direction', async () => {
      const partition = newPartition();
      await fill(keysOf(partition, 3));
      const ranges = [{ partition }];
      const { cursor } = await reader.list({ ranges, limit: 1 });
      expect(await refusalOf(() => reader.list({ ranges, cursor, descending: true }))).toMatchObject({
        code: 'invalid',
        field: 'cursor',
      });
    });

    test('of more than 1 MB is one page all the same', async () => {
      const partition = newPartition();
      const items = keysOf(partition, 30).map((key) => ({ ...key, text: 'x'.repeat(90 * KB) }));
      await fill(items);
      const page = await reader.list({ ranges: [{ partition }], limit: 100 });
      expect(sortKeys(page.items)).toEqual(sortKeys(items));
      expect(page.cursor).toBeUndefined();
    });

    test('goes on after its last item, by a cursor that every table writes alike', async () => {
      const partition = newPartition();
      await fill(keysOf(partition, 5));
      const ranges = [{ partition }];
      const { items, cursor } = await reader.list({ ranges, limit: 2 });
      expect(cursor).toBe(cursorAfter({ ranges }, placeOf(items[1] as Item, undefined)));
      const rest = await reader.list({ ranges, limit: 100, cursor });
      expect(sortKeys(rest.items)).toEqual(['ITEM#0002', 'ITEM#0003', 'ITEM#0004']);
    });

    test('goes on behind an item that is gone since', async () => {
      const partition = newPartition();
      await fill(keysOf(partition, 4));
      const { cursor } = await reader.list({ ranges: [{ partition }], limit: 2 });
      await writer.send([{ kind: 'delete', key: { PK: partition, SK: 'ITEM#0001' } }]);
      const rest = await reader.list({ ranges: [{ partition }], cursor });
      expect(sortKeys(rest.items)).toEqual(['ITEM#0002', 'ITEM#0003']);
    });

    test('refuses the cursor of another list, and a place outside of its range', async () => {
      const [partition, other] = [newPartition(), newPartition()];
      await fill([...keysOf(partition, 3), ...keysOf(other, 3)]);
      const ranges = [{ partition, prefix: 'ITEM#' }];
      const { cursor: foreign } = await reader.list({ ranges: [{ partition: other }], limit: 1 });
      const places = [
        { PK: other, SK: 'ITEM#0000' },
        { PK: partition, SK: 'OTHER' },
        { PK: partition },
        { SK: 'ITEM#0000' },
        { PK: partition, SK: 'ITEM#0000', GSI1PK: 'x', GSI1SK: 'y' },
      ];
      for (const cursor of [foreign, 'x', ...places.map((place) => cursorAfter({ ranges }, place as never))])
        expect(await refusalOf(() => reader.list({ ranges, cursor }))).toMatchObject({
          code: 'invalid',
          field: 'cursor',
        });
    });

    test.each([0, 1_001, 1.5])('refuses %d as its limit', async (limit) => {
      expect(await refusalOf(() => reader.list({ ranges: [{ partition: 'x' }], limit }))).toMatchObject({
        code: 'invalid',
        field: 'limit',
      });
    });
  });

  describe('an index', () => {
    const at = (partition: string, sort: string, name: string): Item => ({
      PK: newPartition(),
      SK: 'META',
      name,
      GSI1PK: partition,
      GSI1SK: sort,
    });
    const namesIn = async (partition: string, more: object = {}) =>
      (await pagesOf({ ranges: [{ partition }], index: 'GSI1', ...more })).flat().map(({ name }) => name);
    /** An index follows the table; how soon, nobody says. */
    const eventually = (partition: string, names: readonly string[]) =>
      expect.poll(() => namesIn(partition), { timeout: 20_000 }).toEqual(names);

    test('holds the items that have its keys, in their order, and follows what changes', async () => {
      const [here, there] = [newPartition(), newPartition()];
      const [a, b, c] = [at(here, '3', 'a'), at(here, '1', 'b'), at(here, '2', 'c')];
      await fill([a, b, c, { PK: newPartition(), SK: 'META' }]);
      await eventually(here, ['b', 'c', 'a']);
      await writer.send([
        { kind: 'update', key: keyIn(a), set: { GSI1PK: there } },
        { kind: 'update', key: keyIn(b), remove: ['GSI1PK', 'GSI1SK'] },
        { kind: 'delete', key: keyIn(c) },
      ]);
      await eventually(here, []);
      await eventually(there, ['a']);
      expect(await reader.get(b)).toEqual({ PK: b.PK, SK: b.SK, name: 'b' });
    });

    test('is read page by page, also where items share a sort key', async () => {
      const partition = newPartition();
      const names = Array.from({ length: 9 }, (_, n) => String(n));
      await fill(names.map((name, n) => at(partition, n < 4 ? 'same' : 'then', name)));
      await expect.poll(() => namesIn(partition), { timeout: 20_000 }).toHaveLength(9);
      for (const limit of [1, 2, 4, 9]) expect((await namesIn(partition, { limit })).sort()).toEqual(names);
    });

    test('of several partitions is one list in the order of its sort keys', async () => {
      const partitions = [newPartition(), newPartition(), newPartition()];
      const sorts = ['a', 'b', 'c', 'd', '\uFF5E', '\u{1F600}', '\u{1F601}'];
      await fill(sorts.map((sort, n) => at(partitions[n % 3] as string, sort, sort)));
      for (const [n, partition] of partitions.entries())
        await eventually(
          partition,
          sorts.filter((_, position) => position % 3 === n),
        );
      const between = ['b', '\u{1F600}'] as const;
      const all = ['b', 'c', 'd', '\uFF5E', '\u{1F600}'];
      for (const descending of [false, true])
        for (const limit of [1, 2, 5]) {
          const found: unknown[] = [];
          let cursor: string | undefined;
          do {
            const query = { partitions, between, index: 'GSI1', limit, cursor, descending } as const;
            const page = await reader.listMerged(query);
            expect(page.items.length).toBeLessThanOrEqual(limit);
            found.push(...page.items.map(({ name }) => name));
            cursor = page.cursor;
          } while (cursor !== undefined);
          expect(found).toEqual(descending ? all.toReversed() : all);
        }
      // A cursor that somebody made leads nowhere outside the list.
      const query = { partitions, between, index: 'GSI1', limit: 1 } as const;
      const { cursor: given = '' } = await reader.listMerged(query);
      const [list] = JSON.parse(Buffer.from(given, 'base64url').toString());
      for (const after of [{ last: 'a' }, { last: '\u{1F601}' }, {}])
        expect(
          await refusalOf(() =>
            reader.listMerged({ ...query, cursor: encodeCursor(list, { range: 0, after }) }),
          ),
        ).toMatchObject({ code: 'invalid', field: 'cursor' });
    });
  });
}
