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

export type Verdict = ReturnType<typeof checkBudgets>[number];

/**
 * A budget is broken beyond noise when even the most favourable quarter of the rounds breaks it: the first
 * quartile is above a `max`, or the third below a `min`. A count, which is the same in each round, is
 * compared directly.
 */
function holds({ min, max }: Bound, [first, third]: Pair): boolean {
  return (max === undefined || first <= max) && (min === undefined || third >= min);
}

/**
 * Compares the figures of one topic with their budgets: medians, and ratios beside a peer.
 *
 * @throws Error when a budget names a figure of that topic, or a peer, that was not measured
 */
export function checkBudgets(
  topic: string,
  figures: readonly Figure[],
  budgets: Readonly<Record<string, FigureBudget>>,
) {
  const known = new Map(figures.map((figure) => [figure.id, figure]));
  const ours = Object.entries(budgets).filter(([id]) => id.startsWith(`${topic}.`));
  return ours.flatMap(([id, { median, ratios = {} }]) => {
    const figure = known.get(id);
    if (!figure) throw new Error(`there is a budget for ${id}, which was not measured`);
    const verdict = (bound: Bound, value?: number, quartiles?: Pair, peer?: string) => {
      if (value === undefined || quartiles === undefined)
        throw new Error(`there is a budget for ${id} beside ${peer}, which was not measured`);
      return { id, peer, bound, value, quartiles, holds: holds(bound, quartiles) };
    };
    return [
      ...(median ? [verdict(median, figure.median, figure.quartiles)] : []),
      ...Object.entries(ratios).map(([peer, bound]) =>
        verdict(bound, figure.ratios[peer], figure.ratioQuartiles[peer], peer),
      ),
    ];
  });
}
