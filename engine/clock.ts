/** Time, injected: `now` in epoch milliseconds, as `Date.now`. */
export interface Clock {
  readonly now: () => number;
  /**
   * Milliseconds on a clock that never goes back, as `performance.now`. With it a wall clock that was set back is noticed
   * even when nobody asked in between.
   */
  readonly monotonic?: (() => number) | undefined;
}

/** The clock of the process. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** The two clocks are not read at the same instant: by so many milliseconds they may seem to part. */
const TOLERANCE_MS = 20;

/**
 * The clock with a watch on it: `onSetBack` is called when the wall clock went back, for then what was read before looks
 * younger than it is. (A process that was frozen is the other case: its monotonic clock may have stood still, and the wall
 * clock tells the truth.)
 */
export function createWatchedClock({ now, monotonic }: Clock, onSetBack: () => void): () => number {
  let latest = Number.NEGATIVE_INFINITY;
  let lead = Number.NEGATIVE_INFINITY;
  return () => {
    const instant = now();
    const ahead = monotonic === undefined ? 0 : instant - monotonic();
    if (instant < latest || ahead < lead - TOLERANCE_MS) {
      lead = ahead;
      onSetBack();
    } else if (ahead > lead) lead = ahead;
    latest = instant;
    return instant;
  };
}
