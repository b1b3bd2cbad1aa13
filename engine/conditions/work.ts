/** Whether a condition holds, or why that is not known. */
export type Outcome = { readonly holds: boolean } | { readonly unknown: string };

/** Steps (steps.ts) that one evaluation may take: about ten milliseconds. */
export const MAX_STEPS = 100_000;

/**
 * Steps that the conditions of one request may take together: some tenth of a second. It is what ten
 * conditions may take that are as long as one may be.
 */
export const MAX_REQUEST_STEPS = 1_000_000;

/** Why a condition is not evaluated that the budget does not reach. */
export const OVER_BUDGET = `the conditions of the request take more than ${MAX_REQUEST_STEPS} steps`;

/** Steps after which other requests get their turn. */
const SLICE = 100_000;

/**
 * The work that the conditions of one request do: its budget, and the outcomes that are known, for equal
 * conditions over equal values are evaluated once.
 */
export interface Work {
  /** Takes steps off the budget; false where it has fewer left. */
  readonly take: (steps: number) => boolean;
  /** Whether steps were refused: some conditions then count as not evaluated for this reason alone. */
  readonly isSpent: () => boolean;
  /** Whether it is time to let others run. Asked again, it is not, until as many steps have been taken. */
  readonly isDue: () => boolean;
  /** Known outcomes, by expression and by the values that it looks at. */
  readonly outcomes: Map<string, Outcome>;
  /** A number for a value: equal numbers mean the same object or an equal text, 0 none. */
  readonly idOf: (value: object | string | undefined) => number;
}

export function createWork(most = MAX_REQUEST_STEPS): Work {
  let taken = 0;
  let isSpent = false;
  let dueAt = SLICE;
  const known = new Map<object | string, number>();
  return {
    take: (steps) => {
      if (taken + steps > most) isSpent = true;
      else taken += steps;
      return !isSpent;
    },
    isSpent: () => isSpent,
    isDue: () => {
      if (taken < dueAt) return false;
      dueAt = taken + SLICE;
      return true;
    },
    outcomes: new Map(),
    idOf: (value) => {
      if (value === undefined) return 0;
      const id = known.get(value) ?? known.size + 1;
      known.set(value, id);
      return id;
    },
  };
}
