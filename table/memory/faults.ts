import { GatehouseError } from '../errors.ts';

/** Runs `act` after so many milliseconds. */
export type Schedule = (milliseconds: number, act: () => void) => void;

/** What may go wrong with a table. Rates are shares from 0 to 1; what is left out does not happen. */
export interface Faults {
  /** From 0 to below 1. The same numbers make the same run. */
  readonly random: () => number;
  /** How many attempts of a transaction, reading or writing, meet another one on their items. */
  readonly conflictRate?: number;
  /** How many attempts of a call are refused as throttled. */
  readonly throttleRate?: number;
  /** How many keys a BatchGetItem leaves unread. */
  readonly unprocessedRate?: number;
  /** How many writes are given up by their writer, and carried out all the same. */
  readonly lateRate?: number;
  /**
   * Milliseconds after which the writer gives up, and how much later than that the write may be carried out.
   * Within `WRITE_DEADLINE_MS` and `LATE_ARRIVAL_MS` (table/timing.ts) the promises of the engine hold.
   */
  readonly giveUpMs?: number;
  readonly lateMs?: number;
  /**
   * Milliseconds that an attempt takes at most. The items of a BatchGetItem are read at instants within it.
   */
  readonly delayMs?: number;
  /** Milliseconds by which an index follows the table at most. */
  readonly indexLagMs?: number;
}

/** How often what may pass is tried, all in all: the end where no time passes. */
const MAX_ATTEMPTS = 20;
const MAX_PAUSE_MS = 400;

/** The faults of a table, as questions that each call asks. Without any everything is immediate. */
export function createMishaps(faults: Faults | undefined, schedule: Schedule | undefined) {
  const { random = () => 0, delayMs = 0, indexLagMs = 0, giveUpMs = 0, lateMs = 0 } = faults ?? {};
  if (delayMs + indexLagMs + giveUpMs + lateMs > 0 && !schedule)
    throw new GatehouseError('invalid', 'faults that take time need a schedule', { field: 'schedule' });
  const happens = (rate = 0): boolean => rate > 0 && random() < rate;
  const wait = (milliseconds: number): Promise<void> =>
    schedule && milliseconds > 0
      ? new Promise((resolve) => schedule(milliseconds, resolve))
      : Promise.resolve();
  return {
    conflicts: () => happens(faults?.conflictRate),
    throttles: () => happens(faults?.throttleRate),
    leavesUnread: () => happens(faults?.unprocessedRate),
    isLate: () => happens(faults?.lateRate),
    wait,
    /** Milliseconds that an attempt takes, and instants of it, in order, at which its parts are done. */
    spread: (parts: number): { readonly instants: readonly number[]; readonly takes: number } => {
      const takes = delayMs * random();
      const instants = Array.from({ length: parts }, () => takes * random()).sort((a, b) => a - b);
      return { instants, takes };
    },
    giveUp: () => wait(giveUpMs),
    /** Carries a write out that its writer gives up: before or after that. */
    later: (act: () => void): void => {
      void wait((giveUpMs + lateMs) * random()).then(act);
    },
    /** Lets the indexes follow. */
    follow: (act: () => void): void => {
      const lag = indexLagMs * random();
      if (schedule && lag > 0) schedule(lag, act);
      else act();
    },
    /**
     * Tries until an attempt comes to something or the time is up, as reader and writer on DynamoDB do.
     *
     * @param deadlineMs no attempt begins later than so many milliseconds after the first: readers count on
     *   it
     * @param attempt answers the failure by which it may be tried again, or undefined
     */
    persistently: async (
      deadlineMs: number,
      attempt: () => Promise<GatehouseError | undefined>,
    ): Promise<void> => {
      let elapsed = 0;
      for (let round = 1; ; round++) {
        const failure = await attempt();
        if (!failure) return;
        const pause = schedule ? random() * Math.min(MAX_PAUSE_MS, 25 * 2 ** (round - 1)) : 0;
        elapsed += delayMs + pause;
        if (round === MAX_ATTEMPTS || elapsed >= deadlineMs) throw failure;
        await wait(pause);
      }
    },
  };
}

export type Mishaps = ReturnType<typeof createMishaps>;

export const throttled = (operation: string): GatehouseError =>
  new GatehouseError('throttled', `${operation} was throttled`);
