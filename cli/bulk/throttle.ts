/** How many rows may be under way at once: one more after each window that went well, half when the table is at its limit. */
export interface Throttle {
  readonly limit: () => number;
  readonly wentWell: () => void;
  readonly congested: () => void;
}

const START = 8;
/** What was under way together is refused together: that is one sign, not many. */
const SETTLES_MS = 250;

export function createThrottle(most: number, now: () => number): Throttle {
  let limit = Math.min(START, most);
  let quietUntil = Number.NEGATIVE_INFINITY;
  return {
    limit: () => Math.floor(limit),
    wentWell: () => {
      limit = Math.min(most, limit + 1 / limit);
    },
    congested: () => {
      if (now() < quietUntil) return;
      quietUntil = now() + SETTLES_MS;
      limit = Math.max(1, limit / 2);
    },
  };
}
