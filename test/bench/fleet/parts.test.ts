import { describe, expect, test } from 'vitest';
import { createPartitions, readUnitsOf } from '../../../bench/fleet/partitions.ts';
import { createPool, type Environment } from '../../../bench/fleet/pool.ts';
import { createZipf, DYNAMODB, logNormal } from '../../../bench/harness/draws.ts';
import { percentile } from '../../../bench/harness/statistics.ts';
import { createRandom } from '../../proof/oracle/random.ts';

test('latencies have the given median and p99, and a seed repeats them', () => {
  const draw = (seed: number, length: number) =>
    Array.from({ length }, logNormal(createRandom(seed), DYNAMODB));
  const drawn = draw(1, 100_000);
  expect(percentile(drawn, 0.5)).toBeCloseTo(3, 1);
  expect(percentile(drawn, 0.99) / 12).toBeCloseTo(1, 1);
  expect(draw(1, 3)).toEqual(drawn.slice(0, 3));
  expect(draw(2, 3)).not.toEqual(drawn.slice(0, 3));
});

test('ranks are drawn as often as Zipf says', () => {
  for (const exponent of [0.8, 1]) {
    const [count, draws] = [50, 200_000];
    const draw = createZipf(createRandom(7), count, exponent);
    const found = new Map<number, number>();
    for (let n = 0; n < draws; n++) {
      const rank = draw();
      found.set(rank, (found.get(rank) ?? 0) + 1);
    }
    const total = Array.from({ length: count }, (_, n) => (n + 1) ** -exponent).reduce((a, b) => a + b);
    for (const rank of [1, 2, 3, 10, 50]) {
      const expected = (draws * rank ** -exponent) / total;
      expect(Math.abs((found.get(rank) ?? 0) - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
  }
});

test('read units are those of DynamoDB: one for 4 KB', () => {
  expect([0, 1, 4_096, 4_097, 406_104].map(readUnitsOf)).toEqual([1, 1, 1, 2, 100]);
});

describe('a partition', () => {
  const at = (now: () => number, more: { tableReadUnits?: number } = {}) =>
    createPartitions({ count: 2, tableReadUnits: 1_000_000, now, start: 0, ...more });

  test('serves 3,000 units, then 3 for each millisecond', () => {
    let now = 0;
    const partitions = at(() => now);
    const served = Array.from({ length: 31 }, () => partitions.take(0, 100));
    expect(served.filter(Boolean)).toHaveLength(30);
    now = 10;
    // 30 units are left: the item of 100 is served, and 70 are owed.
    expect([partitions.take(0, 100), partitions.take(0, 1)]).toEqual([true, false]);
    now = 33;
    expect(partitions.take(0, 1)).toBe(false);
    now = 34;
    expect(partitions.take(0, 1)).toBe(true);
    expect(partitions.throttled()).toEqual({ read: 3, table: 0 });
    expect(partitions.hottest()).toEqual([3_101]);
  });

  test('does not slow another one down', () => {
    const partitions = at(() => 0);
    for (let n = 0; n < 30; n++) partitions.take(0, 100);
    expect([partitions.take(0, 1), partitions.take(1, 1)]).toEqual([false, true]);
  });

  test('shares the quota of the table', () => {
    const partitions = at(() => 0, { tableReadUnits: 200 });
    expect([0, 1, 0].map((partition) => partitions.take(partition, 100))).toEqual([true, true, false]);
    expect(partitions.throttled()).toEqual({ read: 0, table: 1 });
  });

  test('pays for the reads of others soon after a sampled one', () => {
    let now = 0;
    const partitions = at(() => now);
    expect(partitions.take(0, 100, 119)).toBe(true);
    expect(partitions.take(0, 1)).toBe(true);
    // Of 12,001 units most are spent within half a second, in which 1,500 come back.
    now = 500;
    expect(partitions.take(0, 1)).toBe(false);
    now = 4_000;
    expect(partitions.take(0, 1)).toBe(true);
    expect(partitions.hottest()[0]).toBe(12_001);
  });
});

describe('environments', () => {
  const poolAt = (now: () => number, concurrency?: number) =>
    createPool<Environment>({
      now,
      random: createRandom(1),
      ...(concurrency !== undefined && { concurrency }),
      create: (environment) => environment,
    });

  test('start 1,000 at once, then 100 a second', () => {
    let now = 0;
    const pool = poolAt(() => now);
    const started = Array.from({ length: 1_010 }, () => pool.take(1));
    expect(started.filter(Boolean)).toHaveLength(1_000);
    now = 1_000;
    expect(Array.from({ length: 110 }, () => pool.take(1)).filter(Boolean)).toHaveLength(100);
    expect(pool.counts()).toMatchObject({ created: 1_100, busy: 1_100, refused: 20 });
  });

  test('serve one request at a time, each version its own', () => {
    const pool = poolAt(() => 0);
    const first = pool.take(1) as Environment;
    expect(pool.take(1)).not.toBe(first);
    pool.release(first);
    expect(pool.take(2)).not.toBe(first);
    expect(pool.take(1)).toBe(first);
    expect(first.requests).toBe(2);
  });

  test('are no more at work than the account allows', () => {
    const pool = poolAt(() => 0, 1);
    const only = pool.take(1) as Environment;
    expect(pool.take(1)).toBeUndefined();
    pool.release(only);
    expect(pool.take(1)).toBe(only);
  });

  test('end after they were idle for long, or with their version', () => {
    let now = 0;
    const pool = poolAt(() => now);
    const taken = [1, 1, 1, 2, 2].map((version) => pool.take(version) as Environment);
    for (const each of taken) pool.release(each);
    pool.end(1);
    expect(pool.counts().live).toBe(2);
    now = 600_000;
    pool.end(undefined);
    expect(pool.counts().live).toBe(0);
  });
});
