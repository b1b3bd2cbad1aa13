import { inject } from 'vitest';

/** A size that the soak tier, which runs the tests of all others but the slowest, has larger. */
export const size = (usual: number, inSoak: number): number => (inject('isSoak') ? inSoak : usual);
