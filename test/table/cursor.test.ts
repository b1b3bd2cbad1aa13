import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor, type Position } from '../../table/read/pages.ts';
import * as fc from '../support/fast-check.ts';
import { anyText, refusalNow } from './support.ts';

const LIST = '\nUSER#1\nROLE#';
const position: Position = { range: 1, after: { PK: 'USER#1', SK: 'ROLE#2' } };

const anyPosition = fc.record({
  range: fc.nat({ max: 9 }),
  after: fc.option(fc.dictionary(anyText(6), anyText(20), { maxKeys: 4 }), { nil: undefined }),
});
const raw = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const refuses = (cursor: string, list = LIST, ranges = 10) =>
  expect(refusalNow(() => decodeCursor(list, cursor, ranges))).toMatchObject({
    code: 'invalid',
    field: 'cursor',
    retryable: false,
  });

test('a cursor is read back into the position it was made of', () => {
  const wellFormed = anyText().filter((list) => list.isWellFormed());
  fc.assert(
    fc.property(wellFormed, anyPosition, (list, { range, after }) => {
      fc.pre(JSON.stringify(after ?? null).isWellFormed());
      const expected = after === undefined ? { range } : { range, after };
      const cursor = encodeCursor(list, expected);
      fc.pre(cursor.length <= 2_048);
      expect(decodeCursor(list, cursor, 10)).toEqual(expected);
    }),
  );
});

test('a cursor goes into an address as it is', () => {
  expect(encodeCursor(LIST, position)).toMatch(/^[A-Za-z0-9_-]+$/);
});

test('the cursor of the longest list with the longest keys there are is not too long', () => {
  const permission = [1, 2, 3].map(() => 'p'.repeat(128)).join(':');
  const partitions = Array.from({ length: 16 }, (_, shard) => `LIST#PERMISSION#${shard}`);
  const list = ['GSI1', ...partitions.flatMap((partition) => [partition, ''])].join('\n');
  const after = {
    PK: `PERMISSION#${permission}`,
    SK: 'META',
    GSI1PK: 'LIST#PERMISSION#15',
    GSI1SK: permission,
  };
  expect(decodeCursor(list, encodeCursor(list, { range: 15, after }), 16)).toEqual({ range: 15, after });
});

describe('refused, with the field named:', () => {
  const other: readonly (readonly [what: string, list: string])[] = [
    ['another partition', '\nUSER#2\nROLE#'],
    ['another prefix', '\nUSER#1\nGROUP#'],
    ['an index', 'GSI1\nUSER#1\nROLE#'],
    ['more ranges', `${LIST}\nUSER#2\nROLE#`],
  ];
  test.each(other)('the cursor of a list with %s', (_what, list) => {
    refuses(encodeCursor(list, position));
    refuses(encodeCursor(LIST, position), list);
  });

  test('a cursor past the last range', () => {
    refuses(encodeCursor(LIST, { range: 2 }), LIST, 2);
    expect(decodeCursor(LIST, encodeCursor(LIST, { range: 1 }), 2)).toEqual({ range: 1 });
  });

  const forged: readonly (readonly [what: string, cursor: string])[] = [
    ['nothing', ''],
    ['no base64', '%%%%'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['a text', raw('x')],
    ['null', raw(null)],
    ['an object', raw({ 0: LIST, 1: 0, 2: null, length: 3 })],
    ['too few fields', raw([LIST, 0])],
    ['too many fields', raw([LIST, 0, null, 1])],
    ['a negative range', raw([LIST, -1, null])],
    ['half a range', raw([LIST, 0.5, null])],
    ['a range in a text', raw([LIST, '0', null])],
    ['no range', raw([LIST, null, null])],
    ['a position that is a text', raw([LIST, 0, 'USER#1'])],
    ['a position that is a list', raw([LIST, 0, ['USER#1']])],
    ['a position that is true', raw([LIST, 0, true])],
    ['a key that is a number', raw([LIST, 0, { PK: 1 }])],
    ['a key that is an object', raw([LIST, 0, { PK: { S: 'USER#1' } }])],
    ['a key that is null', raw([LIST, 0, { PK: null }])],
    ['6,145 characters', raw([LIST, 0, { PK: 'x'.repeat(4_600) }])],
  ];
  test.each(forged)('%s', (_what, cursor) => {
    refuses(cursor);
  });

  test('whatever else is not a cursor', () => {
    const junk = fc.oneof(
      anyText(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    fc.assert(
      fc.property(junk, (cursor) => {
        refuses(cursor);
      }),
    );
  });
});

test('a key named like part of every object is only a key', () => {
  const cursor = Buffer.from(`["${LIST.replaceAll('\n', '\\n')}",0,{"__proto__":"x"}]`).toString('base64url');
  const { after } = decodeCursor(LIST, cursor, 1);
  expect(Object.entries(after ?? {})).toEqual([['__proto__', 'x']]);
  expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
});
