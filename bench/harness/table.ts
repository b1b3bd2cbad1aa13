import type { Verdict } from './budgets.ts';
import type { Figure } from './figures.ts';

/** Three digits, with thousands apart: `1,234`, `56.1`, `0.78`. */
export function shortNumber(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
}

/** A ratio as people say it: `1.4 x`, or `1/12` for a twelfth. */
export const shortRatio = (ratio: number): string =>
  ratio >= 0.1 ? `${shortNumber(ratio)} x` : `1/${shortNumber(1 / ratio)}`;

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

/** What was measured: a line for each figure, and one for each of its ratios. */
export function figuresAsTable(figures: readonly Figure[]): string {
  const spread = ([first, third]: readonly [number, number], show: (value: number) => string) =>
    `${show(first)} to ${show(third)}`;
  return aligned([
    ['figure', 'median', 'unit', 'middle half', 'min', 'max', 'p99'],
    ...figures.flatMap(({ id, unit, median, min, max, quartiles, p99, ratios, ratioQuartiles }) => [
      [
        ...[
          id,
          shortNumber(median),
          unit,
          spread(quartiles, shortNumber),
          shortNumber(min),
          shortNumber(max),
        ],
        p99 === undefined ? '' : shortNumber(p99),
      ],
      ...Object.entries(ratios).map(([peer, ratio]) => [
        ...[
          `  beside ${peer}`,
          shortRatio(ratio),
          '',
          spread(ratioQuartiles[peer] ?? [ratio, ratio], shortRatio),
        ],
        ...['', '', ''],
      ]),
    ]),
  ]);
}

export const verdictsAsTable = (verdicts: readonly Verdict[]): string =>
  aligned(
    verdicts.map(({ holds, what, value, quartiles: [first, third], bound }) => [
      `${holds ? 'ok    ' : 'BROKEN'} ${what}`,
      ...[shortNumber(value), `(${shortNumber(first)} to ${shortNumber(third)})`, `budget ${bound}`],
    ]),
  );
