import type { Bound, Verdict } from './budgets.ts';
import type { Figure, Pair } from './figures.ts';

/** Three digits, with separators of thousands: `1,234`, `56.1`, `0.78`. */
export function shortNumber(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
}

/** A ratio for people: `1.4 x`, or `1/5` for a fifth. */
const shortRatio = (ratio: number): string =>
  ratio > 0.25 ? `${shortNumber(ratio)} x` : `1/${shortNumber(1 / ratio)}`;

const spread = ([first, third]: Pair, show: (value: number) => string): string =>
  `${show(first)} to ${show(third)}`;

const describeBound = ({ min, max }: Bound, show: (value: number) => string): string =>
  [
    ...(min === undefined ? [] : [`at least ${show(min)}`]),
    ...(max === undefined ? [] : [`at most ${show(max)}`]),
  ].join(', ');

/** A line for each. */
export const verdictsAsLines = (verdicts: readonly Verdict[]): string =>
  verdicts
    .map(({ holds, id, peer, value, quartiles, bound }) => {
      const show = peer === undefined ? shortNumber : shortRatio;
      const what = `${holds ? 'ok    ' : 'BROKEN'} ${id}${peer === undefined ? '' : ` beside ${peer}`}`;
      return `${what}  ${show(value)}  (${spread(quartiles, show)})  budget ${describeBound(bound, show)}`;
    })
    .join('\n');

/** A row of Markdown. */
export const rowOf = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The figures of a topic, then their ratios to peers, if any. */
export function figuresAsMarkdown(figures: readonly Figure[]): string {
  const titles = new Map(figures.map(({ id, title }) => [id.slice(id.indexOf('.') + 1), title]));
  const medians = figures.map(({ id, title, unit, median, quartiles }) =>
    rowOf(`\`${id}\``, title, `${shortNumber(median)} ${unit}`, spread(quartiles, shortNumber)),
  );
  const ratios = figures.flatMap(({ id, ratios, ratioQuartiles }) =>
    Object.entries(ratios).map(([peer, ratio]) =>
      rowOf(
        `\`${id}\``,
        titles.get(peer) ?? peer,
        shortRatio(ratio),
        spread(ratioQuartiles[peer] ?? [ratio, ratio], shortRatio),
      ),
    ),
  );
  return [
    '| figure | what | median | middle half of the rounds |',
    '|---|---|---:|---:|',
    ...medians,
    ...(ratios.length === 0
      ? []
      : ['', '| figure | beside | ratio | middle half of the rounds |', '|---|---|---:|---:|', ...ratios]),
  ].join('\n');
}
