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

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const spread = ([first, third]: Pair, show: (value: number) => string): string =>
  `${show(first)} to ${show(third)}`;

/** For a terminal: a line per figure and one per ratio. */
export function figuresAsTable(figures: readonly Figure[]): string {
  return aligned([
    ['figure', 'median', 'unit', 'middle half', 'min', 'max', 'p99'],
    ...figures.flatMap(({ id, unit, median, min, max, quartiles, p99, ratios, ratioQuartiles }) => [
      [
        id,
        shortNumber(median),
        unit,
        spread(quartiles, shortNumber),
        shortNumber(min),
        shortNumber(max),
        p99 === undefined ? '' : shortNumber(p99),
      ],
      ...Object.entries(ratios).map(([peer, ratio]) => [
        `  beside ${peer}`,
        shortRatio(ratio),
        '',
        spread(ratioQuartiles[peer] ?? [ratio, ratio], shortRatio),
        '',
        '',
        '',
      ]),
    ]),
  ]);
}

const describeBound = ({ min, max }: Bound, show: (value: number) => string): string =>
  [
    ...(min === undefined ? [] : [`at least ${show(min)}`]),
    ...(max === undefined ? [] : [`at most ${show(max)}`]),
  ].join(', ');

export const verdictsAsTable = (verdicts: readonly Verdict[]): string =>
  aligned(
    verdicts.map(({ holds, id, peer, value, quartiles, bound }) => {
      const show = peer === undefined ? shortNumber : shortRatio;
      return [
        `${holds ? 'ok    ' : 'BROKEN'} ${id}${peer === undefined ? '' : ` beside ${peer}`}`,
        show(value),
        `(${spread(quartiles, show)})`,
        `budget ${describeBound(bound, show)}`,
      ];
    }),
  );

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** For documents: the figures of a topic, then their ratios to peers, if any. */
export function figuresAsMarkdown(figures: readonly Figure[]): string {
  const titles = new Map(figures.map(({ id, title }) => [id.slice(id.indexOf('.') + 1), title]));
  const medians = figures.map(({ id, title, unit, median, quartiles }) =>
    row(`\`${id}\``, title, `${shortNumber(median)} ${unit}`, spread(quartiles, shortNumber)),
  );
  const ratios = figures.flatMap(({ id, ratios, ratioQuartiles }) =>
    Object.entries(ratios).map(([peer, ratio]) =>
      row(
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
