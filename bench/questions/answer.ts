import type { Bound } from '../harness/budgets.ts';
import type { Figure, Results } from '../harness/figures.ts';

/** What users ask, and how the figures answer it. */
export interface Question {
  /** Marks its places in docs/performance.md. */
  readonly name: string;
  /** The short answer first. */
  readonly sentences: readonly Said[];
  /** The numbers behind it, by topic and by how they were measured. */
  readonly numbers: readonly Numbers[];
}

/**
 * Text with figures: `{check.warm}` is a median with its unit, `{check.warm#}` the number alone, `{check.warm@p99}` its
 * 99th percentile, and `{check.warm/casl}` how many times the peer's value it is. A text that lacks a figure is left out.
 */
export type Said = string | ((of: FigureOf) => string | undefined);
export type FigureOf = (id: string) => Figure | undefined;

/** Rows of one topic: what, and its figures as text. */
export interface Numbers {
  readonly topic: string;
  /** In a few words; the topic's page has the rest. */
  readonly how: string;
  readonly rows: Readonly<Record<string, string>>;
}

/** A bound that was set before the code was measured, on a median or on a ratio (`check.warm/casl`). */
export interface Asked extends Bound {
  readonly what: string;
  readonly figure: string;
}

const figureOf = (results: Results): FigureOf => {
  const all = Object.values(results).flatMap(({ figures }) =>
    figures.map((each) => [each.id, each] as const),
  );
  const figures = new Map(all);
  return (id) => figures.get(id);
};
const topicOf = (id: string): string => id.split('.')[0] ?? '';

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

export const dollars = (value: number): string =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** A ratio for people: `1.26 times`, or `1/207 of` what follows. */
export const times = (ratio: number): string =>
  ratio < 0.25
    ? `1/${number(1 / ratio)} of`
    : `${Number(ratio.toFixed(ratio < 10 ? 2 : 1)).toLocaleString('en-US')} times`;

/** A value with its unit, for people. */
function shown(value: number, unit: string): string {
  if (unit in NANOSECONDS) return duration(value * (NANOSECONDS[unit] ?? 1));
  if (unit === '$/million' || unit === '$/month') return dollars(value);
  if (unit === 'x') return times(value);
  return `${number(value)}${unit === '/s' ? '' : ' '}${unit}`.trimEnd();
}

const PLACE = /\{([\w.-]+?)(?:\/([\w.-]+)|@(p99)|(#))?\}/g;

/** The text with its figures; undefined where one is missing. */
function filled(text: string, of: FigureOf): string | undefined {
  let isWhole = true;
  const written = text.replace(PLACE, (_, id: string, peer?: string, p99?: string, alone?: string) => {
    const figure = of(id);
    const value = peer ? figure?.ratios[peer] : p99 ? figure?.p99 : figure?.median;
    if (figure === undefined || value === undefined) {
      isWhole = false;
      return '';
    }
    if (alone) return number(value);
    return shown(value, peer ? 'x' : figure.unit);
  });
  return isWhole ? written : undefined;
}

interface Reached {
  readonly asked: Asked;
  readonly unit: string;
  readonly value: number | undefined;
  readonly isMissed: boolean;
}

function reachedBy(asked: Asked, of: FigureOf): Reached {
  const [id = '', peer] = asked.figure.split('/');
  const figure = of(id);
  const value = peer === undefined ? figure?.median : figure?.ratios[peer];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = asked;
  const isMissed = value !== undefined && (value < min || value > max);
  return { asked, unit: peer === undefined ? (figure?.unit ?? '') : 'x', value, isMissed };
}

/** The short answer as Markdown. */
export function answerAsMarkdown({ sentences, numbers }: Question, results: Results): string {
  const of = figureOf(results);
  const said = sentences.flatMap((each) => (typeof each === 'string' ? filled(each, of) : each(of)) ?? []);
  if (said.length > 0) return said.join(' ');
  return numbers.some(({ topic }) => results[topic])
    ? 'The figures of the short answer have not been measured yet; the table has what has been.'
    : 'Nothing of this has been measured yet.';
}

/** The numbers behind an answer as Markdown, with their origin. */
export function numbersAsMarkdown({ numbers }: Question, results: Results): string {
  const of = figureOf(results);
  const rows = numbers
    .filter(({ topic }) => results[topic])
    .flatMap(({ topic, how, rows: all }) =>
      Object.entries(all).map(([what, text]) => [what, filled(text, of), how, topic] as const),
    );
  return tableOf(['what', 'figure', 'measured as'], rows, numbers, results);
}

/** What was asked before it was measured, and what came of it: in words, and as a table. */
export function askedAsMarkdown(all: readonly Asked[], results: Results) {
  const reached = all.map((each) => reachedBy(each, figureOf(results)));
  const known = reached.filter(({ value }) => value !== undefined);
  const missed = known.filter(({ isMissed }) => isMissed);
  const rows = reached.map(({ asked: { what, figure, min, max }, value, unit, isMissed }) => {
    const plain = value === undefined ? undefined : shown(value, unit).replace(/ of$/, '');
    const bound = min === undefined ? `at most ${shown(max ?? 0, unit)}` : `at least ${shown(min, unit)}`;
    return [what, plain && (isMissed ? `**missed**: ${plain}` : plain), bound, topicOf(figure)] as const;
  });
  const topics = all.map(({ figure }) => ({ topic: topicOf(figure) }));
  return {
    answer:
      known.length === 0
        ? 'Nothing of this has been measured yet.'
        : `**Of ${known.length} bounds that were set before the code was measured, ${missed.length} are missed.** ` +
          'A bound is on the median, or on the median of the ratios within a round.',
    numbers: tableOf(
      ['what', 'reached', 'asked'],
      rows.filter(([, , , topic]) => results[topic]),
      topics,
      results,
    ),
  };
}

type Row = readonly [what: string, figure: string | undefined, how: string, topic: string];

const linkTo = (topic: string): string => `[${topic}](performance/${topic}.md)`;

/** A table, and when its topics were measured. */
function tableOf(
  heads: readonly string[],
  rows: readonly Row[],
  of: readonly { readonly topic: string }[],
  results: Results,
): string {
  const topics = [...new Set(of.map(({ topic }) => topic))];
  const known = topics.flatMap((topic) => {
    const { environment } = results[topic] ?? {};
    if (!environment) return [];
    const { date, commit = 'unknown' } = environment;
    return [`${linkTo(topic)} ${date.slice(0, 10)} at commit ${commit}`];
  });
  const unknown = topics.filter((topic) => !results[topic]).map((topic) => `\`npm run bench -- ${topic}\``);
  const origin = [
    ...(known.length > 0 ? [`Measured: ${known.join(', ')}.`] : []),
    ...(unknown.length > 0 ? [`**Not measured yet**: ${unknown.join(', ')}.`] : []),
  ].join(' ');
  const lines = rows.map(
    ([what, figure = 'not measured yet', how, topic]) =>
      `| ${what} | ${figure} | ${how} | ${linkTo(topic)} |`,
  );
  const table = [`| ${heads.join(' | ')} | all figures |`, '|---|---:|---|---|', ...lines].join('\n');
  return lines.length > 0 ? `${table}\n\n${origin}` : origin;
}
