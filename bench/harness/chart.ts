/** A line of a chart. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** One pair of axes. */
export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
  /** Values at which the horizontal axis is labelled. */
  readonly ticks: readonly number[];
  readonly xTitle: string;
  /** A line across, as a quota. */
  readonly limit?: { readonly value: number; readonly name: string };
  readonly logarithmic?: { readonly x?: boolean; readonly y?: boolean };
}

/** Values by name, as bars. */
export interface Bars {
  readonly title: string;
  readonly bars: readonly {
    readonly name: string;
    readonly value: number;
    /** Drawn in the colour of what is not ours, or of what is missed. */
    readonly kind?: 'other' | 'missed';
  }[];
  /** A value as text, with its unit. */
  readonly show: (value: number) => string;
  readonly limit?: { readonly value: number; readonly name: string };
  readonly isLogarithmic?: boolean;
}

export interface Chart {
  /** What the picture shows, for those who cannot see it. */
  readonly label: string;
  readonly panels: readonly (Panel | Bars)[];
  /** Assumptions, a line each. */
  readonly notes: readonly string[];
}

const [WIDTH, LEFT, RIGHT, HEIGHT, TOP, GAP, MARGIN] = [920, 70, 200, 150, 40, 64, 24] as const;

const STYLE = `
    .panel { fill: #ffffff } .axis { stroke: #94a3b8; stroke-width: 1; fill: none } .grid { stroke: #e2e8f0; stroke-width: 1 }
    .title { font-weight: 600; fill: #0f172a } .note { fill: #475569; font-size: 12px }
    .limit { stroke: #dc2626; stroke-width: 1.5; stroke-dasharray: 6 4 } .warn { fill: #dc2626; font-size: 12px }
    .s0 { stroke: #0284c7 } .s1 { stroke: #d97706 } .s2 { stroke: #16a34a } .s3 { stroke: #9333ea }
    .line { fill: none; stroke-width: 2 } .key { stroke-width: 4 }
    .ours { fill: #0284c7 } .other { fill: #94a3b8 } .missed { fill: #dc2626 }
    @media (prefers-color-scheme: dark) {
      .panel { fill: #0f172a } .axis { stroke: #64748b } .grid { stroke: #1e293b } .title { fill: #f1f5f9 } .note { fill: #cbd5e1 }
      .limit { stroke: #f87171 } .warn { fill: #f87171 }
      .s0 { stroke: #38bdf8 } .s1 { stroke: #fbbf24 } .s2 { stroke: #4ade80 } .s3 { stroke: #c084fc }
      .ours { fill: #38bdf8 } .other { fill: #64748b } .missed { fill: #f87171 }
    }`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const short = (value: number): string => {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  return value >= 10_000
    ? `${Number((value / 1_000).toPrecision(3))}k`
    : String(Number(value.toPrecision(3)));
};
const place = (value: number): string => value.toFixed(1);

/** Three to six round values from 0, or powers of ten, that enclose all values. */
export function gridFor(values: readonly number[], logarithmic: boolean): readonly number[] {
  const found = Math.max(...values);
  // Where all are 0 there is still an axis.
  const most = found > 0 ? found : 1;
  if (logarithmic) {
    const least = Math.min(...values.filter((value) => value > 0));
    const from = Math.floor(Math.log10(least));
    const count = Math.max(1, Math.ceil(Math.log10(most)) - from);
    return Array.from({ length: count + 1 }, (_, n) => 10 ** (from + n));
  }
  const rough = most / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step);
}

function panelAt(top: number, { title, series, ticks, xTitle, limit, logarithmic = {} }: Panel): string {
  const all = series.flatMap(({ points }) => points);
  const grid = gridFor([...all.map(([, y]) => y), ...(limit ? [limit.value] : [])], logarithmic.y ?? false);
  const scale = (isLogarithmic: boolean | undefined) =>
    isLogarithmic ? Math.log10 : (value: number) => value;
  const [byX, byY] = [scale(logarithmic.x), scale(logarithmic.y)];
  const [lowX, highX] = [byX(Math.min(...ticks)), byX(Math.max(...ticks))];
  const [lowY, highY] = [byY(grid[0] as number), byY(grid.at(-1) as number)];
  const right = WIDTH - RIGHT;
  const x = (value: number): number => LEFT + ((byX(value) - lowX) / (highX - lowX)) * (right - LEFT);
  const y = (value: number): number =>
    top + HEIGHT - ((byY(Math.max(value, grid[0] as number)) - lowY) / (highY - lowY)) * HEIGHT;
  return [
    `<text class="title" x="${LEFT}" y="${top - 12}">${escaped(title)}</text>`,
    ...grid.map(
      (value) =>
        `<path class="grid" d="M${LEFT} ${place(y(value))}H${right}"/>` +
        `<text class="note" text-anchor="end" x="${LEFT - 8}" y="${place(y(value) + 4)}">${short(value)}</text>`,
    ),
    `<path class="axis" d="M${LEFT} ${top}V${top + HEIGHT}H${right}"/>`,
    ...ticks.map(
      (value) =>
        `<text class="note" text-anchor="middle" x="${place(x(value))}" y="${top + HEIGHT + 18}">${short(value)}</text>`,
    ),
    `<text class="note" x="${right + 24}" y="${top + HEIGHT + 18}">${escaped(xTitle)}</text>`,
    ...(limit
      ? [
          `<path class="limit" d="M${LEFT} ${place(y(limit.value))}H${right}"/>`,
          `<text class="warn" x="${right + 12}" y="${place(y(limit.value) + 4)}">${escaped(limit.name)}</text>`,
        ]
      : []),
    ...series.map(
      ({ points }, n) =>
        `<path class="line s${n}" d="${points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${place(x(px))} ${place(y(py))}`).join('')}"/>`,
    ),
    ...series.map(
      ({ name }, n) =>
        `<path class="key s${n}" d="M${right + 12} ${top + 50 + n * 20}h18"/>` +
        `<text class="note" x="${right + 36}" y="${top + 54 + n * 20}">${escaped(name)}</text>`,
    ),
  ].join('\n  ');
}

/** Where bars begin and end, and how far one is below the other. */
const [BARS_LEFT, BARS_RIGHT, BAR] = [330, 800, 22] as const;

function barsAt(top: number, { title, bars, show, limit, isLogarithmic = false }: Bars): string {
  const values = [...bars.map(({ value }) => value), ...(limit ? [limit.value] : [])];
  const grid = gridFor(values, isLogarithmic);
  const scale = isLogarithmic ? Math.log10 : (value: number) => value;
  const [low, high] = [grid[0] as number, grid.at(-1) as number];
  const x = (value: number): number =>
    BARS_LEFT +
    ((scale(Math.max(value, low)) - scale(low)) / (scale(high) - scale(low))) * (BARS_RIGHT - BARS_LEFT);
  const below = top + bars.length * BAR;
  return [
    `<text class="title" x="${MARGIN}" y="${top - 12}">${escaped(title)}</text>`,
    ...grid.map(
      (value) =>
        `<path class="grid" d="M${place(x(value))} ${top}V${below}"/>` +
        `<text class="note" text-anchor="middle" x="${place(x(value))}" y="${below + 18}">${escaped(show(value))}</text>`,
    ),
    ...bars.map(({ name, value, kind = 'ours' }, n) => {
      const [y, width] = [top + n * BAR, Math.max(1, x(value) - BARS_LEFT)];
      return (
        `<text class="note" text-anchor="end" x="${BARS_LEFT - 8}" y="${y + 15}">${escaped(name)}</text>` +
        `<rect class="${kind}" x="${BARS_LEFT}" y="${y + 4}" width="${place(width)}" height="${BAR - 8}"/>` +
        `<text class="note" x="${place(x(value) + 6)}" y="${y + 15}">${escaped(show(value))}</text>`
      );
    }),
    ...(limit
      ? [
          `<path class="limit" d="M${place(x(limit.value))} ${top - 4}V${below}"/>`,
          `<text class="warn" x="${place(x(limit.value) + 6)}" y="${top - 12}">${escaped(limit.name)}</text>`,
        ]
      : []),
  ].join('\n  ');
}

/** A picture as SVG, panel below panel, readable in light and dark. */
export function chartAsSvg({ label, panels, notes }: Chart): string {
  const heights = panels.map((panel) => ('bars' in panel ? panel.bars.length * BAR : HEIGHT));
  const topOf = (n: number): number => heights.slice(0, n).reduce((top, height) => top + height + GAP, TOP);
  const below = topOf(panels.length);
  const height = below + notes.length * 17 + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="${escaped(label)}">
  <style>${STYLE}
  </style>
  <rect class="panel" width="${WIDTH}" height="${height}" rx="12"/>
  ${panels.map((panel, n) => ('bars' in panel ? barsAt(topOf(n), panel) : panelAt(topOf(n), panel))).join('\n  ')}
  ${notes.map((note, n) => `<text class="note" x="${LEFT}" y="${below + n * 17}">${escaped(note)}</text>`).join('\n  ')}
</svg>
`;
}
