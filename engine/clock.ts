export interface Clock {
  /** The wall clock in epoch milliseconds, such as `Date.now`. */
  readonly now: () => number;
  /**
   * A monotonic clock in milliseconds, such as `performance.now`. It detects a wall clock that was set back,
   * even if nobody read that clock in between.
   */
  readonly monotonic?: (() => number) | undefined;
}

/** The clock of the process. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Tolerated difference between the two clocks, which are not read at the same instant. */
const TOLERANCE_MS = 20;

/**
 * Wraps a clock and calls `onSetBack` when the wall clock was set back: cached entries would then look
 * younger than they are. A process that was frozen is not such a case: its monotonic clock may have stopped,
 * but the wall clock is right.
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
