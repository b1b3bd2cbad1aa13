import { expect, test } from 'vitest';
import { createSchedule, createZipf } from '../../bench/load/schedule.ts';
import { createRandom } from '../proof/oracle/random.ts';

const schedule = (arrivals: 'poisson' | 'constant', seed = 3) =>
  createSchedule({ arrivals, rate: 200, seconds: 50, random: createRandom(seed) });
const gapsOf = (due: readonly number[]) => due.slice(1).map((at, n) => at - (due[n] ?? 0));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('constant arrivals are evenly spaced', () => {
  const due = schedule('constant');
  expect(due).toHaveLength(10_000);
  expect(new Set(gapsOf(due).map(Math.round))).toEqual(new Set([5]));
  expect(due[0]).toBe(0);
});

test('Poisson arrivals have the same number, and gaps whose deviation equals their mean', () => {
  const due = schedule('poisson');
  const gaps = gapsOf(due);
  const deviation = Math.sqrt(mean(gaps.map((gap) => (gap - mean(gaps)) ** 2)));
  expect(due).toHaveLength(10_000);
  expect(mean(gaps)).toBeCloseTo(5, 2);
  expect(deviation / mean(gaps)).toBeCloseTo(1, 1);
  expect(gaps.every((gap) => gap >= 0)).toBe(true);
  expect(due.at(-1)).toBeLessThan(50_000);
});

test('a seed repeats the arrivals', () => {
  expect(schedule('poisson', 3)).toEqual(schedule('poisson', 3));
  expect(schedule('poisson', 4)).not.toEqual(schedule('poisson', 3));
});

/** How often each was drawn. */
function draws(count: number, exponent: number, times: number, seed = 5): readonly number[] {
  const draw = createZipf(count, exponent, createRandom(seed));
  const counts = Array.from({ length: count }, () => 0);
  for (let n = 0; n < times; n++) {
    const place = draw();
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

test('Zipf: the second is drawn half as often as the first, the tenth a tenth', () => {
  const counts = draws(1_000, 1, 200_000);
  const [first = 0, second = 0] = counts;
  expect(second / first).toBeCloseTo(1 / 2, 1);
  expect((counts[9] ?? 0) / first).toBeCloseTo(1 / 10, 1);
  // Of 1,000 the first has one in 7.49 (the thousandth harmonic number).
  expect(first / 200_000).toBeCloseTo(1 / 7.485, 2);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(900);
  expect(draws(1_000, 1, 200_000)).toEqual(counts);
});

test('an exponent of 0 is uniform, and a single one is always drawn', () => {
  for (const count of draws(4, 0, 40_000)) expect(count / 40_000).toBeCloseTo(0.25, 1);
  expect(createZipf(1, 1, createRandom(1))()).toBe(0);
  expect(() => createZipf(0, 1, createRandom(1))).toThrow('count is below 1');
});
