/** What a row of measurements comes to. Quartiles say more of noise than the extremes do: others only add time. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** First and third. */
  readonly quartiles: readonly [number, number];
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** Between two of `sorted` in proportion, as spreadsheets do it. */
function within(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) throw new Error('nothing was measured');
  return below + (above - below) * (place - Math.floor(place));
}

/** The value that `share` (0 to 1) of all are not above. */
export const percentile = (values: readonly number[], share: number): number =>
  within(ascending(values), share);

export function summarise(values: readonly number[]): Summary {
  const sorted = ascending(values);
  return {
    median: within(sorted, 0.5),
    min: within(sorted, 0),
    max: within(sorted, 1),
    quartiles: [within(sorted, 0.25), within(sorted, 0.75)],
  };
}

/** Round by round: what both met in the same moment cancels out. */
export function pairedRatios(own: readonly number[], peer: readonly number[]): readonly number[] {
  if (own.length !== peer.length) throw new Error(`${own.length} rounds are beside ${peer.length}`);
  return own.map((value, round) => value / (peer[round] as number));
}

/** By how much y grows with each x: the straight line with the least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number): number =>
    points.reduce((total, [x, y]) => total + of(x - middleX, y - middleY), 0);
  return sum((x, y) => x * y) / sum((x) => x * x);
}
