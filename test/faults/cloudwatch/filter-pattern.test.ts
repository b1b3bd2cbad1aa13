import { expect, test } from 'vitest';
import { filterPattern } from './filter-pattern.ts';

const LINE = '{"level":"ERROR","message":"request failed","code":"transient"}';

test.each([
  ['{ $.message = "request failed" }', LINE, true],
  ['{ $.message = "request" }', LINE, false],
  ['{ $.absent = "request failed" }', LINE, false],
  ['{ $.message = "request failed" }', 'request failed', false],
  ['{ $.message = "request failed" }', '{"message":"request failed"', false],
  ['{ $.message = "request failed" }', `2026-03-01T00:00:00.000Z\tid\tERROR\t${LINE}`, false],
])('%s of %s: %s', (pattern, line, expected) => {
  expect(filterPattern(pattern)(line)).toBe(expected);
});

test.each(['{ $.message }', '{ $.message != "x" }', '{ $.a.b = "x" }', '{ $.message = "x*" }', 'failed'])(
  '%s is refused, not guessed at',
  (pattern) => {
    expect(() => filterPattern(pattern)).toThrow('filter pattern');
  },
);
