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
  type Span,
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

/** What a plan that keeps its values knows of the run that computes one. */
export interface Run {
  /** The number of items that were looked at so far. */
  readonly position: () => number;
  /**
   * The spans of the items that were looked at from a position on, of which the last two are those of the permission;
   * undefined where an item is not cached, or any id that was looked at cannot be of an item.
   */
  readonly spans: (from: number) => Spans | undefined;
  /**
   * Looks again at the items on which a value rests that is kept. True if the plan would compute the same value, for
   * each of them is the cached one and recent enough, all were current at one instant with what was looked at before,
   * and time has not changed the value. False, without a trace, where one is not, or where the value must be computed
   * anew.
   */
  readonly again: (kept: Kept) => boolean;
}

/** The spans of the items on which a decision rests: of those that all permissions have in common, and of its own two. */
export interface Spans {
  readonly shared: readonly Span[];
  readonly ofPermission: Span;
  readonly ofEffects: Span;
}

/** On what a value rests that is kept. */
export interface Kept extends Spans {
  /** The instant from which time alone may change it, in epoch milliseconds; undefined, which takes no memory, if none. */
  readonly validUntil: number | undefined;
}

/**
 * Computes a value from items of the table. A plan is a pure function that runs again after each read, until
 * it returns something other than undefined. The items of its last run are those on which the value rests:
 * they must be coherent.
 *
 * @typeParam Asked what is handed to it, where one plan serves many questions: a plan for each would be a closure for each
 */
export type Plan<T, Asked = undefined> = (look: Look, run: Run, asked: Asked) => T | undefined;

/**
 * Whether a kept value holds: time has not changed it, and each of its items is still the cached one, whose last read
 * began in (`after`, `upTo`].
 */
function holdsIn(kept: Kept, after: number, upTo: number): boolean {
  if (kept.validUntil !== undefined && !(upTo < kept.validUntil)) return false;
  for (const span of kept.shared) if (!isCurrent(span, after, upTo)) return false;
  return isCurrent(kept.ofPermission, after, upTo) && isCurrent(kept.ofEffects, after, upTo);
}

/** Narrows what spans have in common by all on which a kept value rests. */
function narrowBy(common: Common, { shared, ofPermission, ofEffects }: Spans): void {
  for (const span of shared) narrow(common, span);
  narrow(common, ofPermission);
  narrow(common, ofEffects);
}

/** A value that is given again uses its items. */
function use({ shared, ofPermission, ofEffects }: Spans, items: ItemCache): void {
  for (const span of shared) items.use(span);
  items.use(ofPermission);
  items.use(ofEffects);
}

const isCurrent = ({ isCached, until }: Span, after: number, upTo: number): boolean =>
  isCached && until > after && until <= upTo;

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
  after: number;
  upTo: number;
  /** Whether nothing but cached entries within the time-to-live may be used: what is kept, too. */
  readonly isOfCache: boolean;
}

const NOTHING_READ: ReadItems = new Map();

/** What spans have in common, where `from` is not after `until`, and the latest of their ends. */
type Common = Record<'from' | 'until' | 'latest', number>;

function narrow(common: Common, { from, until }: Span): void {
  if (from > common.from) common.from = from;
  if (until < common.until) common.until = until;
  if (until > common.latest) common.latest = until;
}

const FOREVER = Number.POSITIVE_INFINITY;

/** Runs one plan at a time and records the items it uses. The record is that of the last run. */
function createTrial(items: ItemCache) {
  let source: Source = { read: NOTHING_READ, after: 0, upTo: 0, isOfCache: false };
  // Overwritten from the start by each run: an array that is emptied would have to grow again.
  const looked: Entry[] = [];
  let size = 0;
  let missing: ItemId[] = [];
  let prefetched: ItemId[] = [];
  // An object: V8 allocates each number that a variable of a closure takes.
  const common: Common = { from: -FOREVER, until: FOREVER, latest: -FOREVER };
  /** Whether the plan looked at an id that no item can have: it leaves no entry. */
  let hasImpossible = false;
  const entries = (): readonly Entry[] => looked.slice(0, size);

  function find<T>(kind: Kind<T>, id: string): Entry<T> | undefined {
    const own = source.read.size > 0 ? source.read.get(id) : undefined;
    if (own instanceof Error) throw own;
    if (own?.kind === kind) return own as Entry<T>;
    const entry = items.find(kind, id);
    return entry !== undefined && entry.span.until > source.after && entry.span.until <= source.upTo
      ? entry
      : undefined;
  }

  const look: Look = {
    item: (kind, id) => {
      const entry = find(kind, id);
      if (entry === undefined) {
        if (kind.keyOf(id) === undefined) {
          hasImpossible = true;
          return null;
        }
        missing.push({ kind, id });
        return undefined;
      }
      looked[size++] = entry;
      narrow(common, entry.span);
      return entry.value;
    },
    prefetch: (kind, id) => {
      // Items that this call has read, damaged or not, are not prefetched again.
      const isKnown = source.read.has(id) || kind.keyOf(id) === undefined;
      if (!isKnown && find(kind, id) === undefined) prefetched.push({ kind, id });
    },
    recall: items.recall,
  };

  const thisRun: Run = {
    position: () => size,
    spans: (from) => {
      const spanAt = (position: number): Span => (looked[position] as Entry).span;
      for (let at = from; at < size; at++) if (hasImpossible || !spanAt(at).isCached) return undefined;
      const shared = new Array<Span>(size - 2 - from);
      for (let at = 0; at < shared.length; at++) shared[at] = spanAt(from + at);
      return { shared, ofPermission: spanAt(size - 2), ofEffects: spanAt(size - 1) };
    },
    again: (kept) => {
      if (!source.isOfCache || !holdsIn(kept, source.after, source.upTo)) return false;
      const { from, until, latest } = common;
      narrowBy(common, kept);
      if (common.from > common.until) {
        Object.assign(common, { from, until, latest });
        return false;
      }
      use(kept, items);
      return true;
    },
  };

  return {
    /** @returns the plan's value; undefined while an item is missing */
    run: <T, Asked>(plan: Plan<T, Asked>, by: Source, asked: Asked): T | undefined => {
      source = by;
      size = 0;
      hasImpossible = false;
      if (missing.length > 0) missing = [];
      if (prefetched.length > 0) prefetched = [];
      common.from = common.latest = -FOREVER;
      common.until = FOREVER;
      return plan(look, thisRun, asked);
    },
    /** If `isUsable`: the last instant at which all items used were current. */
    until: () => common.until,
    /** Whether the items used have an instant in common, and were read after `oldest` and not after `now`. */
    isUsable: (oldest: number, now: number): boolean =>
      common.from <= common.until && common.until > oldest && common.latest <= now,
    /**
     * The items that prevent `isUsable`: read too long ago, or with a span that ends before another one
     * starts.
     */
    unusable: (oldest: number, now: number): readonly Entry[] =>
      entries().filter(({ span }) => span.until < common.from || span.until <= oldest || span.until > now),
    /** The first instant at which all items used may have been current. */
    from: () => common.from,
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
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one load: its plans share reads, spans and the clock.
export function createLoad(options: LoadOptions, onGrowth?: (bytes: number) => void) {
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
  const items = createItemCache({ reader, now, marginMs, maxBytes, onGrowth });
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

  /** Of plans that run at once: what is cached, and recent enough at the instant of the plan that runs. */
  const cached: Source = { read: NOTHING_READ, after: -FOREVER, upTo: -FOREVER, isOfCache: true };

  const together: Common = { from: -FOREVER, until: FOREVER, latest: -FOREVER };

  /** Runs plans on cached entries and on what this call has read. */
  function runAll<T>(
    plans: readonly Plan<T>[],
    read: ReadItems,
    oldest: number | undefined,
    instant: number,
  ) {
    const source = {
      read,
      after: Math.max(oldest ?? Number.NEGATIVE_INFINITY, instant - ttlMs),
      upTo: instant,
      isOfCache: oldest === undefined && read === NOTHING_READ,
    };
    const loaded: Loaded<T>[] = [];
    /** Undefined if nothing has to be read. */
    let wanted: ItemId[] | undefined;
    let allCurrent = Number.NEGATIVE_INFINITY;
    for (const plan of plans) {
      const value = trial.run(plan, source, undefined);
      if (value !== undefined && trial.isUsable(instant - ownTtlMs, instant)) {
        loaded.push(loadedAt(value, instant, trial.until()));
        continue;
      }
      // Read again only the items whose spans end too early, together with the missing ones.
      const unusable = trial.unusable(instant - ownTtlMs, instant);
      if (unusable.length > 0) allCurrent = Math.max(allCurrent, trial.from());
      wanted ??= [];
      wanted.push(...trial.missing(), ...unusable);
      if (wanted.length === 0)
        throw new GatehouseError('internal', 'a plan has no value, though no item is missing');
    }
    return { instant, loaded, wanted, allCurrent };
  }

  /**
   * Runs plans on cached entries and on reads of its own, made at different instants.
   *
   * @param oldest the instant after which every read must have begun; none if the time-to-live is all that is asked
   */
  function loadCached<T, R>(
    plans: readonly Plan<T>[],
    oldest: number | undefined,
    finish: Finish<T, R>,
    cost: Cost | undefined,
  ): Promise<R> {
    try {
      const first = runAll(plans, NOTHING_READ, oldest, now());
      // Where all is cached, an async function would cost more than most of what it does.
      if (first.wanted) return readAndRun(plans, first, oldest, finish, cost);
      return Promise.resolve(finish(first.loaded));
    } catch (fault) {
      return Promise.reject(fault);
    }
  }

  async function readAndRun<T, R>(
    plans: readonly Plan<T>[],
    first: ReturnType<typeof runAll<T>>,
    oldest: number | undefined,
    finish: Finish<T, R>,
    cost: Cost | undefined,
  ): Promise<R> {
    let begunAt = first.instant;
    let begunIn = items.generation();
    // Keep what this call has read: the cache may be too small for it.
    let read = NOTHING_READ;
    for (let round = 1, made = first; ; round++) {
      const { instant, wanted, allCurrent } = made;
      if (!wanted) return finish(made.loaded);
      if (round > 2 && (round > MAX_ROUNDS || now() - begunAt >= READ_DEADLINE_MS)) throw contended();
      // A span may start a tick from now (see `spanStart`): the read must not begin before it.
      if (allCurrent > instant) await wait(allCurrent - instant);
      // Share a read in flight if its result would be recent enough in the cache. Otherwise, not one that
      // began in the same tick as this call: it may have begun before the write that it has to return.
      const since = oldest === undefined ? Math.min(instant, Math.floor(instant - ttlMs) + 1) : begunAt + 1;
      const before = read;
      const found = await items.read(distinct(wanted), Math.max(since, allCurrent), cost);
      read = new Map([
        ...before,
        ...[...found].map(([id, each]) => [id, seenAgain(before.get(id), each)] as const),
      ]);
      const next = now();
      // The clock was set back: discard the reads that were timed by it.
      if (begunIn !== items.generation()) [begunAt, begunIn, read] = [next, items.generation(), NOTHING_READ];
      made = runAll(plans, read, oldest, next);
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
      const source = { read, after: Number.POSITIVE_INFINITY, upTo: instant, isOfCache: false };
      const loaded: Loaded<T>[] = [];
      const looked: ItemId[] = [];
      for (const plan of plans) {
        const value = trial.run(plan, source, undefined);
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
    const source = { read: NOTHING_READ, after: instant - outageTtlMs, upTo: instant, isOfCache: false };
    const loaded: Loaded<T>[] = [];
    for (const plan of plans) {
      const value = trial.run(plan, source, undefined);
      if (value === undefined || !trial.isUsable(source.after, instant)) return undefined;
      const fresh = loadedAt(value, instant, trial.until());
      const isStale = instant >= fresh.expiresAt;
      loaded.push(isStale ? { ...fresh, expiresAt: Math.min(fresh.staleUntil, retryAt), isStale } : fresh);
    }
    return loaded;
  }

  return {
    /** The instant that a question is decided for. It is read first: if the clock was set back, that clears the cache. */
    now,
    /** Changes when the clock was set back: values loaded before look younger than they are. */
    generation: items.generation,
    /** Whether a value that is kept holds at an instant, for a `cached` question that looks at nothing else. */
    holds: (kept: Kept, instant: number): boolean => {
      if (!holdsIn(kept, instant - ttlMs, instant)) return false;
      use(kept, items);
      return true;
    },
    /**
     * As `holds`, for two values that must be of one instant, together with an item if one is named: its value, null if
     * none is. Undefined where they do not hold, or the item has to be read.
     */
    holdTogether: <T>(
      one: Kept,
      other: Kept,
      kind: Kind<T>,
      id: string | undefined,
      instant: number,
    ): T | null | undefined => {
      const after = instant - ttlMs;
      if (!holdsIn(one, after, instant) || !holdsIn(other, after, instant)) return undefined;
      const entry = id === undefined ? undefined : items.find(kind, id);
      if (id !== undefined && (!entry || !isCurrent(entry.span, after, instant))) return undefined;
      together.from = -FOREVER;
      together.until = FOREVER;
      narrowBy(together, one);
      narrowBy(together, other);
      if (entry) narrow(together, entry.span);
      if (together.from > together.until) return undefined;
      use(one, items);
      use(other, items);
      return entry ? entry.value : null;
    },
    /** The cached value of an item, however old. */
    recall: items.recall,
    /** The value of a plan for a `cached` question at an instant; undefined if an item has to be read. */
    atOnce: <T, Asked>(plan: Plan<T, Asked>, asked: Asked, instant: number): T | undefined => {
      cached.after = instant - ttlMs;
      cached.upTo = instant;
      const value = trial.run(plan, cached, asked);
      return trial.isUsable(instant - ownTtlMs, instant) ? value : undefined;
    },
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
  if (before.kind !== now.kind || before.writeId !== now.writeId || now.span.until < before.span.until)
    return now;
  if (now.kind.membersOf) {
    before.span.until = now.span.until;
    return before;
  }
  joinSpans(now, before);
  return now;
}

export type Load = ReturnType<typeof createLoad>;

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
