import type { Item } from '../item.ts';
import type { Key } from '../keys.ts';
import type { Reader } from './reader.ts';

/**
 * Hedged reads: a batch that takes longer than most is asked for once more, and whichever answer comes first
 * counts. It trades a bounded share of additional reads for the long tail (Dean and Barroso, "The Tail at Scale";
 * reference/aws-facts: reads only, capped, off until measured).
 */
export interface HedgingOptions {
  readonly getMany: Reader['getMany'];
  /** Epoch milliseconds. */
  readonly clock: { readonly now: () => number };
  /** Which of the latencies measured lately a read must exceed before it is asked again. Default 0.95. */
  readonly percentile?: number;
  /** How many of all reads may be asked twice, at most. Default 0.05. */
  readonly maxShare?: number;
  /** Runs `act` after so many milliseconds, unless what it returns is called before. */
  readonly schedule?: (milliseconds: number, act: () => void) => () => void;
}

export interface HedgingFigures {
  readonly reads: number;
  /** Reads that were asked twice, and of those the ones whose second answer came first. */
  readonly hedged: number;
  readonly won: number;
}

/** Latencies that are remembered, and how many there must be before one is called long. */
const REMEMBERED = 256;
const ENOUGH = 64;

const afterTimeout = (milliseconds: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};

export function createHedging({
  getMany,
  clock,
  percentile = 0.95,
  maxShare = 0.05,
  schedule = afterTimeout,
}: HedgingOptions): { readonly getMany: Reader['getMany']; readonly figures: () => HedgingFigures } {
  const latencies: number[] = [];
  let [reads, hedgedReads, won, next] = [0, 0, 0, 0];

  function note(latency: number): void {
    latencies[next % REMEMBERED] = latency;
    next += 1;
  }

  /** Undefined while too little is known, or when too many reads were asked twice already. */
  function patience(): number | undefined {
    if (latencies.length < ENOUGH || hedgedReads + 1 > maxShare * reads) return undefined;
    const sorted = [...latencies].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(percentile * sorted.length))];
  }

  return {
    figures: () => ({ reads, hedged: hedgedReads, won }),
    getMany: (keys: readonly Key[], notes) => {
      reads += 1;
      const begun = clock.now();
      const wait = patience();
      const first = getMany(keys, notes).finally(() => note(clock.now() - begun));
      if (wait === undefined) return first;
      return new Promise<readonly (Item | undefined)[]>((resolve, reject) => {
        let open = 1;
        const settle = (attempt: Promise<readonly (Item | undefined)[]>, isSecond: boolean) =>
          attempt.then(
            (items) => {
              cancel();
              if (isSecond && open > 0) won += 1;
              open = 0;
              resolve(items);
            },
            (error: unknown) => {
              open -= 1;
              // The other one may still succeed.
              if (open > 0) return;
              cancel();
              reject(error);
            },
          );
        const cancel = schedule(wait, () => {
          hedgedReads += 1;
          if (notes) notes.hedged += 1;
          open += 1;
          void settle(getMany(keys, notes), true);
        });
        void settle(first, false);
      });
    },
  };
}
