import { describe, expect, test } from 'vitest';
import { type Cell, compile, createBudget } from '../../../authorizer/policies/compile.ts';
import { POLICY_LIMITS } from '../../../authorizer/policies/whole.ts';
import { type RouteRule, VERBS } from '../../../authorizer/routes/rule.ts';
import { drawRoutes, drawTraits } from '../../../bench/model/policy-cases.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { size } from '../../support/tier.ts';
import { rule } from '../support.ts';

/** What one policy for the whole API may cost: comparisons and bytes are counted, so no machine is too slow. */
const BASE_BYTES = 'arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/prod/'.length;
const MAX_BYTES = 6_144;
const MAX_PATTERN = 512;

/** Compiles with the limits of the authorizer, and counts what was compared and written. */
function count(rules: readonly RouteRule[], cells: readonly Cell[], isClosed = false) {
  const budget = createBudget({
    baseBytes: BASE_BYTES,
    maxBytes: MAX_BYTES,
    maxComparisons: POLICY_LIMITS.comparisons,
  });
  const made = { comparisons: 0, bytes: 0 };
  const patterns = compile({
    rules,
    cells,
    isClosed,
    budget: {
      ...budget,
      add: (pattern) => {
        made.bytes += BASE_BYTES + pattern.length + 3;
        budget.add(pattern);
      },
      spend: (comparisons) => {
        budget.spend(comparisons);
        // What exceeds the limit is refused, not made.
        if (!budget.isSpent()) made.comparisons += comparisons;
      },
    },
  });
  return { ...made, patterns };
}

test('four routes for ANY and a role above 400 buildings are soon too large', () => {
  const rules = ['x', 'y', 'z', 'w'].map((name) =>
    rule(name, 'ANY', `/buildings/{b}/${name}/{id}`, 'page', 'building:{b}'),
  );
  const building = (n: number): string => `01J8X2W3Y4Z5A6B7C8D9E0${String(n).padStart(4, '0')}`;
  const cells = rules.flatMap((each) =>
    Array.from({ length: 400 }, (_, n): Cell => ({ rule: each, values: new Map([['b', building(n)]]) })),
  );
  const { patterns, bytes, comparisons } = count(rules, cells);
  expect(patterns).toBeUndefined();
  expect(bytes).toBeLessThan(MAX_BYTES + BASE_BYTES + MAX_PATTERN);
  // Each cell with each route, until the bytes are spent.
  expect(comparisons).toBeLessThan(3_000);
});

test('a policy that fits is written with few comparisons', () => {
  const rules = Array.from({ length: 60 }, (_, n) =>
    rule(`r${n}`, 'GET', `/resources-${n}/{id}`, 'page', 'location:here'),
  );
  const { patterns, comparisons } = count(
    rules,
    rules.slice(0, 15).map((each) => ({ rule: each, values: new Map() })),
    true,
  );
  expect(patterns?.allow).toHaveLength(15);
  expect(comparisons).toBeLessThan(5_000);
});

describe('any table of 500 routes and any caller', () => {
  test('stay within the bounds of comparisons and bytes', () => {
    const seen = { written: 0, wildcards: 0, tooLarge: 0 };
    for (let seed = 0; seed < size(12, 3_000); seed++) {
      const random = createRandom(seed);
      const rules = drawRoutes(random, drawTraits(random), 'location:here');
      const share = 1 + random.below(20);
      const cells = rules
        .filter(() => random.oneIn(share))
        .flatMap((each) => {
          const values = () => new Map([...each.bound].map((name) => [name, `v${random.below(100)}`]));
          return Array.from(
            { length: each.bound.size > 0 ? 1 + random.below(20) : 1 },
            (): Cell => ({ rule: each, values: values() }),
          );
        })
        .slice(0, POLICY_LIMITS.questions);
      const { patterns, bytes, comparisons } = count(rules, cells, random.oneIn(2));
      const what = `seed ${seed}`;
      expect(comparisons, what).toBeLessThanOrEqual(POLICY_LIMITS.comparisons);
      expect(bytes, what).toBeLessThan(MAX_BYTES + (VERBS.length + 1) * (BASE_BYTES + MAX_PATTERN));
      if (!patterns) seen.tooLarge++;
      else seen.written++;
      if (patterns?.allow.some((each) => each.includes('*'))) seen.wildcards++;
    }
    expect(Math.min(seen.written, seen.wildcards, seen.tooLarge)).toBeGreaterThan(0);
  });
});
