import { expect, it } from 'vitest';
import { createProgress } from './progress.ts';

it('reports each ten thousand histories once, and not the end', () => {
  const lines: string[] = [];
  let now = 0;
  const { add } = createProgress(
    30_000,
    () => now,
    (line) => lines.push(line),
  );
  for (let played = 0; played < 30_000; played += 240) {
    now += 6_000;
    add(240);
  }
  expect(lines).toEqual(['10080 of 30000 histories, 40 a second', '20160 of 30000 histories, 40 a second']);
});

it('reports nothing of a short run', () => {
  const lines: string[] = [];
  const { add } = createProgress(
    10_000,
    () => 0,
    (line) => lines.push(line),
  );
  add(10_000);
  expect(lines).toEqual([]);
});
