import { describe, expect, test } from 'vitest';
import { createBudget } from '../../../authorizer/policies/compile.ts';
import { intersects, type PathPart, patternOf } from '../../../authorizer/policies/glob.ts';
import * as fc from '../../support/fast-check.ts';
import { naivelyIntersects } from './automaton.ts';

/** Patterns as IAM reads them (`*` matches any run of characters, `/` included) and the paths of a route. */
const ANY: PathPart = { any: 'segment' };
const REST: PathPart = { any: 'rest' };
const partsOf = (path: string): readonly PathPart[] =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => ({ '{}': ANY, '{+}': REST })[part] ?? { text: part });

const budgetOf = (maxComparisons: number) => createBudget({ baseBytes: 0, maxBytes: 0, maxComparisons });
const meets = (pattern: readonly PathPart[], path: readonly PathPart[]): boolean =>
  intersects(pattern, path, budgetOf(Number.POSITIVE_INFINITY));

test.each([
  ['', 'GET/'],
  ['a/b', 'GET/a/b'],
  ['a/{}', 'GET/a/?*'],
  ['{}/b/{+}', 'GET/?*/b/?*'],
])('the pattern for /%s is %s', (path, pattern) => {
  expect(patternOf('GET', partsOf(path))).toBe(pattern);
});

test('segment by segment is the same as character by character', () => {
  const part = fc.constantFrom<PathPart>(
    { text: 'a' },
    { text: 'b' },
    { text: 'ab' },
    { text: '.a' },
    ANY,
    ANY,
  );
  const parts = fc
    .tuple(fc.array(part, { maxLength: 5 }), fc.boolean())
    .map(([segments, hasRest]) => (hasRest ? [...segments, REST] : segments));
  fc.assert(
    fc.property(parts, parts, (pattern, path) => {
      expect(meets(pattern, path)).toBe(naivelyIntersects(patternOf('GET', pattern), 'GET', path));
    }),
    { numRuns: 500 },
  );
});

describe('the budget', () => {
  test.each([
    ['a/b', 'b/b', 1],
    ['{}/b/{}', 'a/b/{+}', 16],
  ])('counts the comparisons of segments of /%s with /%s: %s', (pattern, path, comparisons) => {
    const isEnough = (maxComparisons: number): boolean => {
      const budget = budgetOf(maxComparisons);
      intersects(partsOf(pattern), partsOf(path), budget);
      return !budget.isSpent();
    };
    expect([isEnough(comparisons - 1), isEnough(comparisons)]).toEqual([false, true]);
  });

  test('ends the comparison, as if there were a path in common', () => {
    expect(intersects(partsOf('{}/b'), partsOf('a/c'), budgetOf(3))).toBe(true);
    expect(intersects(partsOf('{}/b'), partsOf('a/c'), budgetOf(100))).toBe(false);
  });
});
