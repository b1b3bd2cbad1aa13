import type { EChartsOption } from 'echarts';
import { BarChart, CustomChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { percentile } from './statistics.ts';
import { shortNumber } from './table.ts';

/** Pictures for documents, as SVG text: from the same figures always the same, without a browser. */
use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** Of middle lightness: to be read on white paper and on a dark screen. */
const INK = '#7b8591';
const FAINT = '#7b859155';
const OURS = '#d97f2e';
const OTHERS = '#3f88d4';
const PALETTE = [OTHERS, OURS, '#3b9c6c', '#b0609f', '#8f8b3a', '#c8504b'];
const FONT = 'Helvetica, Arial, sans-serif';
const WIDTH = 760;

/** The library counts its charts and classes as long as the process lives; a picture counts its own. */
function renumbered(svg: string): string {
  const names = new Map<string, string>();
  return svg.replaceAll(/\bzr\d+-([a-z]+)-?\d+/g, (name, kind: string) => {
    const known = names.get(name) ?? `${kind}-${names.size}`;
    names.set(name, known);
    return known;
  });
}

function render(height: number, option: EChartsOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({
    animation: false,
    color: PALETTE,
    backgroundColor: 'transparent',
    textStyle: { color: INK, fontFamily: FONT },
    ...option,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${renumbered(svg)}\n`;
}

const heading = (title: string, subtitle: string) => ({
  ...{ text: title, subtext: subtitle, left: 0, top: 0, itemGap: 6 },
  textStyle: { color: INK, fontSize: 16, fontFamily: FONT },
  subtextStyle: { color: INK, fontSize: 12, fontFamily: FONT },
});

const axis = (name: string) => ({
  name,
  nameLocation: 'middle' as const,
  nameTextStyle: { color: INK, fontSize: 12 },
  axisLabel: { color: INK, fontSize: 12, formatter: (value: number) => shortNumber(value) },
  axisLine: { show: true, lineStyle: { color: INK } },
  splitLine: { lineStyle: { color: FAINT } },
});

/** With room between the names: where the font is another, it is wider. */
const LEGEND = {
  ...{ top: 46, left: 0, itemGap: 26, itemHeight: 4, icon: 'roundRect' },
  textStyle: { color: INK, fontSize: 12, fontFamily: FONT },
};

/** The grid's margins are outside of labels and names. */
const AROUND_LABELS = { outerBoundsMode: 'same', outerBoundsContain: 'all' } as const;

const powerBelow = (value: number): number => 10 ** Math.floor(Math.log10(value));
const powerAbove = (value: number): number => 10 ** Math.ceil(Math.log10(value));

/** A log axis has no zero: it begins at the power of ten below the least value. */
const scale = (isLog: boolean, values: readonly number[]) =>
  isLog
    ? { type: 'log' as const, min: powerBelow(Math.min(...values)), max: powerAbove(Math.max(...values)) }
    : { type: 'value' as const };

export interface Bar {
  readonly name: string;
  readonly median: number;
  readonly quartiles: readonly [number, number];
  /** Ours, in a colour of its own. */
  readonly isOurs?: boolean;
}

export interface BarsOptions {
  readonly title: string;
  readonly subtitle: string;
  /** What the axis shows, with its unit. */
  readonly axisName: string;
  readonly bars: readonly Bar[];
}

/** Bars on a log axis, the median at the end of each, and a whisker over the middle half of the rounds. */
export function barsOnLogAxis({ title, subtitle, axisName, bars }: BarsOptions): string {
  const least = powerBelow(Math.min(...bars.map(({ median, quartiles }) => Math.min(median, quartiles[0]))));
  const most = powerAbove(
    Math.max(...bars.map(({ median, quartiles }) => Math.max(median, quartiles[1]))) * 3,
  );
  return render(110 + bars.length * 30, {
    title: heading(title, subtitle),
    grid: { left: 36, right: 24, top: 60, bottom: 4, ...AROUND_LABELS },
    xAxis: { type: 'log', min: least, max: most, nameGap: 26, ...axis(axisName) },
    yAxis: {
      type: 'category',
      inverse: true,
      data: bars.map(({ name }) => name),
      axisLabel: { color: INK, fontSize: 12 },
      axisLine: { lineStyle: { color: INK } },
      axisTick: { show: false },
    },
    series: [
      {
        type: 'bar',
        barWidth: 14,
        data: bars.map(({ median, isOurs }) => ({
          value: median,
          itemStyle: { color: isOurs ? OURS : OTHERS },
        })),
      },
      {
        type: 'custom',
        encode: { x: [1, 2], y: 0 },
        data: bars.map(({ quartiles, median }, place) => [place, quartiles[0], quartiles[1], median]),
        renderItem: (_, api) => {
          const [y, low, high, median] = [0, 1, 2, 3].map((dimension) => Number(api.value(dimension)));
          const [left, top] = api.coord([low ?? 0, y ?? 0]) as [number, number];
          const [right] = api.coord([high ?? 0, y ?? 0]) as [number, number];
          return {
            type: 'group',
            children: [
              { type: 'rect', shape: { x: left, y: top - 1, width: Math.max(right - left, 1), height: 2 } },
              { type: 'rect', shape: { x: left, y: top - 5, width: 1, height: 10 } },
              { type: 'rect', shape: { x: right, y: top - 5, width: 1, height: 10 } },
            ]
              .map((child) => ({ ...child, style: { fill: INK } }) as never)
              .concat({
                type: 'text',
                style: {
                  text: shortNumber(median ?? 0),
                  x: right + 8,
                  y: top,
                  fill: INK,
                  verticalAlign: 'middle',
                  fontSize: 12,
                  fontFamily: FONT,
                },
              } as never),
          };
        },
      },
    ],
  });
}

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LinesOptions {
  readonly title: string;
  readonly subtitle: string;
  /** What each axis shows, with its unit. */
  readonly xName: string;
  readonly yName: string;
  readonly lines: readonly Line[];
  readonly xLog?: boolean;
  readonly yLog?: boolean;
}

/** Lines over a variable: a scale, a load. */
export function linesOverVariable(options: LinesOptions): string {
  const { title, subtitle, xName, yName, lines, xLog = false, yLog = false } = options;
  return render(380, {
    title: heading(title, subtitle),
    legend: LEGEND,
    grid: { left: 4, right: 24, top: 84, bottom: 4, ...AROUND_LABELS },
    xAxis: {
      ...scale(
        xLog,
        lines.flatMap(({ points }) => points.map(([x]) => x)),
      ),
      nameGap: 28,
      ...axis(xName),
    },
    yAxis: {
      ...scale(
        yLog,
        lines.flatMap(({ points }) => points.map(([, y]) => y)),
      ),
      nameGap: 52,
      ...axis(yName),
    },
    series: lines.map(({ name, points }) => ({
      ...{ type: 'line' as const, name, symbol: 'circle', symbolSize: 6, lineStyle: { width: 2 } },
      data: points.map(([x, y]) => [x, y]),
    })),
  });
}

/** Shares that percentile lines show: the further right, the rarer. */
const SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];

export interface PercentilesOptions {
  readonly title: string;
  readonly subtitle: string;
  readonly yName: string;
  /** By candidate, ascending or not: one value for each answer. */
  readonly series: Readonly<Record<string, readonly number[]>>;
}

/** How long the slower answers take: each line the percentiles of one candidate, as far as its count carries. */
export function percentileLines({ title, subtitle, yName, series }: PercentilesOptions): string {
  const lines = Object.entries(series).map(([name, values]) => {
    const shares = SHARES.filter((share) => values.length * (1 - share) >= 1);
    return { name, values: shares.map((share) => percentile(values, share)) };
  });
  const longest = Math.max(...lines.map(({ values }) => values.length));
  return render(380, {
    title: heading(title, subtitle),
    legend: LEGEND,
    grid: { left: 4, right: 24, top: 84, bottom: 4, ...AROUND_LABELS },
    xAxis: {
      type: 'category',
      boundaryGap: false,
      nameGap: 28,
      ...axis('percentile'),
      axisLabel: { color: INK, fontSize: 12 },
      data: SHARES.slice(0, longest).map((share) => `p${Number((share * 100).toFixed(2))}`),
    },
    yAxis: { type: 'log', nameGap: 52, ...axis(yName) },
    series: lines.map(({ name, values }) => ({
      ...{
        type: 'line' as const,
        name,
        symbol: 'circle',
        symbolSize: 6,
        lineStyle: { width: 2 },
        data: values,
      },
    })),
  });
}
