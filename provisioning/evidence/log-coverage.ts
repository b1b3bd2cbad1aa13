import { GatehouseError } from '../../table/errors.ts';
import type { DecisionRecord, LogRecord } from './log-lines.ts';

/** How much of what was decided a decision log has: from its numbers, heartbeats and shares. */

/** What is known of one that writes a log: an API, by its name, or a service that is no authorizer. */
export interface LogSource {
  /** Epoch milliseconds. */
  readonly first: number;
  /** Whether API Gateway may have answered from its cache, without a line. */
  readonly hasPolicies: boolean;
  /** Whether allows were decided of which none has a line. */
  readonly hasNoAllows: boolean;
}

export interface LogCoverage {
  /** The first and the last instant, in epoch milliseconds; undefined without a line. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Days (UTC) with a line. */
  readonly days: number;
  /** Decisions that have a line, each once, and how many were made in all, as far as heartbeats say it. */
  readonly decisions: number;
  readonly made: number;
  /** The smallest share with which allows were written; 0 where none was. */
  readonly rate: number;
  readonly processes: number;
  /** Lines whose number is missing, and the processes that wrote them. */
  readonly lost: number;
  readonly lostIn: number;
  /** Processes without an end: what each decided last, for up to a minute, is not known. */
  readonly unended: number;
  /** Decisions without a number: nobody can say whether some are missing. */
  readonly unnumbered: number;
  /** Lines that may have been decisions and could not be read. */
  readonly damaged: number;
  /** By {@link sourceOf}. */
  readonly sources: ReadonlyMap<string, LogSource>;
}

/** Who writes a line: an API, or a service. */
export const sourceOf = ({ api, service }: Pick<DecisionRecord, 'api' | 'service'>): string => api ?? service;

/** More processes than that are not told apart. */
const MAX_PROCESSES = 1_000_000;
/** A heartbeat comes each minute: a process that wrote this long before the end of the log has ended. */
const SILENCE_MS = 150_000;
const DAY_MS = 86_400_000;

interface Process {
  readonly numbers: ReturnType<typeof createNumbers>;
  /** The highest number from before the period; 0 where there is none. */
  before: number;
  /** Of the period, the line with the highest number; 0 where there is none. */
  high: { readonly number: number; readonly at: number; readonly ended: boolean };
  /** The lowest number from after the period. */
  after: number;
}

/**
 * Takes in records, and says what they cover.
 *
 * @param period epoch milliseconds. Records of before and after only say which numbers there were. An excerpt may have
 *   none of before: then nothing below a process's lowest number counts as lost
 */
export function createCoverage({
  from,
  until,
  isExcerpt = false,
}: {
  readonly from: number;
  readonly until: number;
  readonly isExcerpt?: boolean;
}) {
  const processes = new Map<string, Process>();
  const sources = new Map<string, { first: number; hasPolicies: boolean; hasNoAllows: boolean }>();
  const days = new Set<number>();
  let [first, last]: [number | undefined, number | undefined] = [undefined, undefined];
  let [decisions, made, rate, unnumbered, damaged] = [0, 0, 1, 0, 0];

  /** Whether its number was not met before. Firehose may deliver a line twice. */
  function isNew(record: Exclude<LogRecord, { is: 'other' | 'damaged' }>): boolean {
    const { process: name, sequence: number, at } = record;
    if (name === undefined || number === undefined) return true;
    const ended = record.is === 'heartbeat' && record.ended;
    const known = processes.get(name) ?? begun();
    processes.set(name, known);
    if (at < from) known.before = Math.max(known.before, number);
    else if (at >= until) known.after = Math.min(known.after, number);
    else if (number > known.high.number) known.high = { number, at, ended };
    return known.numbers.add(number);
  }
  function begun(): Process {
    if (processes.size >= MAX_PROCESSES)
      throw new GatehouseError(
        'limit_exceeded',
        `more than ${MAX_PROCESSES} processes wrote this log: give fewer --days, or fewer files`,
      );
    const high = { number: 0, at: Number.POSITIVE_INFINITY, ended: false };
    return { numbers: createNumbers(), before: 0, high, after: Number.POSITIVE_INFINITY };
  }

  return {
    /** @returns whether it counts: it is of the period, and comes for the first time */
    add: (record: LogRecord): boolean => {
      if (record.is === 'other') return false;
      if (record.is === 'damaged') {
        damaged += 1;
        return false;
      }
      const { at } = record;
      const isCounted = isNew(record) && at >= from && at < until;
      if (!isCounted) return false;
      first = Math.min(first ?? at, at);
      last = Math.max(last ?? at, at);
      days.add(Math.floor(at / DAY_MS));
      const name = sourceOf(record);
      const source = sources.get(name) ?? { first: at, hasPolicies: false, hasNoAllows: false };
      sources.set(name, source);
      source.first = Math.min(source.first, at);
      if (record.is === 'decision') {
        decisions += 1;
        if (record.allowed) rate = Math.min(rate, record.rate);
        if (record.sequence === undefined) unnumbered += 1;
        source.hasPolicies ||= record.kind === 'policy';
      } else if (record.decisions > 0) {
        made += record.decisions;
        rate = Math.min(rate, record.rate);
        source.hasNoAllows ||= record.rate === 0;
      }
      return true;
    },
    coverage: (): LogCoverage => {
      let [lost, lostIn, unended] = [0, 0, 0];
      for (const { numbers, before, high, after } of processes.values()) {
        const isGoingOn = Number.isFinite(after);
        // What a process wrote before the period, or after it, nobody asks for.
        const end = isGoingOn ? after : high.number;
        const begin = isExcerpt && before === 0 ? numbers.lowest() - 1 : before;
        const missing = Math.max(0, numbers.missingUpTo(end) - numbers.missingUpTo(begin));
        lost += missing;
        lostIn += Number(missing > 0);
        const isOver = !isGoingOn && high.at < Math.min(until, last ?? until) - SILENCE_MS;
        unended += Number(isOver && !high.ended);
      }
      const known = { decisions, made: Math.max(made, decisions), rate, lost, lostIn, unended };
      return {
        ...known,
        first,
        last,
        days: days.size,
        processes: processes.size,
        unnumbered,
        damaged,
        sources,
      };
    },
  };
}

/** Whole numbers from 1 that were met, as runs: as long as few are missing they take little memory. */
function createNumbers() {
  /** First and last number of each run, in order, never touching. */
  const runs: [number, number][] = [];
  return {
    /** @returns whether it was not met before */
    add: (number: number): boolean => {
      // The last run that begins at the number or before it.
      let [low, high] = [0, runs.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((runs[middle]?.[0] ?? 0) <= number) low = middle + 1;
        else high = middle;
      }
      const [before, after] = [runs[low - 1], runs[low]];
      if (before && number <= before[1]) return false;
      const [joinsBefore, joinsAfter] = [before?.[1] === number - 1, after?.[0] === number + 1];
      if (before && joinsBefore) {
        before[1] = joinsAfter ? (after?.[1] ?? number) : number;
        if (joinsAfter) runs.splice(low, 1);
      } else if (after && joinsAfter) after[0] = number;
      else runs.splice(low, 0, [number, number]);
      return true;
    },
    lowest: (): number => runs[0]?.[0] ?? 1,
    missingUpTo: (last: number): number =>
      runs.reduce((missing, [first, end]) => missing - Math.max(0, Math.min(end, last) - first + 1), last),
  };
}
