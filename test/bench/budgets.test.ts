import { expect, test } from 'vitest';
import { checkBudgets, type FigureBudget } from '../../bench/harness/budgets.ts';
import { toFigure } from '../../bench/harness/figures.ts';
import { summarise } from '../../bench/harness/statistics.ts';
import { verdictsAsLines } from '../../bench/harness/table.ts';

/** In five rounds beside a peer that takes 1 in each: the ratios are the values. */
const figure = (...values: readonly number[]) =>
  toFigure('check.warm', '', 'ns', values, { peer: values.map(() => 1) });

const holds = (budget: FigureBudget, ...values: readonly number[]): readonly boolean[] =>
  checkBudgets('check', [figure(...values)], { 'check.warm': budget }).map((verdict) => verdict.holds);

const atMost = { ratios: { peer: { max: 1.5 } } };
const atLeast = { ratios: { peer: { min: 3 } } };

test.each([
  ['holds for a median within it', true, [1.1, 1.2, 1.3, 1.4, 9], [1, 3.1, 3.2, 3.3, 3.4]],
  ['holds at the bound itself', true, [1.5, 1.5, 1.5], [3, 3, 3]],
  [
    'holds while the best quarter of rounds is within it',
    true,
    [1.3, 1.4, 1.7, 1.8, 1.9],
    [1, 2, 2.5, 3.5, 4],
  ],
  ['is broken when that quarter is beyond it', false, [1.4, 1.6, 1.7, 1.8, 1.9], [1, 2, 2.5, 2.9, 4]],
])('a budget on a ratio %s', (_, expected, most, least) => {
  expect([holds(atMost, ...most), holds(atLeast, ...least)]).toEqual([[expected], [expected]]);
});

test('a budget on the median holds likewise; a count is compared directly', () => {
  expect(holds({ median: { max: 60 } }, 50, 55, 70, 71, 72)).toEqual([true]);
  expect(holds({ median: { max: 60 } }, 50, 65, 70, 71, 72)).toEqual([false]);
  expect(holds({ median: { max: 0 } }, 0, 0, 0)).toEqual([true]);
  expect(holds({ median: { max: 0 } }, 1, 1, 1)).toEqual([false]);
});

test('a verdict names the figure, the peer, the bound and the value', () => {
  const [verdict] = checkBudgets('check', [figure(1, 2, 3)], {
    'check.warm': { ratios: { peer: { min: 1, max: 5 } } },
  });
  const { quartiles, median } = summarise([1, 2, 3]);
  expect(verdict).toEqual({
    id: 'check.warm',
    peer: 'peer',
    bound: { min: 1, max: 5 },
    value: median,
    quartiles,
    holds: true,
  });
});

test('a budget without a measured figure is an error', () => {
  const check = (budgets: Record<string, FigureBudget>) => checkBudgets('check', [figure(1)], budgets);
  expect(() => check({ 'check.cold': { median: { max: 1 } } })).toThrow('check.cold, which was not measured');
  expect(() => check({ 'check.warm': { ratios: { other: { max: 1 } } } })).toThrow('beside other');
});

test('budgets of other topics are ignored', () => {
  expect(checkBudgets('check', [figure(1)], { 'load.rate': { median: { min: 1 } } })).toEqual([]);
});

test('a ratio is printed as a fraction', () => {
  const printed = verdictsAsLines(
    checkBudgets('check', [figure(0.0005)], { 'check.warm': { ratios: { peer: { max: 1 / 1_500 } } } }),
  );
  expect(printed).toBe(
    'ok     check.warm beside peer  1/2,000  (1/2,000 to 1/2,000)  budget at most 1/1,500',
  );
});
