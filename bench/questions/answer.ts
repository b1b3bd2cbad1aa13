import { type Chart, chartAsSvg } from '../harness/chart.ts';
import type { Figure, Results } from '../harness/figures.ts';

/** A number of an answer, and how it was measured. */
export interface Row {
  readonly what: string;
  /** Missing where the topic was measured before it had this figure. */
  readonly figure: string | undefined;
  /** In a few words; the topic's page has the rest. */
  readonly how: string;
  /** Where the number comes from. */
  readonly topic: string;
}

export interface Answer {
  /** The short answer first. A sentence that lacks a figure is left out. */
  readonly sentences: readonly (string | undefined)[];
  readonly rows: readonly Row[];
  /** The names of the table's columns, where they are others. */
  readonly heads?: readonly [what: string, figure: string, how: string];
  /** Nothing is drawn where there is nothing to be drawn. */
  readonly chart: Chart;
}

/** A question that users ask, and how the results of the benchmarks answer it. */
export interface Question {
  /** Marks its place in docs/performance.md, and names its picture. */
  readonly name: string;
  readonly topics: readonly string[];
  readonly answer: (measured: Measured) => Answer;
}

/** The figures of all topics by their ids. */
export interface Measured {
  readonly of: (id: string) => Figure | undefined;
  readonly all: (topic: string) => readonly Figure[];
}

function measuredIn(results: Results): Measured {
  const all = (topic: string): readonly Figure[] => results[topic]?.figures ?? [];
  const figures = new Map(Object.keys(results).flatMap((topic) => all(topic).map((each) => [each.id, each])));
  return { all, of: (id) => figures.get(id) };
}

const NANOSECONDS: Readonly<Record<string, number>> = { ns: 1, µs: 1_000, ms: 1e6, s: 1e9 };

const number = (value: number): string =>
  (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2))).toLocaleString('en-US');

/** A time in the largest unit of which it has one, to two or three digits. */
export function duration(nanoseconds: number): string {
  if (nanoseconds === 0) return '0';
  const [unit, size] =
    Object.entries(NANOSECONDS).findLast(([, each]) => nanoseconds >= each) ?? (['ns', 1] as const);
  return `${number(nanoseconds / size)} ${unit}`;
}

export const nanosecondsOf = ({ median, unit }: Figure): number => median * (NANOSECONDS[unit] ?? 1);

export const dollars = (value: number): string =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** A ratio for people: `1.26 times`, or `1/207 of` what follows. */
export const times = (ratio: number): string =>
  ratio < 0.25
    ? `1/${number(1 / ratio)} of`
    : `${Number(ratio.toFixed(ratio < 10 ? 2 : 1)).toLocaleString('en-US')} times`;

/** A value with its unit, for people. */
export function shown(value: number, unit: string): string {
  if (unit in NANOSECONDS) return duration(value * (NANOSECONDS[unit] ?? 1));
  if (unit === '$/million' || unit === '$/month') return dollars(value);
  if (unit === 'x') return times(value);
  return `${number(value)}${unit === '/s' ? '' : ' '}${unit}`.trimEnd();
}

/** The number alone, for a sentence that says of what. */
export const count = (figure: Figure | undefined): string | undefined => figure && number(figure.median);

export const median = (figure: Figure | undefined): string | undefined =>
  figure && shown(figure.median, figure.unit);

/** How many times the peer's value it is. */
export function ratio(figure: Figure | undefined, peer: string): string | undefined {
  const found = figure?.ratios[peer];
  return found === undefined ? undefined : times(found);
}

/** The text, or nothing where one of its values is missing. */
export const text = (
  parts: TemplateStringsArray,
  ...values: readonly (string | undefined)[]
): string | undefined =>
  values.includes(undefined) ? undefined : parts.map((part, n) => part + (values[n] ?? '')).join('');

const linkTo = (topic: string): string => `[${topic}](performance/${topic}.md)`;

/** When and where each topic was measured, and which ones were not. */
function origin(topics: readonly string[], results: Results): string {
  const known = topics.flatMap((topic) => {
    const { environment } = results[topic] ?? {};
    if (!environment) return [];
    const { date, commit = 'unknown' } = environment;
    return [`${linkTo(topic)} ${date.slice(0, 10)} at commit ${commit}`];
  });
  const unknown = topics.filter((topic) => !results[topic]).map((topic) => `\`npm run bench -- ${topic}\``);
  return [
    ...(known.length > 0 ? [`Measured: ${known.join(', ')}.`] : []),
    ...(unknown.length > 0 ? [`**Not measured yet**: ${unknown.join(', ')}.`] : []),
  ].join(' ');
}

/** The panels of which there is something to draw. */
const drawn = ({ panels, ...chart }: Chart): Chart => ({
  ...chart,
  panels: panels.filter((panel) =>
    'bars' in panel ? panel.bars.length > 0 : panel.series.some(({ points }) => points.length > 0),
  ),
});

/** The picture of a question as SVG, if there are figures for it. */
export function pictureOf({ answer }: Question, results: Results): string | undefined {
  const chart = drawn(answer(measuredIn(results)).chart);
  return chart.panels.length > 0 ? chartAsSvg(chart) : undefined;
}

export const pictureNameOf = ({ name }: Question): string => `performance-${name}.svg`;

const HEADS = ['what', 'figure', 'measured as'] as const;

/** The answer as Markdown: in words, and as a picture. */
export function answerAsMarkdown(question: Question, results: Results): string {
  const { sentences, rows, chart } = question.answer(measuredIn(results));
  const said = sentences.filter((sentence) => sentence !== undefined);
  const inWords =
    said.length > 0
      ? said.join(' ')
      : rows.some(({ topic }) => results[topic])
        ? 'The figures of the short answer have not been measured yet; the table has what has been.'
        : 'Nothing of this has been measured yet.';
  if (pictureOf(question, results) === undefined) return inWords;
  return `${inWords}\n\n![${chart.label}](pictures/${pictureNameOf(question)})`;
}

/** The numbers behind an answer as Markdown, with their origin. */
export function numbersAsMarkdown(question: Question, results: Results): string {
  const { rows, heads = HEADS } = question.answer(measuredIn(results));
  const numbers = rows
    .filter(({ topic }) => results[topic])
    .map(
      ({ what, figure = 'not measured yet', how, topic }) =>
        `| ${what} | ${figure} | ${how} | ${linkTo(topic)} |`,
    );
  const table = [`| ${heads.join(' | ')} | all figures |`, '|---|---:|---|---|', ...numbers].join('\n');
  const from = origin(question.topics, results);
  return numbers.length > 0 ? `${table}\n\n${from}` : from;
}
