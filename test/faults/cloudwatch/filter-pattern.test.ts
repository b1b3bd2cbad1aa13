import { expect, test } from 'vitest';
import { filterPattern } from './filter-pattern.ts';

const LINE = '{"level":"ERROR","message":"request failed","code":"transient","n":7,"a":{"b":true}}';

test.each([
  ['{ $.message = "request failed" }', true],
  ['{ $.message = "request" }', false],
  ['{ $.message = "request *" }', true],
  ['{ $.message != "request failed" }', false],
  ['{ $.absent != "request failed" }', false],
  ['{ $.level = ERROR && $.code = "throttled" }', false],
  ['{ $.code = "throttled" || ($.code = "transient" && $.n >= 7) }', true],
  ['{ $.n > 7 }', false],
  ['{ $.n = 7 }', true],
  ['{ $.a.b IS TRUE }', true],
  ['{ $.absent NOT EXISTS }', true],
  ['"request failed"', true],
  ['request transient', true],
  ['request throttled', false],
  ['?throttled ?transient', true],
  ['request -transient', false],
  ['', true],
])('%s: %s', (pattern, expected) => {
  expect(filterPattern(pattern)(LINE)).toBe(expected);
});

test('a pattern for JSON matches no line that is not JSON, and none with columns before it', () => {
  const matches = filterPattern('{ $.message = "request failed" }');
  expect(matches('request failed')).toBe(false);
  expect(matches('{"message":"request failed"')).toBe(false);
  expect(matches(`2026-03-01T00:00:00.000Z\tid\tERROR\t${LINE}`)).toBe(false);
});

test.each(['{ $.message }', '{ $.n > "x" }', '{ $.n = 1 && }', '{ $.a[0] = 1 }', '%regex%'])(
  '%s is refused, not guessed at',
  (pattern) => {
    expect(() => filterPattern(pattern)).toThrow('filter pattern');
  },
);
