import { expect, test } from 'vitest';
import { type FigureOptions, type Results, toFigure } from '../../bench/harness/figures.ts';
import {
  answerAsMarkdown,
  dollars,
  duration,
  numbersAsMarkdown,
  pictureOf,
  type Question,
  times,
} from '../../bench/questions/answer.ts';
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
    const { topics } = question(name);
    const answer = shown(name, {});
    for (const topic of topics) expect(answer).toContain(`\`npm run bench -- ${topic}\``);
    expect(answer).toContain('**Not measured yet**');
    expect(answer).not.toContain('| figure |');
    expect(answer).not.toContain('undefined');
    expect(answer).not.toContain('NaN');
    expect(pictureOf(question(name), {})).toBeUndefined();
  },
);

test('servers: each peer has its throughput, ours beside it, and a bar', () => {
  const rate = (server: string, title: string, against = {}) => ({
    ...{ id: `servers.rate-${server}-distinct-16`, unit: '/s', against },
    title: `${title}, distinct questions, 16 at once: throughput`,
  });
  const results = resultsOf(
    [
      rate('gatehouse', 'gatehouse serve', {
        'rate-openfga-distinct-16': [100],
        'rate-spicedb-postgres-distinct-16': [2_000],
      }),
      rate('openfga', 'OpenFGA, in memory'),
      rate('spicedb-postgres', 'SpiceDB, PostgreSQL'),
      // Fewer at once: not on the page.
      { ...rate('gatehouse', 'gatehouse serve'), id: 'servers.rate-gatehouse-distinct-1' },
    ],
    1_500,
  );
  const answer = shown('others', results);
  expect(answer).toContain(
    'Over HTTP, `gatehouse serve` answers questions that were not asked before at 0.75 times (SpiceDB, PostgreSQL) to ' +
      '15 times (OpenFGA, in memory) the rate of other servers.',
  );
  expect(answer).toContain('| … beside OpenFGA, in memory | 1,500/s; ours 15 times its throughput |');
  expect(answer).toContain('Measured: [servers](performance/servers.md) 2026-01-15 at commit abc.');
  expect(answer).toContain('**Not measured yet**: `npm run bench -- check`.');
  const picture = pictureOf(question('others'), results);
  expect(picture).toContain('Answers per second of one core: questions that were not asked before');
  expect(picture).toContain('SpiceDB, PostgreSQL');
  expect(picture).not.toContain('in process');
  const asked = shown('asked', results);
  expect(asked).toContain('**missed**: 15 times | at least 20 times | [servers]');
  expect(asked).toContain('Of 1 bounds that were set before the code was measured, 1 are missed.');
});

test('administration: whatever is measured beside another rate has rows and a panel', () => {
  const results = resultsOf(
    [
      {
        ...{ id: 'administration.users.load', title: 'gatehouse load users', unit: '/s' },
        against: { alone: [200], bare: [1_000] },
      },
      { id: 'administration.users.alone', title: 'users, one by one', unit: '/s' },
      { id: 'administration.users.bare', title: 'bare', unit: '/s' },
      { id: 'administration.users.computing', title: 'computing', unit: 'ms', against: { alone: [1] } },
      { id: 'administration.memberships.load', title: 'gatehouse load memberships', unit: '/s' },
      {
        ...{ id: 'administration.something.new', title: 'something new', unit: '/s' },
        against: { bare: [600] },
      },
      { id: 'administration.something.bare', title: 'something bare', unit: '/s' },
    ],
    600,
  );
  const answer = shown('administration', results);
  expect(answer).toContain(
    '`gatehouse load` writes 600 users per second, 3 times the rate of a command for each, and 600 memberships.',
  );
  expect(answer).toContain('| gatehouse load users | 600/s |');
  expect(answer).toContain('| … beside: bare | 600/s; ours 0.6 times its rate |');
  expect(answer).toContain('| something new | 600/s |');
  expect(answer).not.toContain('computing');
  expect(answer).not.toContain('gatehouse verify');
  const picture = pictureOf(question('administration'), results);
  expect(picture).toContain('something new');
  expect(picture).toContain('something bare');
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
