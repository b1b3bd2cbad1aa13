import { createRandom } from '../../test/proof/oracle/random.ts';

/** Odd, so that the median is one of them. */
const RESAMPLES = 101;

/**
 * Percentiles with their uncertainty by the bootstrap: 101 samples of the same size, drawn from the measured
 * values with replacement. For each share, one value per sample.
 */
export function resampledPercentiles(
  values: readonly number[],
  shares: readonly number[],
  seed: number,
): readonly (readonly number[])[] {
  const random = createRandom(seed);
  const found = shares.map((): number[] => []);
  const drawn = new Float64Array(values.length);
  for (let time = 0; time < RESAMPLES; time++) {
    for (let place = 0; place < drawn.length; place++)
      drawn[place] = values[random.below(values.length)] as number;
    drawn.sort();
    for (const [position, share] of shares.entries())
      found[position]?.push(drawn[Math.ceil((drawn.length - 1) * share)] as number);
  }
  return found;
}
