import { inject } from 'vitest';

/** A size that the soak tier has larger: it runs the tests of larger.ts again. */
export const size = (usual: number, inSoak: number): number => (inject('isSoak') ? inSoak : usual);
