import { decodeStamp, holdsConditions, type Stamp, stampOf } from '../table/decision/decode.ts';
import { GatehouseError } from '../table/errors.ts';
import { assertReadable } from '../table/form.ts';
import type { Item } from '../table/item.ts';
import type { Reader, ReadNotes } from '../table/reader.ts';
import { createCachedLoader } from './cached-loader.ts';
import { loadCel } from './conditions/load.ts';
import { type ItemId, type Kind, keyOf } from './items.ts';

/**
 * The interval in which a write of an item is known to have been current, both ends included, by the reader's
 * clock. Items that were read at different instants may be decided on together if their spans have an instant
 * in common (ADR 0014, Coherence by spans; compare Zanzibar's "new enemy" problem).
 *
 * Each write carries a stamp (its time) and an id. It was committed at the latest a margin after its stamp,
 * and before the end of the first read that returned it. It was still current when the last read that
 * returned it began.
 */
export interface Span {
  /** The first instant at which the write is known to have been current. */
  from: number;
  /** The last such instant: the latest start of a read that returned it. */
  until: number;
  /**
   * Whether the entry of this span is the cached one. Ends for good when it is replaced, evicted or cleared: a decision
   * is kept beside the spans of its items, and keeps no item alive.
   */
  isCached: boolean;
  /** Of the entry. */
  readonly id: string;
}

/**
 * The start of a write's span.
 *
 * @param writtenAt the write's stamp, by the writer's clock
 * @param marginMs how long after its stamp a write may still be committed, clock skew included
 * @param end when the first read that returned it ended. The span starts one tick later: the order of events
 *   within a tick is unknown.
 */
const spanStart = (writtenAt: number, marginMs: number, end: number): number =>
  Math.min(writtenAt + marginMs, end + 1);

/** The reads that the engine uses. */
export type DecisionReader = Pick<Reader, 'getMany' | 'getSnapshot'>;

/** One version of a decoded item, and the span in which it is known to have been current. */
export interface Entry<T = unknown> {
  readonly kind: Kind<T>;
  readonly id: string;
  readonly span: Span;
  /** Null if the table has no such item: absence is cached too. */
  readonly value: T | null;
  /** Undefined for an absent item. */
  readonly writeId: string | undefined;
  /** The latest end of a read that returned it. Used for absence, which has no other sign of its age. */
  seenAt: number;
  /** Estimated bytes. */
  readonly size: number;
}

/** The cost of reads. Sharing a read in flight costs nothing. */
export interface Cost {
  calls: number;
  units: number;
}

/** Entries by id; for a damaged item, or one of a newer form, the error. */
export type ReadItems = ReadonlyMap<string, Entry | Error>;

export interface ItemCacheOptions {
  readonly reader: DecisionReader;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long after its stamp a write may still be committed, in milliseconds. */
  readonly marginMs: number;
  readonly maxBytes: number;
  /** Called with the estimated bytes of all cached items, whenever one was added. */
  readonly onGrowth?: ((bytes: number) => void) | undefined;
}

/** The members of an item, and when their read ended. */
interface Members {
  readonly items: readonly Item[];
  readonly end: number;
}

const NO_MEMBERS: Members = { items: [], end: Number.NEGATIVE_INFINITY };

/** When a read began and ended, and the generation of the cache in which it began. */
interface ReadTimes {
  readonly start: number;
  readonly end: number;
  readonly begunIn: number;
}

/**
 * The cache of decoded items in front of the reader, bounded in bytes. It has no time-to-live: an entry
 * carries its span, and the caller decides whether that is recent enough. Concurrent reads of one item are
 * shared. Failed reads and damaged items are not cached.
 */
export function createItemCache({ reader, now, marginMs, maxBytes, onGrowth }: ItemCacheOptions) {
  const cache = createCachedLoader<Entry>({
    maxBytes,
    sizeOf: ({ size }) => size,
    dispose: ({ span }) => {
      span.isCached = false;
    },
    onGrowth,
    now,
  });
  /** Incremented when the cache is cleared: reads that began before are not cached. */
  let generation = 0;

  /**
   * Decodes the result of a read and caches it. Of two writes the cache keeps the newer one; if their order
   * is unknown, it keeps the one it has.
   *
   * @returns the entry that was read, which may differ from the cached one
   */
  async function place<T>(
    { kind, id }: ItemId<T>,
    item: Item | undefined,
    { start, end, begunIn }: ReadTimes,
  ): Promise<Entry<T>> {
    // Before the stamp: a newer form may have another one.
    if (item) assertReadable(item);
    const stamp = item && stampIn(kind, item, start);
    const findCached = () => (begunIn === generation ? find(kind, id) : undefined);
    const isSame = (cached: Entry<T>) => cached.writeId === stamp?.writeId;
    const known = findCached();
    if (known !== undefined && isSame(known) && kind.membersOf && item) {
      // The same write of the revision: the members have not changed.
      known.span.until = Math.max(known.span.until, start);
      return known;
    }
    const members = item && kind.membersOf ? await readMembers(kind.membersOf(id)) : NO_MEMBERS;
    for (const member of members.items) assertReadable(member);
    if (item && holdsConditions(item)) await loadCel();
    const cached = findCached();
    const entry: Entry<T> = {
      kind,
      id,
      // Decode even if the write is the same: an operator may have edited the item by hand.
      value: item === undefined ? (kind.absent?.() ?? null) : kind.decode(id, item, members.items),
      writeId: stamp?.writeId,
      span: {
        // An absent item has no stamp. It counts as always absent, which is safe: absence can only refuse.
        from: stamp
          ? Math.max(spanStart(stamp.writtenAt, marginMs, end), members.end + 1)
          : Number.NEGATIVE_INFINITY,
        until: start,
        isCached: false,
        id,
      },
      seenAt: end,
      size: sizeOf(id, item, ...members.items),
    };
    if (cached !== undefined && isSame(cached)) joinSpans(entry, cached);
    // Certainly newer: its read began when the cached write was already committed.
    const isNewer =
      cached === undefined ||
      isSame(cached) ||
      (cached.writeId === undefined ? start > cached.seenAt : start >= cached.span.from);
    // An entry larger than the whole bound is not cached.
    if (isNewer && begunIn === generation) entry.span.isCached = cache.keep(id, entry);
    return entry;
  }

  const readMembers = async (read: Promise<readonly Item[]>): Promise<Members> => ({
    items: await read,
    end: now(),
  });

  /** Reads items in one call. Returns a promise per item, so that a damaged item fails alone. */
  function startRead(
    wanted: readonly ItemId[],
    read: (notes: ReadNotes) => Promise<readonly (Item | undefined)[]>,
    cost: Cost | undefined,
  ): readonly Promise<Entry>[] {
    const [start, begunIn] = [now(), generation];
    const notes: ReadNotes = { calls: 0, units: cost && 0 };
    const answered = read(notes)
      .finally(() => {
        if (!cost) return;
        cost.calls += notes.calls;
        cost.units += notes.units ?? 0;
      })
      .then((items) => ({ items, end: now() }));
    return wanted.map((each, position) =>
      answered.then(({ items, end }) => place(each, items[position], { start, end, begunIn })),
    );
  }

  async function settle(wanted: readonly ItemId[], reads: readonly Promise<Entry>[]): Promise<ReadItems> {
    const results = await Promise.allSettled(reads);
    const found = new Map<string, Entry | Error>();
    for (const [position, result] of results.entries()) {
      const { id } = wanted[position] as ItemId;
      if (result.status === 'fulfilled') found.set(id, result.value);
      else if (isOfItem(result.reason)) found.set(id, result.reason);
      else throw result.reason;
    }
    return found;
  }

  function find<T>(kind: Kind<T>, id: string): Entry<T> | undefined {
    const entry = cache.find(id);
    return entry?.kind === kind ? (entry as Entry<T>) : undefined;
  }

  return {
    /** The cached entry, however old; undefined if there is none of this kind. */
    find,
    /** The cached value, however old; null if the table has no such item. */
    recall: <T>(kind: Kind<T>, id: string): T | null | undefined => find(kind, id)?.value,
    /** Makes an entry that is used without being looked at stay as long as those that are. */
    use: ({ id }: Span): void => {
      if (cache.isNearlyFull()) cache.find(id);
    },
    /** Clears the cache. Used when the clock was set back: entries would look younger than they are. */
    clear: (): void => {
      cache.clear();
      generation += 1;
    },
    /** Changes when the cache is cleared: the times of earlier reads are then meaningless. */
    generation: (): number => generation,
    /**
     * Reads items. Shares reads in flight that began at `since` or later, and reads the others in one
     * BatchGetItem.
     *
     * @param since epoch milliseconds
     * @throws GatehouseError as the reader does
     */
    read: (wanted: readonly ItemId[], since: number, cost?: Cost): Promise<ReadItems> => {
      const byId = new Map(wanted.map((each) => [each.id, each]));
      const start = (ids: readonly string[]) => {
        const unread = ids.map((id) => byId.get(id) as ItemId);
        return startRead(unread, (notes) => reader.getMany(unread.map(keyOf), notes), cost);
      };
      return settle(wanted, cache.load([...byId.keys()], since, start));
    },
    /**
     * Reads items as of one instant, in one TransactGetItems.
     *
     * @throws GatehouseError as the reader does, `limit_exceeded` for more than 100 items
     */
    readSnapshot: (wanted: readonly ItemId[], cost?: Cost): Promise<ReadItems> => {
      const keys = wanted.map(keyOf);
      const read = startRead(wanted, (notes) => reader.getSnapshot(keys, notes), cost);
      return settle(wanted, read);
    },
  };
}

/** Whether an error is of one item, and the others that were read with it can be used. */
export const isOfItem = (error: unknown): error is GatehouseError =>
  error instanceof GatehouseError && (error.code === 'damaged_item' || error.code === 'newer_form');

export type ItemCache = ReturnType<typeof createItemCache>;

/**
 * The stamp of an item. An item that may lack one counts as written when it was read, and its content serves
 * as write id.
 *
 * @throws GatehouseError `damaged_item` if it is missing and must not be
 */
const stampIn = ({ mayLackStamp }: Kind<unknown>, item: Item, start: number): Stamp =>
  mayLackStamp ? (stampOf(item) ?? { writtenAt: start, writeId: JSON.stringify(item) }) : decodeStamp(item);

/** Extends the span of an entry by the span of an earlier entry of the same write. */
export function joinSpans(entry: Entry, earlier: Entry): void {
  // The members were read anew, after their item: the span of both starts only then.
  const { span } = entry;
  if (entry.kind.membersOf === undefined) span.from = Math.min(span.from, earlier.span.from);
  span.until = Math.max(span.until, earlier.span.until);
  // Absence has no id: two absences may have a write between them, so the later one's end counts.
  entry.seenAt = Math.max(entry.seenAt, earlier.seenAt);
}

/** Estimated bytes of an entry with its cache slot, of an attribute, and of a list member. */
const ENTRY_BYTES = 360;
const ATTRIBUTE_BYTES = 130;
const ELEMENT_BYTES = 16;

/** Attributes of every decision item that are not kept after decoding, or only as numbers. */
const COMMON: ReadonlySet<string> = new Set(['PK', 'SK', 'Type', 'v', 'writtenAt', 'status']);

/** Estimated bytes of an entry, on the high side (`npm run bench -- memory` compares it with real usage). */
function sizeOf(id: string, ...items: readonly (Item | undefined)[]): number {
  let size = ENTRY_BYTES + id.length;
  for (const item of items) {
    for (const [name, value] of Object.entries(item ?? {})) {
      if (COMMON.has(name)) continue;
      size += ATTRIBUTE_BYTES + name.length;
      if (typeof value === 'string') size += value.length;
      else if (value instanceof Set) size += ELEMENT_BYTES * value.size;
      else if (Array.isArray(value)) size += ELEMENT_BYTES * value.length;
    }
  }
  return size;
}
