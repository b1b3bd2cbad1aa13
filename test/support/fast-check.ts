import fc from 'fast-check';
import { SEED } from './seed.ts';

/** fast-check with the seed of the run: a property that fails names it, with the path to the example. */
fc.configureGlobal({ seed: SEED });

export default fc;
