import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

const read = (text: string) =>
  readOptions(text.split(' ').filter(Boolean), { newSeed: () => 7, processors: 2 });

test('the command line of `npm run proof -- simulate`', () => {
  const usual = { seed: 7, histories: 1_000, only: undefined, plant: undefined, workers: 2 };
  expect(read('')).toEqual(usual);
  expect(read('--seed 0 --histories=10000')).toEqual({ ...usual, seed: 0, histories: 10_000 });
  expect(read('--seed 3 --only 0 --plant guard')).toEqual({ ...usual, seed: 3, only: 0, plant: 'guard' });
  expect(read('--workers 1')).toEqual({ ...usual, workers: 1 });
});

test.each([
  '--histories',
  '--histories 0',
  '--histories 1.5',
  '--seed x',
  '--seed 99999999999',
  '--seed 1 --seed 2',
  '--only 1 --histories 2',
  '--plant weeds',
  '--workers 0',
  '--help',
  'histories',
])('what it does not know is refused in one line: %s', (text) => {
  expect(() => read(text)).toThrow(/^.*usage: npm run proof -- simulate.*$/);
});
