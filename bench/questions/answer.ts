import type { Bound } from '../harness/budgets.ts';
import type { Figure, Results } from '../harness/figures.ts';

/** A bound that was set before the code was measured, on a median or on a ratio (`check.warm/casl`). */
export interface Asked extends Bound {
  readonly what: string;
  readonly figure: string;
}

const topicOf = (id: string): string => id.split('.')[0] ?? '';
const figureOf = (results: Results, id: string): Figure | undefined =>
  results[topicOf(id)]?.figures.find((figure) => figure.id === id);

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
  if (unit.startsWith('$')) return dollars(value);
  if (unit === 'x') return times(value);
  return `${number(value)}${unit === '/s' ? '' : ' '}${unit}`.trimEnd();
}

const PLACE = /\{([\w.-]+?)(?:\/([\w.-]+)|@(p99)|(#))?\}/g;

/** The text with its figures; undefined where one is missing. */
function filled(text: string, results: Results): string | undefined {
  let isWhole = true;
  const written = text.replace(PLACE, (_, id: string, peer?: string, p99?: string, alone?: string) => {
    const figure = figureOf(results, id);
    const value = peer ? figure?.ratios[peer] : p99 ? figure?.p99 : figure?.median;
    if (figure === undefined || value === undefined) {
      isWhole = false;
      return '';
    }
    return alone ? number(value) : shown(value, peer ? 'x' : figure.unit);
  });
  return isWhole ? written : undefined;
}

/**
 * A short answer as Markdown. In its sentences, `{check.warm}` is a median with its unit, `{check.warm#}` the number
 * alone, `{check.warm@p99}` its 99th percentile, and `{check.warm/casl}` how many times the peer's value it is. A
 * sentence that lacks a figure is left out.
 */
export const answerAsMarkdown = (sentences: readonly string[], results: Results): string =>
  sentences.flatMap((each) => filled(each, results) ?? []).join(' ') || 'This has not been measured yet.';

/** What was asked before it was measured, and what came of it: in words, and as a table. */
export function askedAsMarkdown(all: readonly Asked[], results: Results) {
  const reached = all.map(({ what, figure: of, min, max }) => {
    const [id = '', peer] = of.split('/');
    const figure = figureOf(results, id);
    const unit = peer === undefined ? (figure?.unit ?? '') : 'x';
    const value = peer === undefined ? figure?.median : figure?.ratios[peer];
    const isMissed = value !== undefined && (value < (min ?? value) || value > (max ?? value));
    const plain = value === undefined ? 'not measured yet' : shown(value, unit).replace(/ of$/, '');
    const bound = min === undefined ? `at most ${shown(max ?? 0, unit)}` : `at least ${shown(min, unit)}`;
    const topic = `[${topicOf(id)}](performance/${topicOf(id)}.md)`;
    const row = `| ${what} | ${isMissed ? `**missed**: ${plain}` : plain} | ${bound} | ${topic} |`;
    return { isKnown: value !== undefined, isMissed, row };
  });
  const count = (of: 'isKnown' | 'isMissed'): number => reached.filter((each) => each[of]).length;
  const heads = ['| what | reached | asked | all figures |', '|---|---:|---|---|'];
  return {
    answer:
      count('isKnown') === 0
        ? 'This has not been measured yet.'
        : `**Of ${count('isKnown')} bounds that were set before the code was measured, ${count('isMissed')} are missed.** ` +
          'A bound is on the median, or on the median of the ratios within a round.',
    numbers: [...heads, ...reached.map(({ row }) => row)].join('\n'),
  };
}
