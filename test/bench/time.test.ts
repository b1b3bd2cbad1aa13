import { expect, test } from 'vitest';
import { createLatencies, latencyFrom } from '../../bench/harness/latency.ts';
import { resampledPercentiles } from '../../bench/harness/resampled.ts';
import { percentile } from '../../bench/harness/statistics.ts';
import { createSimulatedTime } from '../../bench/harness/time.ts';

const real = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(() => resolve(value), 2));

test('simulated time advances to scheduled moments only, whatever happens outside', async () => {
  const time = createSimulatedTime(1_000);
  const wait = (ms: number) => new Promise<void>((resolve) => time.schedule(ms, resolve));
  const answer = await time.run(async () => {
    await Promise.all([wait(30), wait(7)]);
    await wait(5);
    return time.outside(() => real('done'));
  });
  expect(answer).toBe('done');
  expect(time.now()).toBe(1_035);
});

test('scheduled calls run in order, and not when cancelled', async () => {
  const time = createSimulatedTime(0);
  const seen: string[] = [];
  await time.run(
    () =>
      new Promise<void>((resolve) => {
        time.schedule(9, resolve);
        time.schedule(4, () => seen.push(`second at ${time.now()}`));
        time.schedule(2, () => seen.push(`first at ${time.now()}`));
        time.schedule(3, () => seen.push('never'))();
      }),
  );
  expect(seen).toEqual(['first at 2', 'second at 4']);
});

test('an error leaves simulated time, and waiting for nothing is one', async () => {
  const time = createSimulatedTime(0);
  await expect(time.run(() => Promise.reject(new Error('denied')))).rejects.toThrow('denied');
  await expect(time.run(() => new Promise(() => {}))).rejects.toThrow('waits for something outside');
});

test('latencies have the given median and p99, and a seed repeats them', () => {
  const latency = { medianMs: 3, p99Ms: 12 };
  const drawn = Array.from({ length: 100_000 }, createLatencies(latency, 1));
  expect(percentile(drawn, 0.5)).toBeCloseTo(3, 1);
  expect(percentile(drawn, 0.99) / 12).toBeCloseTo(1, 1);
  expect(Array.from({ length: 3 }, createLatencies(latency, 1))).toEqual(drawn.slice(0, 3));
  expect(Array.from({ length: 3 }, createLatencies(latency, 2))).not.toEqual(drawn.slice(0, 3));
});

test('latency comes from the environment, and invalid values are refused', () => {
  expect(latencyFrom({})).toEqual({ medianMs: 3, p99Ms: 12 });
  expect(latencyFrom({ COLD_MEDIAN_MS: '5', COLD_P99_MS: '40' })).toEqual({ medianMs: 5, p99Ms: 40 });
  expect(() => latencyFrom({ COLD_MEDIAN_MS: 'fast' })).toThrow('COLD_MEDIAN_MS');
  expect(() => latencyFrom({ COLD_P99_MS: '2' })).toThrow('below');
});

test('resampled percentiles show the uncertainty', () => {
  const values = Array.from({ length: 1_000 }, (_, n) => n);
  const [p50 = [], p99 = []] = resampledPercentiles(values, [0.5, 0.99], 1);
  expect(percentile(p50, 0.5) / 500).toBeCloseTo(1, 1);
  expect(percentile(p99, 0.5) / 990).toBeCloseTo(1, 1);
  expect(new Set(p50).size).toBeGreaterThan(10);
  expect(Math.max(...p99)).toBeLessThanOrEqual(999);
  // Equal values have no uncertainty.
  expect(new Set(resampledPercentiles([7, 7, 7], [0.99], 1)[0])).toEqual(new Set([7]));
});
