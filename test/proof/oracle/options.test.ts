import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

const read = (text: string) => readOptions(text.split(' ').filter(Boolean), () => 7);

test('the command line of `npm run proof -- oracle`', () => {
  expect(read('')).toEqual({ seed: 7, worlds: 20, checks: 400, faults: 0 });
  expect(read('--seed 0 --worlds 3 --checks=5')).toEqual({
    seed: 0,
    worlds: 3,
    checks: 5,
    faults: 0,
  });
  expect(read('--faults 100000')).toMatchObject({ seed: 7, worlds: 0, faults: 100_000 });
});

test.each([
  '--worlds',
  '--worlds 0',
  '--worlds -1',
  '--worlds 1.5',
  '--seed x',
  '--seed 99999999999',
  '--seed 1 --seed 2',
  '--faults 1 --worlds 1',
  '--histories 1',
  '--help',
  'worlds',
])('what it does not know is refused in one line: %s', (text) => {
  expect(() => read(text)).toThrow(/^.*usage: npm run proof -- oracle.*$/);
});
