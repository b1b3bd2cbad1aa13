import { expect, test } from 'vitest';
import { toFigure, withTopic } from '../../bench/harness/figures.ts';
import { runRounds } from '../../bench/harness/rounds.ts';
import { pairedRatios, percentile, slopeOf, summarise } from '../../bench/harness/statistics.ts';

test('a summary does not depend on the order, and leaves the values as they were', () => {
  const values = [5, 1, 4, 2, 3];
  expect(summarise(values)).toEqual({ median: 3, quartiles: [2, 4] });
  expect(values).toEqual([5, 1, 4, 2, 3]);
});

test('a percentile between two values is interpolated', () => {
  expect(summarise([1, 2, 3, 4])).toEqual({ median: 2.5, quartiles: [1.75, 3.25] });
  expect(percentile([10, 20], 0.99)).toBeCloseTo(19.9);
  expect(percentile([7], 0.99)).toBe(7);
});

test('values are sorted as numbers', () => expect(summarise([9, 10, 100]).median).toBe(10));

test('no values have no median', () => expect(() => summarise([])).toThrow('nothing was measured'));

test('ratios are taken round by round: noise of one round cancels out', () => {
  // The third round met ten times the noise.
  const [own, peer] = [
    [10, 12, 100],
    [5, 6, 50],
  ];
  expect(pairedRatios(own, peer)).toEqual([2, 2, 2]);
  const figure = toFigure('a.b', '', 'ns', own, { peer });
  expect(figure.ratios).toEqual({ peer: 2 });
  expect(figure.ratioQuartiles).toEqual({ peer: [2, 2] });
  expect(figure.median).toBe(12);
});

test('different numbers of rounds have no ratio', () => {
  expect(() => pairedRatios([1, 2], [1])).toThrow('2 rounds do not match 1');
});

test('each candidate runs once per round, in an order that a seed determines', async () => {
  const orderOf = async (seed: number): Promise<readonly string[]> => {
    const order: string[] = [];
    const candidates = ['a', 'b', 'c'].map((name) => ({ name, run: () => order.push(name) && 1 }));
    await runRounds(candidates, { rounds: 20, warmUp: 0, seed });
    return Array.from({ length: 20 }, (_, round) => order.slice(round * 3, round * 3 + 3).join(''));
  };
  const orders = await orderOf(7);
  expect(new Set(orders.map((order) => [...order].sort().join('')))).toEqual(new Set(['abc']));
  expect(new Set(orders).size).toBe(6);
  expect(await orderOf(7)).toEqual(orders);
});

test('a sample is the time of one question; preparation and warm-up do not count', async () => {
  let time = 0;
  const slow = {
    name: 'slow',
    prepare: () => {
      time += 1_000;
    },
    run: async (round: number) => {
      time += round === 0 ? 500 : 2;
      return 4;
    },
  };
  const samples = await runRounds([slow], { rounds: 2, warmUp: 1, now: () => time });
  expect(samples('slow')).toEqual([500_000, 500_000]);
});

test('a wrong answer or an empty batch ends the run', async () => {
  const wrong = () => {
    throw new Error('wrong');
  };
  const options = { rounds: 1, warmUp: 0 };
  await expect(runRounds([{ name: 'a', run: wrong }], options)).rejects.toThrow('wrong');
  await expect(runRounds([{ name: 'a', run: () => 0 }], options)).rejects.toThrow('a asked no question');
  const samples = await runRounds([], options);
  expect(() => samples('a')).toThrow('candidate a did not run');
});

test('a topic replaces its own figures and keeps those of others', () => {
  const environment = { node: 'v20.0.0', cpu: 'one', cores: 2, date: '2026-01-15T12:00:00.000Z' };
  const measured = (id: string, value: number) => ({
    environment,
    figures: [toFigure(id, '', 'ns', [value])],
  });
  const known = { check: measured('check.warm', 1), load: measured('load.rate', 2) };
  const changed = measured('check.warm', 9);
  expect(withTopic(known, 'check', changed)).toEqual({ ...known, check: changed });
});

test('a slope leaves out a constant part and symmetric noise', () => {
  const line = [0, 10, 20, 30].map((x) => [x, 500 + 7 * x] as const);
  expect(slopeOf(line)).toBeCloseTo(7);
  expect(slopeOf(line.map(([x, y], n) => [x, y + (n % 3 === 0 ? 3 : -3)] as const))).toBeCloseTo(7);
});
