import { expect, test } from 'vitest';
import { answering, done, load } from './loading.ts';

test('memory does not grow with the rows: 200,000 of them', async () => {
  const heap = () => process.memoryUsage().heapUsed;
  const samples: number[] = [];
  let calls = 0;
  const loading = await load(200_000, async (event) => {
    if (++calls % 20 === 0) samples.push(heap());
    await Promise.resolve();
    return answering(done)(event);
  });
  const { progress, fault } = await loading.done;
  expect({ fault, ...progress }).toMatchObject({ fault: undefined, rows: 200_000, created: 200_000 });
  // The least heap in use between two collections shows what is kept.
  const least = (from: number, to: number) => Math.min(...samples.slice(from, to)) / 2 ** 20;
  const [early, late, most] = [least(5, 30), least(70, 100), Math.max(...samples) / 2 ** 20];
  console.info(
    `heap: least early ${early.toFixed(0)} MB, late ${late.toFixed(0)} MB; most ${most.toFixed(0)} MB`,
  );
  expect(late - early).toBeLessThan(20);
});
