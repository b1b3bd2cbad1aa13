import type { Kind } from './needs.ts';
import type { Entry } from './store.ts';
import type { Find } from './view.ts';

/**
 * Whether what a decision looks at was ever true at one instant (SPEC section 2, after Zanzibar's "new
 * enemy"): a user is removed from a group, then the group gets a role; the old membership beside the new
 * role would let the removed user in.
 *
 * Entries of one call are taken together as they are. Entries of several calls belong together when the
 * newest write among them is older than the oldest read, by a margin for clocks that differ and for
 * writes that were stamped before they arrived.
 */
export interface Watch {
  readonly find: Find;
  readonly isCoherent: () => boolean;
  /** Whether entries that are read from now on will belong to those found. */
  readonly isSettled: () => boolean;
}

export function watch(find: Find, marginMs: number): Watch {
  let [call, calls] = [-1, 0];
  let oldestRead = Number.POSITIVE_INFINITY;
  let newestWrite = Number.NEGATIVE_INFINITY;
  // Within the same millisecond which came first is not known.
  const isSettled = () => newestWrite < oldestRead - marginMs;

  return {
    isSettled,
    isCoherent: () => calls <= 1 || isSettled(),
    find: <T>(kind: Kind<T>, id: string): Entry<T> | undefined => {
      const entry = find(kind, id);
      if (entry === undefined) return undefined;
      if (entry.call !== call) {
        call = entry.call;
        calls += 1;
      }
      if (entry.readAt < oldestRead) oldestRead = entry.readAt;
      if (entry.writtenAt > newestWrite) newestWrite = entry.writtenAt;
      return entry;
    },
  };
}
