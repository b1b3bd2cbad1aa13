import { invalid } from '../../table/errors.ts';
import { decodeCursor, encodeCursor, listName } from '../../table/read/pages.ts';
import type { Page } from '../../table/reader.ts';
import type { Clock } from '../clock.ts';
import type { CheckOptions } from '../engine.ts';
import type { Consistency } from '../load.ts';

/** What every list takes. */
export interface ListOptions {
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number | undefined;
  /** How fresh the decisions must be; `cached` when left out. Which candidates there are is always read anew. */
  readonly consistency?: Consistency | undefined;
  /** At most this many, 1 to 1,000; 100 when left out. */
  readonly limit?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
}

/** How the items of a list are decided. */
export const decisionOptions = ({ at, consistency }: ListOptions): CheckOptions => ({ at, consistency });

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Where a list goes on, in words of its own. */
export type Position = Readonly<Record<string, string>>;

/** One step of a walk: a candidate, or the word that none was found up to this place. */
export interface Step<T> {
  readonly candidate?: T;
  /** Where the walk goes on after this step. */
  readonly place: Position;
}

export interface Walk<T> {
  /** What the list is of: its cursors are refused by every other. */
  readonly name: readonly string[];
  readonly options: ListOptions;
  readonly steps: (from: Position | undefined) => AsyncIterable<Step<T>>;
  /** Which of these belong to the list. */
  readonly decide: (candidates: readonly T[]) => Promise<readonly boolean[]>;
  /** How many candidates are decided together, at most. */
  readonly together: number;
}

/**
 * Fills one page: takes candidates, lets them be decided in batches, and stops at the last one for which there
 * is room. A page is shorter than its limit at the end of the list, or when the time is up; then it has a
 * cursor, and has come further than the page before.
 *
 * @throws GatehouseError `invalid` on `limit` or `cursor`
 */
export function createPager(clock: Clock, budgetMs: number) {
  return async <T>({ name, options, steps, decide, together }: Walk<T>): Promise<Page<T>> => {
    const { limit = DEFAULT_LIMIT, cursor } = options;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw invalid('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    const list = listName('engine', ...name);
    const until = clock.now() + budgetMs;
    const items: T[] = [];
    let pending: Step<T>[] = [];
    let size = Math.min(together, Math.max(limit, 8));

    /** Decides what is pending. Answers the step that filled the page, if more may come after it. */
    const settle = async (isEnd: boolean): Promise<Step<T> | undefined> => {
      const batch = pending;
      pending = [];
      const verdicts = batch.length > 0 ? await decide(batch.map(({ candidate }) => candidate as T)) : [];
      const kept = batch.filter((_, position) => verdicts[position]);
      for (const [position, step] of kept.entries()) {
        items.push(step.candidate as T);
        if (items.length === limit) return isEnd && position === kept.length - 1 ? undefined : step;
      }
      return undefined;
    };
    const pageUntil = (place: Position): Page<T> => ({
      items,
      cursor: encodeCursor(list, { range: 0, after: place }),
    });

    for await (const step of steps(placeAt(list, cursor))) {
      if (step.candidate !== undefined) pending.push(step);
      const isLate = clock.now() >= until;
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
