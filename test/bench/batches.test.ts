import { expect, test } from 'vitest';
import { inBatches } from '../../bench/harness/batches.ts';

const questions = Array.from({ length: 1_000 }, (_, n) => n);

/** The size of a candidate's batch when one question takes so long. */
async function countAt(msForOne: number, least = 1): Promise<number> {
  let time = 0;
  const loop = (asked: readonly number[]): number => {
    time += asked.length * msForOne;
    return asked.length;
  };
  const candidate = await inBatches('a', questions, loop, { targetMs: 4, least, now: () => time });
  await candidate.prepare?.(0);
  return candidate.run(0);
}

test('slower candidates ask fewer questions: all batches take about as long', async () => {
  expect(await countAt(0.01)).toBe(256);
  expect(await countAt(1)).toBe(2);
});

test('a batch has at least the minimum and at most all questions', async () => {
  expect(await countAt(100, 4)).toBe(4);
  expect(await countAt(0.000_1)).toBe(1_000);
});

test('each round asks the next questions, renewed before it is timed', async () => {
  const seen: (readonly number[])[] = [];
  const loop = (asked: readonly number[]): number => {
    seen.push(asked);
    return asked.length;
  };
  const candidate = await inBatches('a', [1, 2, 3, 4, 5], loop, {
    targetMs: 1,
    least: 2,
    now: () => seen.length,
    renew: (question) => question * 10,
  });
  seen.length = 0;
  for (const round of [0, 1, 2]) {
    await candidate.prepare?.(round);
    await candidate.run(round);
  }
  expect(seen).toEqual([
    [10, 20],
    [30, 40],
    [10, 20],
  ]);
});
