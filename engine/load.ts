import { GatehouseError, invalid } from '../table/errors.ts';
import { readFreshnessToken } from '../table/freshness-token.ts';
import { CLOCK_SKEW_MS, COHERENCE_MARGIN_MS, MAX_TTL_MS, READ_DEADLINE_MS } from '../table/timing.ts';
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
 * How fresh a decision must be (docs/freshness.md).
 *
 * - `cached`: from items read within the time-to-live. The default.
 * - `strong`: from the table now, all items as of one instant. The cache is not used.
 * - `atLeast`: from no state older than a write, in any process. The token came with the answer to that
 *   write.
 */
export type Consistency = 'cached' | 'strong' | { readonly atLeast: string };

/** How a plan accesses items. */
export interface Look {
  /** The value of an item; null if the table has none, undefined if it is not loaded yet. */
  readonly item: <T>(kind: Kind<T>, id: string) => T | null | undefined;
  /** Names an item that may be required next. It is read together with the missing items. */
  readonly prefetch: <T>(kind: Kind<T>, id: string) => void;
  /** The cached value of an item, however old. Use it only to choose what to prefetch. */
  readonly recall: <T>(kind: Kind<T>, id: string) => T | null | undefined;
}

/**
 * Computes a value from items of the table. A plan is a pure function that runs again after each read, until
 * it returns something other than undefined. The items of its last run are those on which the value rests:
 * they must be coherent.
 */
export type Plan<T> = (look: Look) => T | undefined;

/** The value of a plan. All instants in epoch milliseconds. */
export interface Loaded<T> {
  readonly value: T;
  /** Now, after loading. */
  readonly instant: number;
  /** Until when it may be kept and reused. In an outage: until the next attempt to read. */
  readonly expiresAt: number;
  /** Until when it may be used while DynamoDB is down. */
  readonly staleUntil: number;
  /** Whether an item is older than the time-to-live, because DynamoDB is down. */
  readonly isStale: boolean;
}

/** Turns loaded values, in the order of the plans, into the answer. */
type Finish<T, R> = (loaded: readonly Loaded<T>[]) => R;

export interface LoadOptions {
  /** Reads decision items with strong consistency; a read fails as a whole if a key stays unread. */
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Time-to-live in milliseconds: how stale an allow or a deny can be. Default 60,000, at most a day. */
  readonly ttlMs?: number;
  /**
   * Time-to-live in milliseconds while DynamoDB is down, for `cached` questions only, at most a day. Default 0:
   * `ttlMs` always applies.
   */
  readonly outageTtlMs?: number;
  /** Bound on the cache in estimated bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** How long after its stamp a write may still be committed, in milliseconds. Default 12,000. */
  readonly coherenceMarginMs?: number;
  /**
   * Random number in [0, 1). Shortens the time-to-live by up to a tenth, so that processes do not read in
   * step.
   */
  readonly random?: () => number;
  /** Resolves after the given milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

export const DEFAULT_TTL_MS = 60_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/** Share by which the time-to-live may be shortened. It is never longer: the bound is a promise. */
const JITTER = 0.1;

/**
 * Limit on the rounds of reads for one answer if the clock stands still; normally the read deadline ends
 * them.
 */
const MAX_ROUNDS = 64;

/** Items of one TransactGetItems. */
const SNAPSHOT_ITEMS = 100;

/**
 * What a plan may use: items read by this call, and cached items whose last read began in (`after`, `upTo`].
 */
interface Source {
  readonly read: ReadItems;
  readonly after: number;
  readonly upTo: number;
}

const NOTHING_READ: ReadItems = new Map();

/** Runs one plan at a time and records the items it uses. The record is that of the last run. */
function createTrial(items: ItemCache) {
  let source: Source = { read: NOTHING_READ, after: 0, upTo: 0 };
  // Overwritten from the start by each run: an array that is emptied would have to grow again.
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
      // Items that this call has read, damaged or not, are not prefetched again.
      const isKnown = source.read.has(id) || kind.keyOf(id) === undefined;
      if (!isKnown && find(kind, id) === undefined) prefetched.push({ kind, id });
    },
    recall: (kind, id) => items.find(kind, id)?.value,
  };

  return {
    /** @returns the plan's value; undefined while an item is missing */
    run: <T>(plan: Plan<T>, by: Source): T | undefined => {
      source = by;
      count = 0;
      if (missing.length > 0) missing = [];
      if (prefetched.length > 0) prefetched = [];
      from = latest = Number.NEGATIVE_INFINITY;
      until = Number.POSITIVE_INFINITY;
      return plan(look);
    },
    /** If `isUsable`: the last instant at which all items used were current. */
    until: () => until,
    /** Whether the items used have an instant in common, and were read after `oldest` and not after `now`. */
    isUsable: (oldest: number, now: number): boolean => from <= until && until > oldest && latest <= now,
    /**
     * The items that prevent `isUsable`: read too long ago, or with a span that ends before another one
     * starts.
     */
    unusable: (oldest: number, now: number): readonly Entry[] =>
      entries().filter((entry) => entry.until < from || entry.until <= oldest || entry.until > now),
    /** The first instant at which all items used may have been current. */
    from: () => from,
    entries,
    /** The missing items, together with those to prefetch; empty if none is missing. */
    missing: (): readonly ItemId[] => (missing.length > 0 ? [...missing, ...prefetched] : []),
  };
}

/**
 * Runs plans on coherent items: from the cache alone if its entries are recent enough and coherent, otherwise
 * with reads. All plans share their reads; the items of each plan are coherent, those of two plans need not
 * be.
 *
 * @throws GatehouseError `invalid` for an invalid time-to-live, margin or bound
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
    if (!Number.isFinite(value) || value < 0 || value > MAX_TTL_MS)
      throw invalid(name, `${name} must be a number of milliseconds from 0 to ${MAX_TTL_MS}`);
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalid('maxBytes', 'maxBytes must be a whole number of bytes, 1 or more');
  const ttlMs = longest * (1 - JITTER * random());
  const now = createWatchedClock(clock, () => items.clear());
  const items = createItemCache({ reader, now, marginMs, maxBytes });
  const staleIfError = createStaleIfError(now);

  const trial = createTrial(items);
  /**
   * Items that the call itself has read may answer for as long as a read may take, even if the time-to-live
   * is shorter.
   */
  const ownTtlMs = Math.max(ttlMs, READ_DEADLINE_MS);

  const loadedAt = <T>(value: T, instant: number, until: number): Loaded<T> => ({
    value,
    instant,
    expiresAt: until + ttlMs,
    staleUntil: until + Math.max(ttlMs, outageTtlMs),
    isStale: false,
  });

  /**
   * Runs plans on cached entries and on reads of its own, made at different instants.
   *
   * @param oldest the instant after which every read must have begun; none if the time-to-live is all that is asked
   */
  async function loadCached<T, R>(
    plans: readonly Plan<T>[],
    oldest: number | undefined,
    finish: Finish<T, R>,
    cost: Cost | undefined,
  ): Promise<R> {
    let begunAt = now();
    let begunIn = items.generation();
    // Keep what this call has read: the cache may be too small for it.
    let read = NOTHING_READ;
    for (let round = 1, instant = begunAt; ; round++, instant = now()) {
      // The clock was set back: discard the reads that were timed by it.
      if (begunIn !== items.generation())
        [begunAt, begunIn, read] = [instant, items.generation(), NOTHING_READ];
      const source = {
        read,
        after: Math.max(oldest ?? Number.NEGATIVE_INFINITY, instant - ttlMs),
        upTo: instant,
      };
      const loaded: Loaded<T>[] = [];
      const wanted: ItemId[] = [];
      // Share a read in flight if its result would be recent enough in the cache. Otherwise, not one that
      // began in the same tick as this call: it may have begun before the write that it has to return.
      let since = oldest === undefined ? Math.min(instant, Math.floor(instant - ttlMs) + 1) : begunAt + 1;
      let allCurrent = Number.NEGATIVE_INFINITY;
      for (const plan of plans) {
        const value = trial.run(plan, source);
        if (value !== undefined && trial.isUsable(instant - ownTtlMs, instant)) {
          loaded.push(loadedAt(value, instant, trial.until()));
          continue;
        }
        // Read again only the items whose spans end too early, together with the missing ones.
        const unusable = trial.unusable(instant - ownTtlMs, instant);
        if (unusable.length > 0) allCurrent = Math.max(allCurrent, trial.from());
        wanted.push(...trial.missing(), ...unusable);
      }
      if (wanted.length === 0) return finish(loaded);
      if (round > 2 && (round > MAX_ROUNDS || now() - begunAt >= READ_DEADLINE_MS)) throw contended();
      // A span may start a tick from now (see `spanStart`): the read must not begin before it.
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

  /** Runs plans on one TransactGetItems; on a second one if the first shows that more items are required. */
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
      // One decision that looks at more: of what is read from now on, all that it looks at was true at one instant.
      if (wanted.length > SNAPSHOT_ITEMS) return loadCached(plans, begunAt, (all) => all, cost);
      if (round > 2 && (round > MAX_ROUNDS || now() - begunAt >= READ_DEADLINE_MS)) throw contended();
      read = await items.readSnapshot(wanted, cost);
    }
  }

  /** Runs plans on the cache alone, up to `outageTtlMs`; undefined if that does not suffice. */
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
    /** Changes when the clock was set back: values loaded before look younger than they are. */
    generation: items.generation,
    /**
     * @param finish turns the loaded values, in the order of the plans, into the answer
     * @param cost the cost of the reads is added to it
     * @throws GatehouseError as the reader does; `contended` if the items change faster than they can be
     *   read
     */
    load: <T, R>(
      plans: readonly Plan<T>[],
      consistency: Consistency,
      finish: Finish<T, R>,
      cost?: Cost,
    ): Promise<R> => {
      if (consistency === 'strong') return loadSnapshot(plans, cost).then(finish);
      const oldest = consistency === 'cached' ? undefined : oldestFor(consistency.atLeast);
      const load = () => loadCached(plans, oldest, finish, cost);
      if (outageTtlMs === 0 || consistency !== 'cached') return load();
      return staleIfError(load, (retryAt) => {
        const stale = loadStale(plans, retryAt);
        return stale && finish(stale);
      });
    },
  };
}

/** The entry of a second read. If it returned the same write as the first, its span covers both reads. */
function seenAgain(before: Entry | Error | undefined, now: Entry | Error): Entry | Error {
  if (now instanceof Error || before === undefined || before instanceof Error) return now;
  // If the clock was set back in between, the times of the first read are meaningless.
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

/**
 * The instant after which a cached read must have begun to include a write for certain. The token holds the
 * time of the answer to the write, by the writer's clock, which may differ from ours by the clock skew. A
 * read that begins now always includes the write: its answer was received before. Without a token, no cached
 * read includes it.
 */
function oldestFor(token: string): number {
  return (readFreshnessToken(token) ?? Number.POSITIVE_INFINITY) + CLOCK_SKEW_MS;
}

const contended = (): GatehouseError =>
  new GatehouseError('contended', 'the items of the decision change faster than they can be read');

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
