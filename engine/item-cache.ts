import { decodeStamp, type Stamp, stampOf } from '../table/decision/decode.ts';
import { GatehouseError } from '../table/errors.ts';
import type { Item } from '../table/item.ts';
import type { Reader, ReadNotes } from '../table/reader.ts';
import { createCachedLoader } from './cached-loader.ts';
import { type ItemId, type Kind, keyOf } from './items.ts';

/**
 * When items that were read at different instants may be decided on together (SPEC section 2, Coherence; after
 * Zanzibar's "new enemy").
 *
 * A write says when it was stamped and has an id of its own. It is certain to have been committed a margin after its
 * stamp, and before the end of the first read that returned it. It was still current when the last read that returned it
 * began. These two instants are its span: at every instant in between, both included, the item stood so in the table.
 * A set of items was true at one instant when their spans have an instant in common. All instants are the reader's.
 */
export interface Span {
  /** The first instant at which the write is known to have been current. */
  from: number;
  /** The last one: the latest start of a read that returned it. */
  until: number;
}

/**
 * The start of the span of a write after a read that returned it.
 *
 * @param writtenAt the write's stamp, by its writer's clock
 * @param marginMs how long after its stamp a write may still be committed, clocks that differ included
 * @param end when the read ended. That instant itself is not in the span: within one tick nobody knows what came first.
 */
export const spanStart = (writtenAt: number, marginMs: number, end: number): number =>
  Math.min(writtenAt + marginMs, end + 1);

/** What the engine reads with. */
export type DecisionReader = Pick<Reader, 'getMany' | 'getSnapshot'>;

/** A decoded item as one write left it, and the span in which that write is known to have been current. */
export interface Entry<T = unknown> extends Span {
  readonly kind: Kind<T>;
  readonly id: string;
  /** Null when the table has no such item: absence is cached like presence. */
  readonly value: T | null;
  /** Undefined for an absent item. */
  readonly writeId: string | undefined;
  /** The earliest end of a read that returned it. */
  seenAt: number;
  /** Estimated bytes, those of its memos included. */
  readonly size: number;
}

/** What reads have cost. A read that another decision asked for first costs nothing. */
export interface Cost {
  calls: number;
  units: number;
}

/** Entries that were read, by id; in the place of a damaged one the error. */
export type ReadItems = ReadonlyMap<string, Entry | Error>;

export interface ItemCacheOptions {
  readonly reader: DecisionReader;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long after its stamp a write may still be committed, in milliseconds. */
  readonly marginMs: number;
  readonly maxBytes: number;
}

/** The members of an item, and when they had been read. */
interface Members {
  readonly items: readonly Item[];
  readonly end: number;
}

const NO_MEMBERS: Members = { items: [], end: Number.NEGATIVE_INFINITY };

/** When a read began and ended, and since what was last forgotten. */
interface ReadTimes {
  readonly start: number;
  readonly end: number;
  readonly begunIn: number;
}

/**
 * The cache of decoded items in front of the reader, bounded in bytes. It knows nothing of ages: an entry says in which
 * span it was current, and whoever asks decides whether that is recent enough. Reads of one item that are under way at
 * the same time are shared. What could not be read or decoded is not cached.
 */
export function createItemCache({ reader, now, marginMs, maxBytes }: ItemCacheOptions) {
  const cache = createCachedLoader<Entry>({ maxBytes, sizeOf: ({ size }) => size, now });
  /** Changes when everything is forgotten: what was read before is not cached after it. */
  let generation = 0;

  /**
   * Takes in what a read returned. Of two writes the cache keeps the newer one; where nobody knows which that is, it keeps
   * the one that it has.
   *
   * @returns what was read: it may differ from what is cached, and is never older than the read
   */
  async function place<T>(
    { kind, id }: ItemId<T>,
    item: Item | undefined,
    { start, end, begunIn }: ReadTimes,
  ): Promise<Entry<T>> {
    const stamp = item && stampIn(kind, item, start);
    const findCached = () => (begunIn === generation ? find(kind, id) : undefined);
    const isSame = (cached: Entry<T>) => cached.writeId === stamp?.writeId;
    const known = findCached();
    if (known !== undefined && isSame(known) && kind.membersOf && item) {
      // The members are those of this write still.
      known.until = Math.max(known.until, start);
      return known;
    }
    const members = item && kind.membersOf ? await readMembers(kind.membersOf(id)) : NO_MEMBERS;
    const cached = findCached();
    const entry: Entry<T> = {
      kind,
      id,
      // Decoded anew also where it is of the same write: an operator may have edited the item by hand.
      value: item === undefined ? (kind.absent?.() ?? null) : kind.decode(id, item, members.items),
      writeId: stamp?.writeId,
      // An absent item has no stamp: it counts as absent since ever, for absence can do nothing but refuse.
      from: stamp
        ? Math.max(spanStart(stamp.writtenAt, marginMs, end), members.end + 1)
        : Number.NEGATIVE_INFINITY,
      until: start,
      seenAt: end,
      size: sizeOf(id, item, ...members.items) + (kind.memoBytes ?? 0),
    };
    if (cached !== undefined && isSame(cached)) joinSpans(entry, cached);
    // Newer for certain: its read began when the cached write was already there.
    const isNewer =
      cached === undefined ||
      isSame(cached) ||
      (cached.writeId === undefined ? start > cached.seenAt : start >= cached.from);
    if (isNewer && begunIn === generation) cache.keep(id, entry);
    return entry;
  }

  const readMembers = async (read: Promise<readonly Item[]>): Promise<Members> => ({
    items: await read,
    end: now(),
  });

  /** Reads items in one call. Each is resolved for itself: a damaged one fails alone. */
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
      else if (result.reason instanceof GatehouseError && result.reason.code === 'damaged_item')
        found.set(id, result.reason);
      else throw result.reason;
    }
    return found;
  }

  function find<T>(kind: Kind<T>, id: string): Entry<T> | undefined {
    const entry = cache.find(id);
    return entry?.kind === kind ? (entry as Entry<T>) : undefined;
  }

  return {
    /** The entry that is cached, however old it is; undefined also when what is cached under the id is of another kind. */
    find,
    /** Forgets everything: for when the clock went back, and entries would look younger than they are. */
    clear: (): void => {
      cache.clear();
      generation += 1;
    },
    /** Changes when everything is forgotten: what was read before says nothing any more of when it was current. */
    generation: (): number => generation,
    /**
     * Reads items: those for which no read that began at `since` or later is under way in one BatchGetItem.
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
     * Reads items as they stand at one instant, in one TransactGetItems.
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

export type ItemCache = ReturnType<typeof createItemCache>;

/**
 * The stamp of an item. One that may lack it counts as written when it was read, and the same content as the same write.
 *
 * @throws GatehouseError `damaged_item` where it must not be missing
 */
const stampIn = ({ mayLackStamp }: Kind<unknown>, item: Item, start: number): Stamp =>
  mayLackStamp ? (stampOf(item) ?? { writtenAt: start, writeId: JSON.stringify(item) }) : decodeStamp(item);

/** Extends the span of an entry by that of an earlier one of the same write. */
export function joinSpans(entry: Entry, earlier: Entry): void {
  // Members were read later than their item: the span of both does not begin before that.
  if (entry.kind.membersOf === undefined) entry.from = Math.min(entry.from, earlier.from);
  entry.until = Math.max(entry.until, earlier.until);
  entry.seenAt = Math.min(entry.seenAt, earlier.seenAt);
}

/** Estimated bytes: of an entry with its place in the cache, of an attribute, of a member of a list. */
const ENTRY_BYTES = 360;
const ATTRIBUTE_BYTES = 130;
const ELEMENT_BYTES = 16;

/** The attributes that every decision item has, and of which nothing is kept but numbers. */
const COMMON: ReadonlySet<string> = new Set(['PK', 'SK', 'Type', 'v', 'writtenAt', 'status']);

/** Estimated bytes of an entry, rather too many (`npm run bench -- memory` compares it with what is really used). */
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
