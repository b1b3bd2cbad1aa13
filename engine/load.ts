import { GatehouseError, invalid } from '../table/errors.ts';
import { readFreshnessToken } from '../table/freshness-token.ts';
import { CLOCK_SKEW_MS, COHERENCE_MARGIN_MS, READ_DEADLINE_MS } from '../table/timing.ts';
import { type Clock, createWatchedClock } from './clock.ts';
import {
  type Cost,
  createItemCache,
  type DecisionReader,
  type Entry,
  type ItemCache,
  joinSpans,
  type ReadItems,
} from './item-cache.ts';
import type { ItemId, Kind } from './items.ts';
import { createStaleIfError } from './stale-if-error.ts';

/**
 * How fresh a decision must be (SPEC section 2).
 *
 * - `cached`: what was read within the time-to-live may answer. The default.
 * - `strong`: the table now, all items of the decision as they stand at one instant. Nothing cached answers.
 * - `atLeast`: no state older than a write, in any process: the token came with the answer to that write.
 */
export type Consistency = 'cached' | 'strong' | { readonly atLeast: string };

/** Gives a plan its items. */
export interface Look {
  /** The value of an item, null when the table has none; undefined while it is not loaded: then it will be. */
  readonly item: <T>(kind: Kind<T>, id: string) => T | null | undefined;
  /** Names an item that may be needed next: it is read together with what is missing, and never trusted. */
  readonly prefetch: <T>(kind: Kind<T>, id: string) => void;
  /** The value of an item as it was once, however long ago: to know what to prefetch, and for nothing else. */
  readonly recall: <T>(kind: Kind<T>, id: string) => T | null | undefined;
}

/**
 * What is wanted of the table, as a function of its items: pure, called again after each read, until it answers something
 * else than undefined. All that it looked at then is what its answer rests on.
 */
export type Plan<T> = (look: Look) => T | undefined;

/** What a plan answered, and of when that is. All instants in epoch milliseconds. */
export interface Loaded<T> {
  readonly value: T;
  /** Now, after loading. */
  readonly instant: number;
  /** Until when it may be kept and used again. What was given in an outage ends with the next try. */
  readonly expiresAt: number;
  /** Until when it may be used while DynamoDB is down. */
  readonly staleUntil: number;
  /** Whether it rests on what is older than the time-to-live, because DynamoDB is down. */
  readonly isStale: boolean;
}

/** Makes an answer of what was loaded, in the order of the plans. */
export type Finish<T, R> = (loaded: readonly Loaded<T>[]) => R;

export interface LoadOptions {
  /** Reads decision items: strongly consistent, failing as a whole when a key stays unread. */
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Milliseconds for which what was read may answer: how stale an allow or a deny can be. Default 60,000. */
  readonly ttlMs?: number;
  /**
   * Milliseconds for which what was read may answer while DynamoDB is down; `cached` questions only. Default 0: then
   * nothing older than `ttlMs` ever answers.
   */
  readonly outageTtlMs?: number;
  /** Bound on the cache in estimated bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** How long after its stamp a write may still be committed, in milliseconds. Default 12,000. */
  readonly coherenceMarginMs?: number;
  /** Draws from [0, 1): by up to a tenth of it the time-to-live is shorter, so that processes do not read in step. */
  readonly random?: () => number;
  /** Waits for so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

export const DEFAULT_TTL_MS = 60_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/** Share of the time-to-live by which it may be shorter. Never longer: the bound is a promise. */
const JITTER = 0.1;

/** Rounds of reads for one answer, should the clock stand still; otherwise the read's deadline ends them. */
const MAX_ROUNDS = 64;

/** Items of one TransactGetItems. */
const SNAPSHOT_ITEMS = 100;

/** What a plan may look at: what was read for it, and what is cached if its last read began in (`after`, `upTo`]. */
interface Source {
  readonly read: ReadItems;
  readonly after: number;
  readonly upTo: number;
}

const NOTHING_READ: ReadItems = new Map();

/** Runs plans, one after the other, and notes what each looked at. What it notes is that of the last one. */
function createTrial(items: ItemCache) {
  let source: Source = { read: NOTHING_READ, after: 0, upTo: 0 };
  // Filled anew from the start by each run: an array that is emptied would grow again.
  const looked: Entry[] = [];
  let count = 0;
  let missing: ItemId[] = [];
  let prefetched: ItemId[] = [];
  let [from, until, latest] = [0, 0, 0];
  const entries = (): readonly Entry[] => looked.slice(0, count);

  function find<T>(kind: Kind<T>, id: string): Entry<T> | undefined {
    const own = source.read.get(id);
    if (own instanceof Error) throw own;
    if (own?.kind === kind) return own as Entry<T>;
    const entry = items.find(kind, id);
    return entry !== undefined && entry.until > source.after && entry.until <= source.upTo
      ? entry
      : undefined;
  }

  const look: Look = {
    item: (kind, id) => {
      const entry = find(kind, id);
      if (entry === undefined) {
        if (kind.keyOf(id) === undefined) return null;
        missing.push({ kind, id });
        return undefined;
      }
      looked[count++] = entry;
      if (entry.from > from) from = entry.from;
      if (entry.until < until) until = entry.until;
      if (entry.until > latest) latest = entry.until;
      return entry.value;
    },
    prefetch: (kind, id) => {
      // What was read once, damaged or not, is not prefetched again.
      const isKnown = source.read.has(id) || kind.keyOf(id) === undefined;
      if (!isKnown && find(kind, id) === undefined) prefetched.push({ kind, id });
    },
    recall: (kind, id) => items.find(kind, id)?.value,
  };

  return {
    /** @returns what the plan answers; undefined while something is missing */
    run: <T>(plan: Plan<T>, by: Source): T | undefined => {
      source = by;
      count = 0;
      if (missing.length > 0) missing = [];
      if (prefetched.length > 0) prefetched = [];
      from = latest = Number.NEGATIVE_INFINITY;
      until = Number.POSITIVE_INFINITY;
      return plan(look);
    },
    /** The last instant at which all that it looked at was current, unless `isUsable` says that there is none. */
    until: () => until,
    /** Whether all that it looked at was true at one instant, and was read after `oldest` and before now. */
    isUsable: (oldest: number, now: number): boolean => from <= until && until > oldest && latest <= now,
    /** What stands in the way of that: what was read too long ago, or ends before all the others were current. */
    unusable: (oldest: number, now: number): readonly Entry[] =>
      entries().filter((entry) => entry.until < from || entry.until <= oldest || entry.until > now),
    /** The first instant at which all of it may have been current. */
    from: () => from,
    entries,
    /** What it misses, and with that what it prefetches. */
    missing: (): readonly ItemId[] => (missing.length > 0 ? [...missing, ...prefetched] : []),
  };
}

/**
 * Loads what plans want: from the cache alone when it has it, recent enough and true at one instant, otherwise with what
 * has to be read. All plans share their reads; each has an instant of its own.
 *
 * @throws GatehouseError `invalid` for a time-to-live, a margin or a bound that is none
 */
export function createLoad(options: LoadOptions) {
  const {
    reader,
    clock,
    ttlMs: longest = DEFAULT_TTL_MS,
    maxBytes = DEFAULT_MAX_BYTES,
    outageTtlMs = 0,
  } = options;
  const { coherenceMarginMs: marginMs = COHERENCE_MARGIN_MS, random = Math.random, wait = pause } = options;
  for (const [name, value] of Object.entries({ ttlMs: longest, outageTtlMs, coherenceMarginMs: marginMs })) {
    if (!Number.isFinite(value) || value < 0)
      throw invalid(name, `${name} must be a number of milliseconds, 0 or more`);
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalid('maxBytes', 'maxBytes must be a whole number of bytes, 1 or more');
  const ttlMs = longest * (1 - JITTER * random());
  const now = createWatchedClock(clock, () => items.clear());
  const items = createItemCache({ reader, now, marginMs, maxBytes });
  const staleIfError = createStaleIfError(now);

  const trial = createTrial(items);
  /** What the question itself has read may answer for as long as a read may take, whatever the time-to-live. */
  const ownTtlMs = Math.max(ttlMs, READ_DEADLINE_MS);

  const loadedAt = <T>(value: T, instant: number, until: number): Loaded<T> => ({
    value,
    instant,
    expiresAt: until + ttlMs,
    staleUntil: until + Math.max(ttlMs, outageTtlMs),
    isStale: false,
  });

  /** Loads plans out of entries that were read at different instants. */
  async function loadCached<T, R>(
    plans: readonly Plan<T>[],
    consistency: Exclude<Consistency, 'strong'>,
    finish: Finish<T, R>,
    cost: Cost | undefined,
  ): Promise<R> {
    let begunAt = now();
    let begunIn = items.generation();
    const oldest = consistency === 'cached' ? Number.NEGATIVE_INFINITY : oldestFor(consistency.atLeast);
    // What this call has read answers although the cache may be too small for it.
    let read = NOTHING_READ;
    for (let round = 1, instant = begunAt; ; round++, instant = now()) {
      // The clock went back: what was read by its old time is read again.
      if (begunIn !== items.generation())
        [begunAt, begunIn, read] = [instant, items.generation(), NOTHING_READ];
      const source = { read, after: Math.max(oldest, instant - ttlMs), upTo: instant };
      const loaded: Loaded<T>[] = [];
      const wanted: ItemId[] = [];
      // A read that is under way may answer if it began recently enough to have been found in the cache. Nobody knows
      // whether one that began in the same tick of the clock as this call began after the write that it has to show.
      let since = consistency === 'cached' ? Math.min(instant, Math.floor(instant - ttlMs) + 1) : begunAt + 1;
      let allCurrent = Number.NEGATIVE_INFINITY;
      for (const plan of plans) {
        const value = trial.run(plan, source);
        if (value !== undefined && trial.isUsable(instant - ownTtlMs, instant)) {
          loaded.push(loadedAt(value, instant, trial.until()));
          continue;
        }
        // What ends too early is read again, and it alone; with it, what the plan misses.
        const unusable = trial.unusable(instant - ownTtlMs, instant);
        if (unusable.length > 0) allCurrent = Math.max(allCurrent, trial.from());
        wanted.push(...trial.missing(), ...unusable);
      }
      if (wanted.length === 0) return finish(loaded);
      if (round > 2 && (round > MAX_ROUNDS || now() - begunAt >= READ_DEADLINE_MS)) throw contended();
      // Within one tick of the clock nobody knows whether a read began after another one ended.
      if (allCurrent > instant) await wait(allCurrent - instant);
      since = Math.max(since, allCurrent);
      const before = read;
      const found = await items.read(distinct(wanted), since, cost);
      read = new Map([
        ...before,
        ...[...found].map(([id, each]) => [id, seenAgain(before.get(id), each)] as const),
      ]);
    }
  }

  /** Loads plans out of one TransactGetItems, or two where it takes one to know what else is wanted. */
  async function loadSnapshot<T>(
    plans: readonly Plan<T>[],
    cost: Cost | undefined,
  ): Promise<readonly Loaded<T>[]> {
    let begunAt = now();
    let begunIn = items.generation();
    let read = NOTHING_READ;
    for (let round = 1, instant = begunAt; ; round++, instant = now()) {
      if (begunIn !== items.generation())
        [begunAt, begunIn, read] = [instant, items.generation(), NOTHING_READ];
      const source = { read, after: Number.POSITIVE_INFINITY, upTo: instant };
      const loaded: Loaded<T>[] = [];
      const looked: ItemId[] = [];
      for (const plan of plans) {
        const value = trial.run(plan, source);
        if (value !== undefined && trial.until() > instant - ownTtlMs)
          loaded.push(loadedAt(value, instant, trial.until()));
        looked.push(...trial.entries(), ...trial.missing());
      }
      if (loaded.length === plans.length) return loaded;
      const wanted = distinct(looked);
      if (wanted.length > SNAPSHOT_ITEMS && plans.length > 1) {
        const middle = Math.ceil(plans.length / 2);
        const halves = [plans.slice(0, middle), plans.slice(middle)];
        return (await Promise.all(halves.map((half) => loadSnapshot(half, cost)))).flat();
      }
      if (round > 2 && (round > MAX_ROUNDS || now() - begunAt >= READ_DEADLINE_MS)) throw contended();
      read = await items.readSnapshot(wanted, cost);
    }
  }

  /** What the cache has while DynamoDB is down, within the second bound; undefined when that does not suffice. */
  function loadStale<T>(plans: readonly Plan<T>[], retryAt: number): readonly Loaded<T>[] | undefined {
    const instant = now();
    const source = { read: NOTHING_READ, after: instant - outageTtlMs, upTo: instant };
    const loaded: Loaded<T>[] = [];
    for (const plan of plans) {
      const value = trial.run(plan, source);
      if (value === undefined || !trial.isUsable(source.after, instant)) return undefined;
      const fresh = loadedAt(value, instant, trial.until());
      const isStale = instant >= fresh.expiresAt;
      loaded.push(isStale ? { ...fresh, expiresAt: Math.min(fresh.staleUntil, retryAt), isStale } : fresh);
    }
    return loaded;
  }

  return {
    now,
    /** Changes when the clock goes back: what was loaded before looks younger than it is. */
    generation: items.generation,
    /**
     * @param finish is called with what was loaded, in the order of the plans, and gives the answer
     * @param cost what the reads cost is added to it
     * @throws GatehouseError as the reader does; `contended` when what is wanted changes faster than it can be read;
     *   `invalid` for a token that is none
     */
    load: <T, R>(
      plans: readonly Plan<T>[],
      consistency: Consistency,
      finish: Finish<T, R>,
      cost?: Cost,
    ): Promise<R> => {
      if (consistency === 'strong') return loadSnapshot(plans, cost).then(finish);
      const load = () => loadCached(plans, consistency, finish, cost);
      if (outageTtlMs === 0 || consistency !== 'cached') return load();
      return staleIfError(load, (retryAt) => {
        const stale = loadStale(plans, retryAt);
        return stale && finish(stale);
      });
    },
  };
}

/** What was read before, and is current still where a read returned the same write: the cache may be too small for it. */
function seenAgain(before: Entry | Error | undefined, now: Entry | Error): Entry | Error {
  if (now instanceof Error || before === undefined || before instanceof Error) return now;
  // Where the clock was set back in between, what was read before is of another time.
  if (before.kind !== now.kind || before.writeId !== now.writeId || now.until < before.until) return now;
  if (now.kind.membersOf) {
    before.until = now.until;
    return before;
  }
  joinSpans(now, before);
  return now;
}

/** Each item once. */
const distinct = (items: readonly ItemId[]): readonly ItemId[] => [
  ...new Map(items.map((each) => [each.id, each])).values(),
];

export type Load = ReturnType<typeof createLoad>;

/**
 * Only a read that began after this instant has seen a write for certain. The token is of the time at which the write was answered, by the
 * writer's clock, which may differ from ours. A read that begins now has seen it, too: whoever holds the token was
 * answered.
 */
function oldestFor(token: string): number {
  const answeredAt = readFreshnessToken(token);
  if (answeredAt === undefined)
    throw invalid('consistency', 'atLeast is not a token that came with the answer to a write');
  return answeredAt + CLOCK_SKEW_MS;
}

const contended = (): GatehouseError =>
  new GatehouseError('contended', 'what the decision rests on changes faster than it can be read');

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
