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

interface Held<T> {
  readonly value: T;
  readonly bytes: number;
  wasUsed: boolean;
}

/**
 * Bounded in number and in bytes. When room is wanted, the oldest goes, unless it was asked for since it was last
 * looked at: then it is as good as new (second chance). So a hit marks an entry and moves nothing.
 */
export function createRecent<T>({
  most,
  mostBytes = Number.POSITIVE_INFINITY,
  bytesOf = () => 0,
}: RecentOptions<T>): Recent<T> {
  const entries = new Map<string, Held<T>>();
  let bytes = 0;

  function drop(name: string): void {
    bytes -= entries.get(name)?.bytes ?? 0;
    entries.delete(name);
  }

  /** Before the new one is among them: it is not to be what goes. */
  function makeRoom(needed: number): void {
    for (const [name, entry] of entries) {
      if (entries.size < most && bytes + needed <= mostBytes) return;
      if (entry.wasUsed) {
        entry.wasUsed = false;
        entries.delete(name);
        // Behind all others, where this loop comes to it again.
        entries.set(name, entry);
      } else drop(name);
    }
  }

  return {
    get(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      entry.wasUsed = true;
      return entry.value;
    },
    set(name, value) {
      drop(name);
      const needed = bytesOf(value);
      if (needed > mostBytes) return;
      makeRoom(needed);
      entries.set(name, { value, bytes: needed, wasUsed: false });
      bytes += needed;
    },
    delete: drop,
    get size() {
      return entries.size;
    },
  };
}
