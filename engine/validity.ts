import type { Interval } from '../table/decision/items.ts';

/** Whether an interval contains an instant: start included, end excluded. */
export const holdsAt = ({ start, end }: Interval, at: number): boolean => start <= at && at < end;

/**
 * The first instant after `at` at which one of the intervals begins or ends; Infinity if none does. Results
 * computed for `at` hold until then by time alone. If `at` is NaN, it is the earliest of all instants.
 */
export function nextChange(at: number, intervals: Iterable<Interval>): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { start, end } of intervals) {
    if (!(start <= at) && !(start >= next)) next = start;
    if (!(end <= at) && !(end >= next)) next = end;
  }
  return next;
}
