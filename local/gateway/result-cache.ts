export interface ResultCache<Value> {
  /** The value stored under the key, unless its time has passed. */
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
}

export interface ResultCacheOptions {
  readonly ttlSeconds: number;
  readonly maxEntries: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * The cache of one authorizer's answers (AG http-api-lambda-authorizer, "Caching authorizer responses").
 *
 * An entry lives for the TTL from when it was stored, and reading does not extend it. AWS documents no bound
 * in number; here the oldest entry makes room, so a flood of tokens cannot fill the memory.
 */
export function createResultCache<Value>(options: ResultCacheOptions): ResultCache<Value> {
  const { clock, maxEntries } = options;
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>();

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (clock() < entry.expiresAt) return entry.value;
      entries.delete(key);
      return undefined;
    },

    put(key, value) {
      // Deleted first: a Map keeps the place of a key it already has, and age is the order here.
      entries.delete(key);
      entries.set(key, { value, expiresAt: clock() + options.ttlSeconds * 1_000 });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
