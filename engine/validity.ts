import type { Interval } from '../table/decision/items.ts';

/** Whether an interval holds at an instant: from its start until before its end. */
export const holdsAt = ({ start, end }: Interval, at: number): boolean => start <= at && at < end;

/**
 * The first instant after `at` at which one of the intervals begins or ends; Infinity where none does. What was worked
 * out of them for `at` stays true by time alone until then. After an `at` that is no instant (NaN) nothing stays true.
 */
export function nextChange(at: number, intervals: Iterable<Interval>): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { start, end } of intervals) {
    for (const instant of [start, end]) if (!(instant <= at)) next = Math.min(next, instant);
  }
  return next;
}
