import { expect, test } from 'vitest';
import { type FigureOptions, type Results, readResults, toFigure } from '../../bench/harness/figures.ts';
import {
  answerAsMarkdown,
  askedAsMarkdown,
  dollars,
  duration,
  numbersAsMarkdown,
  type Question,
  times,
} from '../../bench/questions/answer.ts';
import { ASKED } from '../../bench/questions/asked.ts';
import { QUESTIONS } from '../../bench/questions/index.ts';

const ENVIRONMENT = {
  ...{ node: 'v20.0.0', cpu: 'one', cores: 2, date: '2026-01-15T12:00:00.000Z', commit: 'abc' },
};
const question = (name: string): Question => {
  const found = QUESTIONS.find((each) => each.name === name);
  if (!found) throw new Error(`no question ${name}`);
  return found;
};
/** All that a document shows of a question. */
const shown = (name: string, results: Results): string =>
  `${answerAsMarkdown(question(name), results)}\n\n${numbersAsMarkdown(question(name), results)}`;
/** Made-up results: figures by topic, each with one value. */
const resultsOf = (figures: readonly Omit<FigureOptions, 'values'>[], value: number): Results => {
  const results: Record<string, { environment: typeof ENVIRONMENT; figures: ReturnType<typeof toFigure>[] }> =
    {};
  for (const each of figures) {
    const [topic = ''] = each.id.split('.');
    results[topic] ??= { environment: ENVIRONMENT, figures: [] };
    results[topic].figures.push(toFigure({ ...each, values: [value] }));
  }
  return results;
};

test.each(QUESTIONS.map(({ name }) => name))(
  '%s: without figures it says so, and what would measure them',
  (name) => {
    const answer = shown(name, {});
    for (const { topic } of question(name).numbers) expect(answer).toContain(`\`npm run bench -- ${topic}\``);
    expect(answer).toContain('**Not measured yet**');
    expect(answer).not.toContain('| figure |');
    expect(answer).not.toContain('undefined');
    expect(answer).not.toContain('NaN');
  },
);

test('every figure that a question or a bound names is measured', () => {
  const results = readResults();
  for (const { name } of QUESTIONS) expect(shown(name, results), name).not.toContain('not measured yet');
  expect(askedAsMarkdown(ASKED, results).numbers).not.toContain('not measured yet');
});

test('servers: each peer has its throughput, and ours beside it', () => {
  const rate = (server: string, against = {}) => ({
    id: `servers.rate-${server}-distinct-16`,
    title: server,
    unit: '/s',
    against,
  });
  const results = resultsOf(
    [
      rate('gatehouse', { 'rate-openfga-distinct-16': [100], 'rate-spicedb-distinct-16': [2_000] }),
      rate('openfga'),
      rate('spicedb'),
    ],
    1_500,
  );
  const answer = shown('others', results);
  expect(answer).toContain(
    'Over HTTP, `gatehouse serve` answers questions that were not asked before at 0.75 times (SpiceDB, in memory) to ' +
      '15 times (OpenFGA, in memory) the rate of other servers.',
  );
  expect(answer).not.toContain('questions that repeat at');
  expect(answer).toContain('| … beside OpenFGA, in memory | 1,500/s; ours 15 times its throughput |');
  expect(answer).toContain('| … beside Cerbos | not measured yet |');
  expect(answer).toContain('Measured: [servers](performance/servers.md) 2026-01-15 at commit abc.');
  expect(answer).toContain('**Not measured yet**: `npm run bench -- check`.');
});

test('a bound is missed on its own side, and counted', () => {
  const results = resultsOf(
    [{ id: 'check.warm', title: 'warm', unit: 'ns', against: { other: [150] } }],
    600,
  );
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
  expect(askedAsMarkdown(ASKED, {}).answer).toBe('Nothing of this has been measured yet.');
});

test('a figure that the topic had not yet when it was measured is missing in its row, and its sentence is left out', () => {
  const results = resultsOf([{ id: 'startup.loaded', title: 'loaded', unit: 'ms' }], 80);
  const answer = shown('start', results);
  expect(answer).toContain('| the function is loaded | 80 ms |');
  expect(answer).toContain('| INIT ends: loaded and warm | not measured yet |');
  expect(answer).toMatch(/^The figures of the short answer have not been measured yet/);
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
