/** Steps that one evaluation may take: some milliseconds. */
export const MAX_STEPS = 50_000;

/** Why an expression cannot be evaluated. */
export class EvaluationFault extends Error {}

/** One object for all: it may be thrown once for each entry of a list, and a trace costs more than a step. */
const EXCEEDED = new EvaluationFault(`it takes more than ${MAX_STEPS} steps`);

/**
 * Counts the steps of one evaluation: one for each part of the expression each time it is evaluated, for each
 * entry that is looked at, and for each 64 characters that are copied or compared.
 */
export interface Meter {
  readonly start: () => void;
  /** @throws EvaluationFault when the bound is exceeded; then at every further step too */
  readonly spend: (steps: number) => void;
  readonly isExceeded: () => boolean;
  readonly message: string;
  readonly taken: () => number;
}

export function createMeter(): Meter {
  let left = MAX_STEPS;
  return {
    start: () => {
      left = MAX_STEPS;
    },
    spend: (steps) => {
      left -= steps;
      if (left < 0) throw EXCEEDED;
    },
    isExceeded: () => left < 0,
    message: EXCEEDED.message,
    taken: () => MAX_STEPS - left,
  };
}

export const charactersToSteps = (characters: number): number => Math.ceil(characters / 64);
