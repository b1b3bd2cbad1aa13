import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { barsOnLogAxis, linesOverVariable, percentileLines } from '../../bench/harness/charts.ts';
import { withFigures } from '../../bench/harness/document.ts';
import { readResults, toFigure } from '../../bench/harness/figures.ts';
import { figuresAsMarkdown } from '../../bench/harness/table.ts';

const DOCUMENT = new URL('../../docs/performance.md', import.meta.url);

test('docs/performance.md says what was measured last, and shows pictures that are there', () => {
  const written = readFileSync(DOCUMENT, 'utf8');
  const results = readResults();
  if (!results) throw new Error('nothing was measured: npm run bench');
  expect(written, 'run: npm run bench').toBe(withFigures(written, results));
  const [changed, ...others] = results.figures;
  if (!changed) throw new Error('no figures');
  const other = { ...results, figures: [{ ...changed, median: changed.median * 2 }, ...others] };
  expect(withFigures(written, other)).not.toBe(written);
  const pictures = [...written.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
  expect(pictures.length).toBeGreaterThan(0);
  for (const path of pictures) expect(existsSync(new URL(path, DOCUMENT)), path).toBe(true);
});

test('figures that stand beside nothing have no table of ratios', () => {
  const figure = { id: 'memory.user', title: 'a user', unit: 'bytes', values: [1, 2] };
  expect(figuresAsMarkdown([toFigure(figure)])).not.toContain('beside');
  expect(figuresAsMarkdown([toFigure({ ...figure, against: { other: [1, 1] } })])).toContain('beside');
});

test.each([
  [
    'bars',
    () =>
      barsOnLogAxis({
        title: 'One decision',
        subtitle: 'median',
        axisName: 'nanoseconds',
        bars: [
          { name: 'Gatehouse', median: 300, quartiles: [280, 320], isOurs: true },
          { name: 'other', median: 1_000_000, quartiles: [900_000, 1_100_000] },
        ],
      }),
    ['One decision', 'Gatehouse', 'other', 'nanoseconds', '1,000,000'],
  ],
  [
    'lines',
    () =>
      linesOverVariable({
        title: 'Growth',
        subtitle: 'median',
        xName: 'users',
        yName: 'milliseconds',
        lines: [
          {
            name: 'Gatehouse',
            points: [
              [1_000, 1],
              [100_000, 2],
            ],
          },
        ],
        xLog: true,
      }),
    ['Growth', 'Gatehouse', 'users', 'milliseconds', '100,000'],
  ],
  [
    'percentiles',
    () =>
      percentileLines({
        title: 'Latency',
        subtitle: 'all answers',
        yName: 'milliseconds',
        series: { Gatehouse: Array.from({ length: 200 }, (_, n) => n + 1) },
      }),
    // Of 200 answers the slowest two are known, not the slowest in a thousand.
    ['Latency', 'Gatehouse', 'milliseconds', 'p99'],
  ],
])('a picture of %s has names and units, and is the same each time', (_, draw, texts) => {
  const svg = draw();
  for (const text of texts) expect(svg).toContain(`>${text}<`);
  expect(svg).not.toContain('>p99.9<');
  expect(draw()).toBe(svg);
});
