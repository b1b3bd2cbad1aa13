import { invalid } from '../../table/errors.ts';
import { decodeCursor, encodeCursor, listName } from '../../table/read/pages.ts';
import type { Page } from '../../table/reader.ts';
import type { Clock } from '../clock.ts';
import { createWork, type Work } from '../conditions/work.ts';
import { type Decision, isConditionFailed } from '../decision.ts';
import type { LogAs } from '../decision-log.ts';
import type { CheckOptions, CheckRequest, Engine } from '../engine.ts';
import { type Given, givenIn } from '../given.ts';

/** Options of every search. What is given counts for every candidate; these are always read from the table. */
export interface ListOptions extends Given, Pick<CheckOptions, 'actor' | 'at' | 'consistency' | 'work'> {
  /** Page size, 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
}

/** Decides requests for candidates as the options of the search say. */
export const decideAll = async (
  engine: Pick<Engine, 'checkMany'>,
  requests: readonly CheckRequest[],
  { actor, at, consistency, ...given }: ListOptions,
  work: Work,
  logAs: LogAs,
): Promise<readonly Decision[]> => {
  const options = { actor, at, consistency, work, keepDecisions: false, logAs, ...givenIn(given) };
  return (await engine.checkMany(requests, options)).decisions;
};

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Steps after which a page ends even if it is not full. */
const MAX_STEPS = 1_000;

/** A position in a list, in attributes that each search defines. It is encoded into the cursor. */
export type Position = Readonly<Record<string, string>>;

/** One step through the candidates. Without a candidate it only marks progress. */
export interface Step<T> {
  readonly candidate?: T;
  /** The position after this step. */
  readonly place: Position;
}

export interface Walk<T> {
  /** Identifies the list: it refuses the cursors of other lists. */
  readonly name: readonly string[];
  readonly options: ListOptions;
  readonly steps: (from: Position | undefined) => AsyncIterable<Step<T>>;
  /** Decides the candidates; undefined for one that does not belong to the list, however it is decided. */
  readonly decide: (candidates: readonly T[], work: Work) => Promise<readonly (Decision | undefined)[]>;
  /** Limit on the candidates that are decided together. */
  readonly together: number;
}

/**
 * Fills one page: takes candidates, decides them in batches, and stops when the page is full. A page is
 * shorter than its limit only at the end of the list, or after 1,000 steps, or when the time is up, or where the
 * budget of conditions ends; but at the end it has a cursor, past that of the previous page. The next page goes on with
 * the candidate that the budget did not reach; one that takes a whole budget by itself cannot be decided.
 *
 * @throws GatehouseError `invalid` on `limit` or `cursor`
 */
export function createPager(clock: Clock, budgetMs: number) {
  return async <T>({ name, options, steps, decide, together }: Walk<T>): Promise<Page<T>> => {
    const { limit = DEFAULT_LIMIT, cursor } = options;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw invalid('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    const { work = createWork(), actor } = options;
    const list = listName('engine', ...name, ...(actor ? [actor.subject, actor.mandate ?? ''] : []));
    const until = clock.now() + budgetMs;
    const items: T[] = [];
    let pending: Step<T>[] = [];
    let size = Math.min(together, Math.max(limit, 8));
    let count = 0;
    let decided: Step<T> | undefined;

    /** Decides the pending candidates. Returns the step after which the page ends, if more may follow it. */
    const settle = async (isEnd: boolean): Promise<Step<T> | undefined> => {
      const batch = pending;
      pending = [];
      const decisions =
        batch.length > 0
          ? await decide(
              batch.map(({ candidate }) => candidate as T),
              work,
            )
          : [];
      // Only such a decision could be another within the budget.
      const isUnknown = (decision: Decision | undefined): boolean =>
        work.isSpent() && decision !== undefined && isConditionFailed(decision);
      const isLast = (position: number): boolean =>
        isEnd && !decisions.slice(position + 1).some((later) => later?.allowed || isUnknown(later));
      for (const [position, step] of batch.entries()) {
        const decision = decisions[position];
        if (isUnknown(decision)) return decided ?? step;
        decided = step;
        if (!decision?.allowed) continue;
        items.push(step.candidate as T);
        if (items.length === limit) return isLast(position) ? undefined : step;
      }
      return undefined;
    };
    const pageUntil = (place: Position): Page<T> => ({
      items,
      cursor: encodeCursor(list, { range: 0, after: place }),
    });

    for await (const step of steps(placeAt(list, cursor))) {
      if (step.candidate !== undefined) pending.push(step);
      const isLate = ++count >= MAX_STEPS || clock.now() >= until;
      if (pending.length < size && !isLate) continue;
      const last = await settle(false);
      if (last) return pageUntil(last.place);
      if (isLate || clock.now() >= until) return pageUntil(step.place);
      size = Math.min(together, size * 2);
    }
    const last = await settle(true);
    return last ? pageUntil(last.place) : { items };
  };
}

export type Pager = ReturnType<typeof createPager>;

function placeAt(list: string, cursor: unknown): Position | undefined {
  if (cursor === undefined) return undefined;
  if (typeof cursor !== 'string') throw foreignCursor();
  const { after } = decodeCursor(list, cursor, 1);
  if (!after) throw foreignCursor();
  return after;
}

export const foreignCursor = () => invalid('cursor', 'cursor does not belong to this list');
