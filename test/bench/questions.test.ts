import { expect, test } from 'vitest';
import { type Results, readResults, toFigure } from '../../bench/harness/figures.ts';
import { answerAsMarkdown, askedAsMarkdown, dollars, duration, times } from '../../bench/questions/answer.ts';
import { ASKED } from '../../bench/questions/asked.ts';
import { ANSWERS } from '../../bench/questions/index.ts';

const ENVIRONMENT = { node: 'v20.0.0', cpu: 'one', cores: 2, date: '2026-01-15T12:00:00.000Z' };
/** Made-up results: of `check.warm` one value, in nanoseconds. */
const resultsOf = (value: number, against: Readonly<Record<string, readonly number[]>>): Results => ({
  check: { environment: ENVIRONMENT, figures: [toFigure('check.warm', '', 'ns', [value], against)] },
});

test('every figure that an answer or a bound names is measured', () => {
  const results = readResults();
  for (const sentence of Object.values(ANSWERS).flat())
    expect(answerAsMarkdown([sentence], results), sentence).not.toBe('This has not been measured yet.');
  expect(askedAsMarkdown(ASKED, results).numbers).not.toContain('not measured yet');
});

test('a sentence has its figures; one that lacks a figure is left out', () => {
  const results = resultsOf(600, { casl: [1_200], cedar: [240_000] });
  const sentences = ['{check.warm} or {check.warm#}.', '{check.warm/casl}, {check.warm/cedar}.'];
  expect(answerAsMarkdown([...sentences, '{check.cold}.'], results)).toBe(
    '600 ns or 600. 0.5 times, 1/400 of.',
  );
  expect(answerAsMarkdown(['{check.warm/other}', '{check.warm@p99}'], results)).toBe(
    'This has not been measured yet.',
  );
});

test('a bound is missed on its own side, and counted', () => {
  const results = resultsOf(600, { other: [150] });
  const { answer, numbers } = askedAsMarkdown(
    [
      { what: 'above', figure: 'check.warm', max: 500 },
      { what: 'within', figure: 'check.warm', max: 600 },
      { what: 'below', figure: 'check.warm/other', min: 5 },
      { what: 'unknown', figure: 'check.cold', max: 1 },
    ],
    results,
  );
  expect(answer).toContain('Of 3 bounds that were set before the code was measured, 2 are missed.');
  expect(numbers).toContain('| above | **missed**: 600 ns | at most 500 ns |');
  expect(numbers).toContain('| within | 600 ns | at most 600 ns |');
  expect(numbers).toContain('| below | **missed**: 4 times | at least 5 times |');
  expect(numbers).toContain('| unknown | not measured yet |');
  expect(askedAsMarkdown(ASKED, {}).answer).toBe('This has not been measured yet.');
});

test('numbers have two or three digits and the unit that fits', () => {
  expect([0, 50.03, 4_907, 218_200, 58.44e6, 1.5e9].map(duration)).toEqual([
    ...['0', '50 ns', '4.9 µs', '218 µs', '58 ms', '1.5 s'],
  ]);
  expect([0.0027, 0.17, 0.381, 1.2649, 31.44, 1_267].map(times)).toEqual([
    ...['1/370 of', '1/5.9 of', '0.38 times', '1.26 times', '31.4 times', '1,267 times'],
  ]);
  expect([0.2138, 5.265, 150].map(dollars)).toEqual(['$0.21', '$5.27', '$150.00']);
});
