/** Summary of a series. Quartiles describe noise better than extremes: other load can only add time. */
export interface Summary {
  readonly median: number;
  /** First and third. */
  readonly quartiles: readonly [number, number];
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The quantile by linear interpolation, as in spreadsheets. */
function within(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) throw new Error('nothing was measured');
  return below + (above - below) * (place - Math.floor(place));
}

/** The quantile of `share`, 0 to 1. */
export const percentile = (values: readonly number[], share: number): number =>
  within(ascending(values), share);

export function summarise(values: readonly number[]): Summary {
  const sorted = ascending(values);
  return {
    median: within(sorted, 0.5),
    quartiles: [within(sorted, 0.25), within(sorted, 0.75)],
  };
}

/** Ratios round by round: disturbances of the same round cancel out. */
export function pairedRatios(own: readonly number[], peer: readonly number[]): readonly number[] {
  if (own.length !== peer.length) throw new Error(`${own.length} rounds do not match ${peer.length}`);
  return own.map((value, round) => value / (peer[round] as number));
}

/** The slope of the least-squares line. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number): number =>
    points.reduce((total, [x, y]) => total + of(x - middleX, y - middleY), 0);
  return sum((x, y) => x * y) / sum((x) => x * x);
}
