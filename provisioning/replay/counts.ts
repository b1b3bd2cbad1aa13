import { type Counter, counterName, logName } from './record.ts';

/** Records that were counted and are not there, of one log and month. */
export interface Gap {
  /** The log: `tenant:ID`, or `global`. */
  readonly log: string;
  readonly month: string;
  readonly missing: number;
}

/** A count with the highest that it is known to have had, and how many of its records were found. */
export interface Count {
  readonly of: Counter;
  counted: number;
  found: number;
}

/** Collects counts and the records that they counted. */
export function createCounts() {
  const counts = new Map<string, Count>();
  const at = (of: Counter): Count => {
    const known = counts.get(counterName(of)) ?? { of, counted: 0, found: 0 };
    counts.set(counterName(of), known);
    return known;
  };
  return {
    /** A record was found that this count has. */
    find: (of: Counter): void => {
      at(of).found += 1;
    },
    /** It has had this many records. */
    count: (of: Counter, records: number): void => {
      const known = at(of);
      known.counted = Math.max(known.counted, records);
    },
    all: (): readonly Readonly<Count>[] => [...counts.values()],
  };
}

/**
 * What was counted and not found, by log and month.
 *
 * @param before how many had been counted when the search for records began, by `MONTH COUNTER`
 */
export function gapsIn(
  counts: readonly Readonly<Count>[],
  before: ReadonlyMap<string, number> = new Map(),
): readonly Gap[] {
  const gaps = new Map<string, Gap>();
  for (const { of, counted, found } of counts) {
    const { owner, month, counter } = of;
    const missing = counted - (before.get(`${month} ${counter}`) ?? 0) - found;
    // Counts of which nothing is known are behind the others.
    if (counted === 0 || missing <= 0) continue;
    const log = logName(owner);
    const name = `${log} ${month}`;
    gaps.set(name, { log, month, missing: (gaps.get(name)?.missing ?? 0) + missing });
  }
  return [...gaps.values()];
}
