import type { Explanation, Validity } from '../../../../engine/index.ts';
import { DAY, type Days, daysOf, yearAround } from '../../parts/instant.ts';

/** An instant at which a period of the decision begins or ends. */
export interface Mark {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly isStart: boolean;
  readonly of: Validity;
}

/** Parts of a strip: each is asked about once. It bounds the calls of one question. */
export const MOST_PARTS = 24;

/** Further away a period would leave too little of the slider for the others. */
const FURTHEST = 5 * 365 * DAY;
const MARGIN = 30 * DAY;

/** Every start and end of the periods on which a decision rests, by time. */
export function marksOf({ validities }: Pick<Explanation, 'validities'>): readonly Mark[] {
  const marks = validities.items.flatMap((of) =>
    [of.start, of.end].flatMap((text, position): readonly Mark[] =>
      text === undefined ? [] : [{ at: Date.parse(text), isStart: position === 0, of }],
    ),
  );
  return marks.sort((one, other) => one.at - other.at);
}

/**
 * The range of a slider: now and the marks that are not too far from it.
 *
 * @param others instants that shall be in it as well
 */
export function rangeOf(marks: readonly Mark[], now: number, others: readonly number[] = []): Days {
  const instants = instantsOf(marks)
    .filter((at) => Math.abs(at - now) <= FURTHEST)
    .sort((one, other) => Math.abs(one - now) - Math.abs(other - now))
    .slice(0, MOST_PARTS - 1);
  const shown = [...instants, ...others];
  const { start, end } = yearAround(now);
  return daysOf(
    Math.min(start, ...shown.map((at) => at - MARGIN)),
    Math.max(end, ...shown.map((at) => at + MARGIN)),
  );
}

export const instantsOf = (marks: readonly Mark[]): readonly number[] => [
  ...new Set(marks.map(({ at }) => at)),
];

/**
 * The parts of a range in which the decision cannot change by time alone, at most {@link MOST_PARTS}. Where there are
 * more, the last one is cut off: the range ends where it would begin.
 */
export function partsOf(range: Days, marks: readonly Mark[]): readonly Days[] {
  const inside = instantsOf(marks).filter((at) => at > range.start && at < range.end);
  const bounds = [range.start, ...inside, range.end];
  return bounds
    .slice(0, -1)
    .map((start, position) => ({ start, end: bounds[position + 1] ?? range.end }))
    .slice(0, MOST_PARTS);
}

/** Months between two labels of an axis. */
const STEPS = [1, 2, 3, 6, 12, 24, 60, 120];

/** First days of months in a range, evenly apart, for at most so many labels. */
export function axisOf({ start, end }: Days, most: number): readonly number[] {
  for (const step of STEPS) {
    if ((end - start) / (31 * DAY * step) > most + 1) continue;
    const found: number[] = [];
    const first = new Date(start);
    for (let month = 0; ; month += 1) {
      const at = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
      if (at > end) break;
      const months = new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
      if (at >= start && months % step === 0) found.push(at);
    }
    if (found.length <= most) return found;
  }
  return [];
}
