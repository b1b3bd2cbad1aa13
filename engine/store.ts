import { decodeWrittenAt } from '../table/decision/decode/values.ts';
import type { Item } from '../table/item.ts';
import type { ReadNotes } from '../table/read/notes.ts';
import type { Reader } from '../table/read/reader.ts';
import { type Cached, createCache, KEPT, USED } from './cache.ts';
import { distinct, type Kind, type Need } from './needs.ts';
import { weigh } from './weight.ts';

/** Time, injected: epoch milliseconds. */
export interface Clock {
  readonly now: () => number;
}

/**
 * What is known of one item. `facts` is null when the table has none: absence is cached like presence. Times are ticks,
 * milliseconds since the store was opened: small whole numbers stand in the entry itself, so that a hit touches little
 * memory.
 */
export interface Entry<T> extends Cached {
  readonly kind: Kind<T>;
  readonly facts: T | null;
  /** Number of the call that brought it, in the order in which they began: what one call brought is taken together. */
  readonly call: number;
  /** When that call began, in ticks. */
  readonly readAt: number;
  /** When the item was last written; long ago for an absent one. */
  readonly writtenAt: number;
  readonly expiresAt: number;
  /** What was made of it to decide faster, and goes with it (ready/). */
  made: unknown;
}

/** What is at hand under a name, if it is of this kind: a name may be asked for as what it is not. */
export const ofKind = <T>(kind: Kind<T>, entry: Entry<unknown> | undefined): Entry<T> | undefined =>
  entry?.kind === kind ? (entry as Entry<T>) : undefined;

/** What the engine reads with. */
export type DecisionReader = Pick<Reader, 'getMany' | 'getSnapshot'>;

export interface StoreOptions {
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Milliseconds for which an entry may answer: the bound on staleness. 0 caches nothing. */
  readonly ttlMs: number;
  /** Bound on the cache's size, in estimated bytes. */
  readonly maxBytes: number;
  /** Draws from [0, 1) to spread expiries, so that instances do not read in step. */
  readonly random: () => number;
}

/** What an answer has cost so far. What it shares with another that asked before costs it nothing. */
export interface Spending {
  calls: number;
  units: number;
  /** Reads that were asked twice, because the first took long. */
}

/** A read under way, for one item. */
interface Flight {
  readonly readAt: number;
  readonly entry: Promise<Entry<unknown>>;
}

/** What was read, under its names. */
type Brought = ReadonlyMap<string, Entry<unknown>>;

const byId = (needs: readonly Need<unknown>[], entries: readonly Entry<unknown>[]): Brought =>
  new Map(needs.map(({ id }, position) => [id, entries[position] as Entry<unknown>]));

/** A clock that was set back by more than this finds nothing that it has read "later". */
export const SET_BACK_MS = 1_000;

/** Ticks of what was written before all that could matter. */
const LONG_AGO = -(2 ** 30);

/** Share of the time-to-live by which an entry may expire earlier. Never later: the bound is a promise. */
const JITTER = 0.1;

/**
 * The cache of decoded decision items in front of the reader. It holds all kinds, bounded by
 * bytes. Misses of the same item share one read while it is under way; an item that could not be read
 * or decoded is not cached, and all who waited for it get the error.
 */
export function createStore({ reader, clock, ttlMs, maxBytes, random }: StoreOptions) {
  const cache = createCache<Entry<unknown>>(maxBytes);
  const underWay = new Map<string, Flight>();
  const openedAt = clock.now();
  const latest = { readAt: 0 };
  let calls = 0;

  /** The ticks of an instant in epoch milliseconds. */
  const ticksOf = (instant: number): number => instant - openedAt;
  const now = (): number => clock.now() - openedAt;

  /** The entry if it may still answer at `now`. */
  function find<T>(kind: Kind<T>, id: string, now: number): Entry<T> | undefined {
    const entry = cache.get(id);
    if (
      entry === undefined ||
      entry.kind !== kind ||
      now >= entry.expiresAt ||
      now < entry.readAt - SET_BACK_MS
    )
      return undefined;
    entry.use = USED;
    return entry as Entry<T>;
  }

  /** The entry, however old. It is not marked as used, for it is nothing to answer with. */
  const recall = <T>(kind: Kind<T>, id: string): Entry<T> | undefined => ofKind(kind, cache.get(id));

  /** The entry if it was read less than so many milliseconds ago, expired or not. */
  function findOlder<T>(kind: Kind<T>, id: string, now: number, ageMs: number): Entry<T> | undefined {
    const entry = recall(kind, id);
    return entry !== undefined && now < entry.readAt + ageMs && now >= entry.readAt - SET_BACK_MS
      ? entry
      : undefined;
  }

  type Call = Pick<Entry<unknown>, 'call' | 'readAt' | 'expiresAt'>;

  /** Named one by one: what is spread stands apart from its object in memory. */
  const toEntry = <T>(
    need: Need<T>,
    item: Item | undefined,
    { call, readAt, expiresAt }: Call,
  ): Entry<T> => ({
    kind: need.kind,
    use: KEPT,
    expiresAt,
    readAt,
    made: undefined,
    call,
    writtenAt: item === undefined ? LONG_AGO : Math.max(LONG_AGO, ticksOf(decodeWrittenAt(item))),
    facts: item === undefined ? null : need.decode(item),
    weight: weigh(need.id, item),
  });

  function keep(id: string, entry: Entry<unknown>): void {
    // A read that began earlier never replaces one that began later.
    const known = cache.get(id);
    if (known === undefined || known.call <= entry.call) cache.set(id, entry);
  }

  /** A call that begins now. Its expiry is drawn once: what was read together is read together again. */
  function begin(): Call {
    const readAt = now();
    if (readAt > latest.readAt) latest.readAt = readAt;
    return { call: ++calls, readAt, expiresAt: Math.ceil(readAt + ttlMs * (1 - JITTER * random())) };
  }

  /** Units are asked for only where somebody wants to know. */
  const newNotes = (spending: Spending | undefined): ReadNotes => ({
    isApart: false,
    calls: 0,
    units: spending && 0,
  });

  /** Adds what a read has cost to what the answer costs, where somebody wants to know. */
  function spend<T>(spending: Spending | undefined, notes: ReadNotes, answer: Promise<T>): Promise<T> {
    if (!spending) return answer;
    return answer.finally(() => {
      spending.calls += notes.calls;
      spending.units += notes.units ?? 0;
    });
  }

  /** Reads several needs in one call and resolves each for itself: one damaged item fails alone. */
  function read(needs: readonly Need<unknown>[], spending: Spending | undefined): readonly Flight[] {
    const call = begin();
    const { readAt } = call;
    const keys = needs.map((need) => need.key);
    const notes = newNotes(spending);
    const items = spend(spending, notes, reader.getMany(keys, notes));
    return needs.map((need, position) => {
      const land = () => {
        if (underWay.get(need.id) === flight) underWay.delete(need.id);
      };
      const entry = items
        .then((all) => {
          // What came in several attempts was not read together, and must not be taken for it. It still began
          // after the call before this one and before the next.
          const own = notes.isApart ? { ...call, call: call.call + position / needs.length } : call;
          const loaded = toEntry(need, all[position], own);
          keep(need.id, loaded);
          return loaded;
        })
        .finally(land);
      const flight: Flight = { readAt, entry };
      underWay.set(need.id, flight);
      return flight;
    });
  }

  /**
   * Whether a question asked at `now` may wait for a read that is under way already. One that began longer
   * ago than the time-to-live brings what the cache would not answer with any more.
   */
  const serves = (flight: Flight | undefined, now: number): boolean =>
    flight !== undefined && (flight.readAt >= now || now < flight.readAt + ttlMs);

  /** Brings all needs: those not already on their way in one BatchGetItem. Throws as the reader does. */
  async function load(needs: readonly Need<unknown>[], now: number, spending?: Spending): Promise<Brought> {
    const wanted = distinct(needs);
    const fresh = wanted.filter((need) => !serves(underWay.get(need.id), now));
    if (fresh.length > 0) read(fresh, spending);
    const flights = wanted.map((need) => underWay.get(need.id) as Flight);
    return byId(wanted, await Promise.all(flights.map(({ entry }) => entry)));
  }

  /** Brings all needs in one call of their own, whatever is cached or on its way. */
  async function loadTogether(needs: readonly Need<unknown>[], spending?: Spending): Promise<Brought> {
    const wanted = distinct(needs);
    const flights = read(wanted, spending);
    return byId(wanted, await Promise.all(flights.map(({ entry }) => entry)));
  }

  /** Brings all needs as they stand at one instant, whatever is cached or on its way. */
  async function loadSnapshot(needs: readonly Need<unknown>[], spending?: Spending): Promise<Brought> {
    const wanted = distinct(needs);
    const call = begin();
    const keys = wanted.map((need) => need.key);
    const notes = newNotes(spending);
    const items = await spend(spending, notes, reader.getSnapshot(keys, notes));
    const entries = wanted.map((need, position) => toEntry(need, items[position], call));
    const brought = byId(wanted, entries);
    for (const [id, entry] of brought) keep(id, entry);
    return brought;
  }

  return {
    state: cache.state,
    latest,
    openedAt,
    ticksOf,
    now,
    grow: cache.grow,
    find,
    recall,
    findOlder,
    load,
    loadTogether,
    loadSnapshot,
  };
}

export type Store = ReturnType<typeof createStore>;
