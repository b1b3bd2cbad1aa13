import { inject } from 'vitest';

/** A size that the soak tier, which runs unit and integration tests too, has larger. */
export const size = (usual: number, inSoak: number): number => (inject('isSoak') ? inSoak : usual);
