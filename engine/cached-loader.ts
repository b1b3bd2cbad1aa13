import { LRUCache } from 'lru-cache';

export interface CachedLoaderOptions<V> {
  /** Bound on all that is cached, in estimated bytes. */
  readonly maxBytes: number;
  /** Estimated bytes of a value with its key. */
  readonly sizeOf: (value: V, key: string) => number;
  /** Called with each value that is no longer cached: replaced, evicted, forgotten or cleared. */
  readonly dispose?: (value: V) => void;
  /** Called with the estimated bytes of all that is cached, whenever a value was added. */
  readonly onGrowth?: ((bytes: number) => void) | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const NEARLY = 0.9;

/** One object for all look-ups: the cache would make one for each. */
export const AS_USUAL = {};

interface Loading<L> {
  readonly start: number;
  readonly loaded: Promise<L>;
}

/**
 * A cache bounded in bytes, with shared loads: a key that is already in flight is not loaded a second time.
 * The cache does not track ages; values carry their own.
 *
 * @typeParam V the cached values
 * @typeParam L the result of a load
 */
export function createCachedLoader<V extends object, L = V>({
  maxBytes,
  sizeOf,
  dispose,
  onGrowth,
  now,
}: CachedLoaderOptions<V>) {
  const values = new LRUCache<string, V>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    ...(dispose && { dispose }),
  });
  const inFlight = new Map<string, Loading<L>>();
  const isNearlyFull = (): boolean => values.calculatedSize > NEARLY * maxBytes;

  return {
    /** What is found stays longer. Until values are soon evicted, it need not be noted: that costs more than to look. */
    find: (key: string): V | undefined =>
      isNearlyFull() ? values.get(key, AS_USUAL) : values.peek(key, AS_USUAL),
    /** Caches a value, unless it is larger than the whole bound. Returns whether it did. */
    keep: (key: string, value: V): boolean => {
      const isCached = values.set(key, value).peek(key) === value;
      onGrowth?.(values.calculatedSize);
      return isCached;
    },
    /** Whether values are soon evicted: what is in use must then be found, so that it stays. */
    isNearlyFull,
    forget: (key: string): void => void values.delete(key),
    /** Forgets all values, and stops sharing the loads in flight. */
    clear: (): void => {
      values.clear();
      inFlight.clear();
    },
    /**
     * Loads keys. Shares loads in flight that began at `since` or later, and starts the others together.
     *
     * @param start starts the loads of the given keys and returns them in the same order
     */
    load: (
      keys: readonly string[],
      since: number,
      start: (keys: readonly string[]) => readonly Promise<L>[],
    ): readonly Promise<L>[] => {
      // Read the clock first: if it was set back, that clears `inFlight`.
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
