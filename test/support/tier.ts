import { inject } from 'vitest';

/**
 * A size that the soak tier has larger: `name.soak.test.ts` imports `name.test.ts`, and so runs it again with
 * the large sizes.
 */
export const size = (usual: number, inSoak: number): number => (inject('isSoak') ? inSoak : usual);
