import type { Figure, Pair } from './figures.ts';

export interface Bound {
  readonly min?: number;
  readonly max?: number;
}

/** Bounds on a figure's median and on its ratios to peers (a `max` of 0.2 is "five times less"). */
export interface FigureBudget {
  readonly median?: Bound;
  readonly ratios?: Readonly<Record<string, Bound>>;
}

export interface Verdict {
  readonly id: string;
  /** The peer of a ratio; none for the median. */
  readonly peer?: string;
  readonly bound: Bound;
  readonly value: number;
  readonly quartiles: Pair;
  readonly holds: boolean;
}

/**
 * A budget is broken beyond noise when even the most favourable quarter of the rounds breaks it: the first
 * quartile is above a `max`, or the third below a `min`. A count, which is the same in each round, is
 * compared directly.
 */
function holds({ min, max }: Bound, [first, third]: Pair): boolean {
  return (max === undefined || first <= max) && (min === undefined || third >= min);
}

/**
 * Compares the figures of one topic with their budgets.
 *
 * @throws Error when a budget names a figure of that topic, or a peer, that was not measured
 */
export function checkBudgets(
  topic: string,
  figures: readonly Figure[],
  budgets: Readonly<Record<string, FigureBudget>>,
): readonly Verdict[] {
  const known = new Map(figures.map((figure) => [figure.id, figure]));
  const verdicts: Verdict[] = [];
  for (const [id, { median, ratios = {} }] of Object.entries(budgets)) {
    if (!id.startsWith(`${topic}.`)) continue;
    const figure = known.get(id);
    if (!figure) throw new Error(`there is a budget for ${id}, which was not measured`);
    if (median) {
      const { median: value, quartiles } = figure;
      verdicts.push({ id, bound: median, value, quartiles, holds: holds(median, quartiles) });
    }
    for (const [peer, bound] of Object.entries(ratios)) {
      const { ratios: found, ratioQuartiles } = figure;
      const [value, quartiles] = [found[peer], ratioQuartiles[peer]];
      if (value === undefined || quartiles === undefined)
        throw new Error(`there is a budget for ${id} beside ${peer}, which was not measured`);
      verdicts.push({ id, peer, bound, value, quartiles, holds: holds(bound, quartiles) });
    }
  }
  return verdicts;
}
