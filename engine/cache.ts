/** How something that is cached is used: it was dropped, is there, or was asked for since the hand last passed. */
export const GONE = 0;
export const KEPT = 1;
export const USED = 2;

/** What can be cached. `use` and `weight` are the cache's own, and on the entry so that a hit is one look-up. */
export interface Cached {
  use: number;
  /** Estimated bytes. */
  weight: number;
}

/**
 * A cache that is bounded in bytes. Who takes something from it marks it as used; when room is wanted, a hand goes
 * round from the oldest on, takes the mark off what was used since its last round, and drops what was not (SIEVE, Zhang
 * et al., NSDI 2024). So a hit moves nothing: what was decided out of entries can see by their `use` alone that they
 * are still there, and keep them there.
 */
export function createCache<T extends Cached>(maxBytes: number) {
  const entries = new Map<string, T>();
  /** Made when it is wanted: one that waits keeps the tables that the map has outgrown. */
  let hand: MapIterator<[string, T]> | undefined;
  let newest: string | undefined;
  let bytes = 0;
  /** Changes with each entry that comes or goes, and before the hand moves. */
  const state = { version: 0 };

  function drop(id: string, entry: T): void {
    entries.delete(id);
    entry.use = GONE;
    bytes -= entry.weight;
  }

  /** Until no more than this is kept. */
  function makeRoom(most: number): void {
    state.version += 1;
    while (bytes > most) {
      hand ??= entries.entries();
      const { value, done } = hand.next();
      if (done) hand = undefined;
      else if (value[1].use === USED) value[1].use = KEPT;
      else {
        drop(...value);
        // It has been all the way round: those that come now are behind it.
        if (value[0] === newest) hand = undefined;
      }
    }
  }

  return {
    state: state as { readonly version: number },
    /** What is cached under a name. It is as good as unused unless the caller marks it. */
    get: (id: string): T | undefined => entries.get(id),
    /** Caches this in place of what was there; what is larger than all the room is not cached. */
    set: (id: string, entry: T): void => {
      const before = entries.get(id);
      if (before) drop(id, before);
      entry.use = entry.weight > maxBytes ? GONE : KEPT;
      // Before it is among the others: it is not to be what goes.
      makeRoom(entry.use === GONE ? maxBytes : maxBytes - entry.weight);
      if (entry.use === GONE) return;
      entries.set(id, entry);
      newest = id;
      bytes += entry.weight;
    },
    /** Drops what is cached under a name. */
    delete: (id: string): void => {
      const entry = entries.get(id);
      if (entry) drop(id, entry);
      state.version += 1;
    },
    size: (): number => entries.size,
    /** Notes that an entry has become heavier, by what was made of it. */
    grow: (entry: T, by: number): void => {
      entry.weight += by;
      if (entry.use === GONE) return;
      bytes += by;
      makeRoom(maxBytes);
    },
  };
}
