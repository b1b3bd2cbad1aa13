import { GONE, USED } from '../cache.ts';
import type { Entry, Store } from '../store.ts';

/** When something was read and written, as coherence needs it. */
export type Times = Pick<Entry<unknown>, 'call' | 'readAt' | 'writtenAt'>;

/** What something that was made of entries rests on: of each figure the least favourable. */
export interface Basis extends Times {
  readonly entries: readonly Entry<unknown>[];
  readonly expiresAt: number;
  /** The version of the store at which all of them were last found there. */
  version: number;
}

export function basisOf(entries: readonly Entry<unknown>[]): Basis {
  const [first] = entries;
  const isOne = entries.every(({ call }) => call === first?.call);
  return {
    entries,
    // NaN equals nothing, itself not either.
    call: isOne && first ? first.call : Number.NaN,
    readAt: Math.min(...entries.map(({ readAt }) => readAt)),
    writtenAt: Math.max(...entries.map(({ writtenAt }) => writtenAt)),
    expiresAt: Math.min(...entries.map(({ expiresAt }) => expiresAt)),
    version: -1,
  };
}

/** Tells whether all that something rests on is still there and not too old, and marks it as used then. */
export function createStands({ state }: Store) {
  function areThere(basis: Basis): boolean {
    for (const entry of basis.entries) {
      if (entry.use === GONE) return false;
      entry.use = USED;
    }
    basis.version = state.version;
    return true;
  }

  // While nothing comes or goes nobody takes a mark off either.
  return (basis: Basis, now: number): boolean =>
    now < basis.expiresAt && (basis.version === state.version || areThere(basis));
}
