import type { Random } from '../../test/proof/oracle/random.ts';

/** How requests arrive: independently, as from many people, or evenly. */
export type Arrivals = 'poisson' | 'constant';

export interface ScheduleOptions {
  readonly arrivals: Arrivals;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly random: Random;
}

const STEPS = 2 ** 32;
/** Above 0, up to 1. */
const chance = (random: Random): number => (random.below(STEPS) + 1) / STEPS;

/**
 * When each request is due, in milliseconds from the start, fixed before the first one is sent. The number is
 * always rate by seconds: given their number, the arrivals of a Poisson process are uniformly distributed.
 */
export function createSchedule({ arrivals, rate, seconds, random }: ScheduleOptions): readonly number[] {
  const count = Math.floor(rate * seconds);
  const due = Float64Array.from({ length: count }, (_, n) =>
    arrivals === 'constant' ? (n * 1_000) / rate : (1 - chance(random)) * seconds * 1_000,
  );
  return [...due.sort()];
}

/**
 * Draws positions from 0 to `count - 1`, the n-th with a weight of 1 / n^exponent: a few are frequent, most
 * are rare. An exponent of 0 is uniform.
 */
export function createZipf(count: number, exponent: number, random: Random): () => number {
  if (count < 1) throw new Error('count is below 1');
  let sum = 0;
  const upTo = Float64Array.from({ length: count }, (_, place) => {
    sum += (place + 1) ** -exponent;
    return sum;
  });
  return () => {
    const drawn = chance(random) * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] as number) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
