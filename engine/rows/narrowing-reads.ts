import { createCachedLoader } from '../cached-loader.ts';
import type { Clock } from '../clock.ts';

/** Bound on all that is kept, in estimated bytes. */
const MAX_BYTES = 4 * 1_024 * 1_024;

/** Estimated bytes of an entry beside its value. */
const ENTRY_BYTES = 1_000;

/** The reads of one narrowing. */
export interface NarrowingReads {
  /**
   * What is kept under a key, or what `load` answers. Undefined is not kept.
   *
   * @param bytesOf estimated bytes of an answer
   */
  readonly read: <T>(key: string, load: () => Promise<T>, bytesOf: (answer: T) => number) => Promise<T>;
  /** Epoch milliseconds until which a query may use what they answered; `Infinity` before the first. */
  readonly expiresAt: () => number;
}

/**
 * Keeps what is read to narrow queries for half of its time-to-live, so that a query has the other half to end.
 *
 * @returns begins a narrowing; one that is not `cached` reads all anew
 */
export function createNarrowingReads(clock: Clock, ttlMs: number): (isCached: boolean) => NarrowingReads {
  interface Kept {
    readonly answer: unknown;
    readonly bytes: number;
    readonly at: number;
  }
  const kept = createCachedLoader<Kept>({
    maxBytes: MAX_BYTES,
    sizeOf: ({ bytes }, key) => ENTRY_BYTES + key.length + bytes,
    now: clock.now,
  });

  async function loaded<T>(
    key: string,
    load: () => Promise<T>,
    bytesOf: (answer: T) => number,
    isCached: boolean,
  ): Promise<Kept> {
    const now = clock.now();
    const known = isCached ? kept.find(key) : undefined;
    if (known && now >= known.at && now < known.at + ttlMs / 2) return known;
    const [loading] = kept.load([key], now, () => [
      load().then((answer) => {
        const entry = { answer, bytes: bytesOf(answer), at: now };
        if (answer !== undefined) kept.keep(key, entry);
        return entry;
      }),
    ]);
    return loading as Promise<Kept>;
  }

  return (isCached) => {
    let oldest = Number.POSITIVE_INFINITY;
    return {
      read: async <T>(key: string, load: () => Promise<T>, bytesOf: (answer: T) => number) => {
        const { answer, at } = await loaded(key, load, bytesOf, isCached);
        oldest = Math.min(oldest, at);
        return answer as T;
      },
      expiresAt: () => oldest + ttlMs,
    };
  };
}
