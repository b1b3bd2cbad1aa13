import * as fc from 'fast-check';
import { SEED } from './seed.ts';
import { size } from './tier.ts';

export * from 'fast-check';

/** fast-check with the seed of the run: a property that fails names it, with the path to the example. */
fc.configureGlobal({ seed: SEED });

/** A property holds in twenty times as many runs in the soak tier. */
export const assert = (<T>(
  property: fc.IRawProperty<T>,
  { numRuns = 100, ...options }: fc.Parameters<T> = {},
) => fc.assert(property, { ...options, numRuns: numRuns * size(1, 20) })) as typeof fc.assert;
