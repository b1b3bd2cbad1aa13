import { expect, test } from 'vitest';
import { progressOn } from '../../../cli/manifest/print.ts';

/** What an apply of 1,000 steps shows, of which 40 are done in each second. */
function shownOn(isTerminal: boolean): string {
  let now = 0;
  let text = '';
  const show = progressOn(
    1_000,
    isTerminal,
    (more) => {
      text += more;
    },
    () => now,
  );
  for (let done = 40; done <= 1_000; done += 40) {
    now += 1_000;
    show({ done, left: 1_000 - done });
  }
  return text;
}

test('in a log: a line every ten seconds', () => {
  expect(shownOn(false)).toBe('400 of 1000 steps are done, 10 s\n800 of 1000 steps are done, 20 s\n');
});

test('on a terminal: a bar that ends full', () => {
  const bars = shownOn(true).split('\r');
  expect(bars).toHaveLength(26);
  expect(bars.at(-1)).toBe(`[${'='.repeat(30)}] 1000/1000 25 s\u001b[K\n`);
});
