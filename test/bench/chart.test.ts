import { expect, test } from 'vitest';
import { chartAsSvg, gridFor } from '../../bench/harness/chart.ts';

test('the grid encloses all values in round steps', () => {
  expect(gridFor([3, 17], false)).toEqual([0, 5, 10, 15, 20]);
  expect(gridFor([0, 3_000], false)).toEqual([0, 1_000, 2_000, 3_000]);
  expect(gridFor([0.4, 230], true)).toEqual([0.1, 1, 10, 100, 1_000]);
});

test('a chart has its lines, its limit and its assumptions, and no mark-up of its texts', () => {
  const svg = chartAsSvg({
    label: 'a "label"',
    panels: [
      {
        title: 'a < b',
        series: [
          {
            name: 'line',
            points: [
              [0, 0],
              [10, 100],
            ],
          },
        ],
        ...{ ticks: [0, 10], xTitle: 'x', limit: { value: 50, name: 'limit' } },
      },
    ],
    notes: ['an assumption'],
  });
  // From the lower left to the upper right corner of the axes.
  expect(svg).toContain('d="M70.0 190.0L720.0 40.0"');
  expect(svg).toContain('class="limit" d="M70 115.0H720"');
  expect(svg).toContain('a &lt; b');
  expect(svg).toContain('a &quot;label&quot;');
  expect(svg).toContain('an assumption');
});

test('bars begin at the same place, and are as long as their values', () => {
  const bars = [
    { name: 'ours', value: 50 },
    { name: 'theirs', value: 100, kind: 'other' as const },
  ];
  const panel = { title: 'bars', bars, show: (value: number) => `${value} <ms>` };
  const svg = chartAsSvg({ label: 'bars', panels: [panel], notes: [] });
  expect(svg).toContain('<rect class="ours" x="330" y="44" width="235.0"');
  expect(svg).toContain('<rect class="other" x="330" y="66" width="470.0"');
  expect(svg).toContain('100 &lt;ms>');
  const limited = { ...panel, isLogarithmic: true, limit: { value: 10, name: 'asked' } };
  // From 10 to 100.
  expect(chartAsSvg({ label: 'bars', panels: [limited], notes: [] })).toContain('class="limit" d="M330.0 ');
});
