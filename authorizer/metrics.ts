import { AsyncLocalStorage } from 'node:async_hooks';
import { createEmbeddedMetrics, type MetricsOptions, type WriteLater } from '../engine/embedded-metrics.ts';
import type { Observe } from '../engine/observation.ts';
import type { Reader, ReadNotes } from '../table/reader.ts';

/** How a request ended. */
export interface Ending {
  /** The reason of its decision, or what it came to without one: `policy`, `unauthorized`, the code of a fault. */
  readonly outcome: string;
  /** Decisions in its answer; a policy for the whole API is one. Default: none. */
  readonly decisions?: number;
  /** How many of them are allows. */
  readonly allowed?: number;
  readonly isFault?: boolean;
  readonly tenant?: string | undefined;
}

/** Takes how a request ended, once. */
export type Count = (ending: Ending) => void;

/** Serves a request that is counted. */
export type Counted = <T>(serve: (count: Count) => Promise<T>) => Promise<T>;

export const uncounted: Counted = (serve) => serve(() => undefined);

type TableReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;

/** What has been done for a request so far. */
interface Tally {
  calls: number;
  units: number;
  isStale: boolean;
  /** Decisions that were kept and given again, and those that were made. */
  kept: number;
  made: number;
}

/**
 * Writes requests as CloudWatch metrics: one line for each, whatever had to be decided and read for it, or one line
 * for all of an outcome and tenant, where lines are written later. What runs on behalf of a request is found by its
 * asynchronous context, so that nothing in between has to pass a tally on. A request that begins while no other runs, as
 * each does on Lambda, needs none: in Node 20 a context costs more than all else of a metric. What several requests
 * share, such as a read in flight, counts for the one that began it.
 */
export function createRequestMetrics(
  { now, ...options }: MetricsOptions & { readonly now: () => number },
  writeLater?: WriteLater,
) {
  const write = createEmbeddedMetrics({ ...options, now }, writeLater);
  const running = new AsyncLocalStorage<Tally>();
  let inFlight = 0;
  /** Of the last request that began while no other ran. */
  let alone: Tally | undefined;
  const current = (): Tally | undefined => running.getStore() ?? alone;
  let wasServed = false;

  const counted: Counted = (serve) => {
    const tally: Tally = { calls: 0, units: 0, isStale: false, kept: 0, made: 0 };
    const [begunAt, isFirst] = [now(), !wasServed];
    wasServed = true;
    const count: Count = ({ outcome, decisions = 0, allowed = 0, isFault, tenant }) => {
      inFlight -= 1;
      write(
        outcome,
        {
          Decisions: decisions,
          Allowed: allowed,
          Faults: isFault ? 1 : 0,
          CacheHits: tally.calls === 0 ? decisions : 0,
          Kept: tally.kept > 0 && tally.made === 0 ? decisions : 0,
          Calls: tally.calls,
          ReadUnits: tally.units,
          ColdStarts: isFirst ? 1 : 0,
          Stale: tally.isStale ? 1 : 0,
          Latency: now() - begunAt,
        },
        tenant,
      );
    };
    inFlight += 1;
    if (inFlight > 1) return running.run(tally, () => serve(count));
    alone = tally;
    return serve(count);
  };

  /** Counts the calls of a read, with the units that DynamoDB states. */
  const counting =
    <Q, R>(read: (query: Q, notes?: ReadNotes) => Promise<R>) =>
    async (query: Q, given?: ReadNotes): Promise<R> => {
      const tally = current();
      if (tally === undefined) return read(query, given);
      const notes = { calls: 0, units: 0 };
      try {
        return await read(query, notes);
      } finally {
        for (const each of given ? [tally, given] : [tally]) {
          each.calls += notes.calls;
          if (each.units !== undefined) each.units += notes.units;
        }
      }
    };

  return {
    counted,
    /** Notes answers from before an outage, and from decisions that were kept. */
    observe: (({ isStale, isKept }) => {
      const tally = current();
      if (!tally) return;
      if (isStale) tally.isStale = true;
      if (isKept) tally.kept += 1;
      else tally.made += 1;
    }) satisfies Observe,
    /** A reader whose calls count for the request that they are made for. */
    withCounts: ({ getMany, getSnapshot, list, listAll }: TableReader): TableReader => ({
      getMany: counting(getMany),
      getSnapshot: counting(getSnapshot),
      list: counting(list),
      listAll: counting(listAll),
    }),
  };
}
