import { LRUCache } from 'lru-cache';

export interface CachedLoaderOptions<V> {
  /** Bound on all that is cached, in estimated bytes. */
  readonly maxBytes: number;
  /** Estimated bytes of a value with its key. */
  readonly sizeOf: (value: V) => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Loading<L> {
  readonly start: number;
  readonly loaded: Promise<L>;
}

/**
 * A cache that is bounded in bytes, and the loads that fill it: those of one key that are in flight at the same time are
 * shared. It knows nothing of ages: a value says itself how old it is.
 *
 * @typeParam V what is cached
 * @typeParam L what a load answers
 */
export function createCachedLoader<V extends object, L = V>({
  maxBytes,
  sizeOf,
  now,
}: CachedLoaderOptions<V>) {
  const values = new LRUCache<string, V>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  const inFlight = new Map<string, Loading<L>>();

  return {
    find: (key: string): V | undefined => values.get(key),
    /** What is larger than the whole bound is not cached. */
    keep: (key: string, value: V): void => void values.set(key, value),
    forget: (key: string): void => void values.delete(key),
    /** Forgets all values, and lets nobody wait for a load that is in flight. */
    clear: (): void => {
      values.clear();
      inFlight.clear();
    },
    /**
     * Loads keys. A load in flight is shared if it began at `since` or later; those that are left are started together.
     *
     * @param start begins the loads of the keys that it is given, in their order
     */
    load: (
      keys: readonly string[],
      since: number,
      start: (keys: readonly string[]) => readonly Promise<L>[],
    ): readonly Promise<L>[] => {
      // The clock is asked first: when it has gone back, nothing that is in flight is shared.
      const begunAt = now();
      const loads = new Map<string, Promise<L>>();
      for (const key of keys) {
        const shared = inFlight.get(key);
        if (shared !== undefined && shared.start >= since) loads.set(key, shared.loaded);
      }
      const unshared = keys.filter((key) => !loads.has(key));
      const begun = unshared.length > 0 ? start(unshared) : [];
      for (const [position, key] of unshared.entries()) {
        const loading = { start: begunAt, loaded: begun[position] as Promise<L> };
        loads.set(key, loading.loaded);
        inFlight.set(key, loading);
        const land = () => {
          if (inFlight.get(key) === loading) inFlight.delete(key);
        };
        loading.loaded.then(land, land);
      }
      return keys.map((key) => loads.get(key) as Promise<L>);
    },
  };
}
