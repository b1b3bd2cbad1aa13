import { isSubjectNode } from '../table/identifiers.ts';
import { identityOf, parseKey } from '../table/keys.ts';
import { WRITE_DEADLINE_MS } from '../table/timing.ts';
import { type Action, keyOf } from '../table/write/action.ts';

/**
 * Of the transactions of jobs, no two that write one item are under way at once: one of them would be cancelled. And
 * while a transaction holds a decision item, every `strong` read of it fails, so a job leaves the items that many
 * decisions share (those of scopes, roles and permissions) free for at least as long as it held them.
 */
export interface SharedItems {
  /**
   * Sends when nobody else writes the items of these actions and the shared ones have been free for long enough; who
   * asks first goes first.
   */
  readonly sparingly: <T>(actions: readonly Action[], send: () => Promise<T>) => Promise<T>;
}

export interface SharedItemsOptions {
  readonly clock: { readonly now: () => number };
  /** Waits for so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Whether many decisions look at an item. A subject's own is looked at by its own only. */
function isShared(action: Action): boolean {
  if (action.kind === 'check') return false;
  const parsed = parseKey(keyOf(action));
  if (parsed?.form === 'tenant-effects' || parsed?.form === 'external-groups') return true;
  return parsed?.form === 'decision' && !isSubjectNode(parsed);
}

/** More items than this are not remembered at once. */
const MAX_REMEMBERED = 10_000;

export function createSharedItems({ clock, sleep }: SharedItemsOptions): SharedItems {
  /** From when on each item may be held again; epoch milliseconds. */
  const freeFrom = new Map<string, number>();
  /** By item: the last of those that write it, or wait to. */
  const lastOn = new Map<string, Promise<unknown>>();

  async function leavingFree<T>(actions: readonly Action[], send: () => Promise<T>): Promise<T> {
    const items = actions.filter(isShared).map((action) => identityOf(keyOf(action)));
    const waitUntil = Math.max(0, ...items.map((item) => freeFrom.get(item) ?? 0));
    const begun = clock.now();
    if (waitUntil > begun) await sleep(Math.min(waitUntil - begun, WRITE_DEADLINE_MS));
    const sentAt = clock.now();
    try {
      return await send();
    } finally {
      // No longer than a write takes, even if this process stood still or its clock was set meanwhile.
      const endedAt = Math.min(clock.now(), sentAt + WRITE_DEADLINE_MS);
      if (freeFrom.size > MAX_REMEMBERED)
        for (const [item, from] of freeFrom) if (from <= endedAt) freeFrom.delete(item);
      if (endedAt > sentAt) for (const item of items) freeFrom.set(item, 2 * endedAt - sentAt);
    }
  }

  return {
    sparingly: async (actions, send) => {
      const items = actions.map((action) => identityOf(keyOf(action)));
      const before = new Set(items.flatMap((item) => lastOn.get(item) ?? []));
      const sending = Promise.allSettled(before).then(() => leavingFree(actions, send));
      for (const item of items) lastOn.set(item, sending);
      try {
        return await sending;
      } finally {
        for (const item of items) if (lastOn.get(item) === sending) lastOn.delete(item);
      }
    },
  };
}
