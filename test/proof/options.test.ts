import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

const read = (text: string) =>
  readOptions(text.split(' ').filter(Boolean), { seed: 0, worlds: 1, plant: ['guard', 'memo'] }, 'it');

test('each option is a number or a word', () => {
  expect(read('')).toEqual({});
  expect(read('--seed 0 --worlds=10000 --plant memo')).toEqual({ seed: '0', worlds: '10000', plant: 'memo' });
});

test.each([
  ...['--worlds', '--worlds 0', '--worlds 1.5', '--worlds -1', '--seed x', '--seed 99999999999'],
  ...['--seed 1 --seed 2', '--plant weeds', '--constructor 1', '--help', 'worlds'],
])('what it does not know is refused in one line: %s', (text) => {
  expect(() => read(text)).toThrow(/^.*usage: npm run proof -- it$/);
});
