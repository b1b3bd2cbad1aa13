const START = 8;
/** Requests that were in flight together are throttled together: that counts once. */
const SAME_CONGESTION_MS = 250;

/**
 * How many rows may be in flight: additive increase, multiplicative decrease. The limit grows by one for each
 * round of rows that succeed, and halves when the table is at its limit.
 */
export function createConcurrency(most: number, now: () => number) {
  let limit = Math.min(START, most);
  let ignoreUntil = Number.NEGATIVE_INFINITY;
  return {
    limit: () => Math.floor(limit),
    succeeded: () => {
      limit = Math.min(most, limit + 1 / limit);
    },
    congested: () => {
      if (now() < ignoreUntil) return;
      ignoreUntil = now() + SAME_CONGESTION_MS;
      limit = Math.max(1, limit / 2);
    },
  };
}
