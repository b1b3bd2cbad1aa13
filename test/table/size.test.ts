import { expect, test } from 'vitest';
import { sizeOf } from '../../table/size.ts';

/** AWS, "DynamoDB item sizes and formats". `{ PK: 'A', SK: 'B' }` is 6 bytes: two names, two values. */
test.each([
  ['nothing more', {}, 0],
  ['a text in UTF-8', { text: 'ä€😀' }, 4 + 2 + 3 + 4],
  ['a truth and a null', { yes: true, no: null }, 3 + 1 + 2 + 1],
  ['a number of five digits', { n: 12_345 }, 1 + 3 + 1],
  ['a number below zero', { n: -12_345 }, 1 + 3 + 1 + 1],
  ['a number of which zeros are no digits', { n: 12_000_000 }, 1 + 1 + 1],
  ['a set', { names: new Set(['a', 'bc']) }, 5 + 3],
  ['a list', { list: ['a', 'bc'] }, 4 + 3 + 2 + 3],
  ['a map', { map: { a: 'bc' } }, 3 + 3 + 1 + 1 + 2],
  ['an attribute that is undefined', { nothing: undefined }, 0],
])('an item with %s', (_what, attributes, size) => {
  expect(sizeOf({ PK: 'A', SK: 'B', ...attributes })).toBe(6 + size);
});
