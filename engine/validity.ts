import type { Interval } from '../table/decision/items.ts';

/** What nothing begins or ends. */
export const ALWAYS: Interval = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Whether an interval holds at an instant: from its start until before its end. */
export const holdsAt = ({ start, end }: Interval, at: number): boolean => start <= at && at < end;

/**
 * The interval around `at` in which none of the given intervals begins or ends: so long does what was worked out of them
 * for `at` stay true by time alone.
 */
export function validityAround(at: number, intervals: Iterable<Interval>): Interval {
  let { start, end } = ALWAYS;
  for (const interval of intervals) {
    for (const instant of [interval.start, interval.end]) {
      if (instant <= at) start = Math.max(start, instant);
      else end = Math.min(end, instant);
    }
  }
  return start === ALWAYS.start && end === ALWAYS.end ? ALWAYS : { start, end };
}
