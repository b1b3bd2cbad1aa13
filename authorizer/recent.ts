import { type Cached, createCache, KEPT, USED } from '../engine/cache.ts';

export interface RecentOptions<T> {
  readonly most: number;
  readonly mostBytes?: number;
  /** An estimate, the same each time it is asked of one value. */
  readonly bytesOf?: (value: T) => number;
}

/** What was used lately, by name. */
export interface Recent<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
  delete(name: string): void;
  readonly size: number;
}

interface Held<T> extends Cached {
  readonly value: T;
}

/** Bounded in number, or in bytes: then a value takes at least such a share of them that there are no more than `most`. */
export function createRecent<T>({ most, mostBytes, bytesOf = () => 0 }: RecentOptions<T>): Recent<T> {
  const room = mostBytes ?? most;
  const cache = createCache<Held<T>>(room);
  return {
    get(name) {
      const held = cache.get(name);
      if (held === undefined) return undefined;
      held.use = USED;
      return held.value;
    },
    set(name, value) {
      cache.set(name, { value, use: KEPT, weight: Math.max(room / most, bytesOf(value)) });
    },
    delete: cache.delete,
    get size() {
      return cache.size();
    },
  };
}
