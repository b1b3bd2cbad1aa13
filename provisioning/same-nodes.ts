import { stale } from '../table/errors.ts';
import type { Item } from '../table/item.ts';
import { identityOf, type Key, parseKey } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { type Action, keyOf } from '../table/write/action.ts';

/**
 * An id can be used again: a node may be deleted and made anew between the reading and the writing of a plan. All
 * that the plan found out about the old one (its revision, its scope, its edges, its guards) may be wrong of the new
 * one, although it exists and its revision is the same. So whatever asks for a node to be there asks for the one that
 * was read, which its time of creation tells.
 */
export interface SameNodes {
  /** Reads as `reader` does, and keeps which nodes it came upon. */
  readonly reader: Reader;
  /** The actions, on condition that these nodes are still the same; otherwise they fail as `stale`. */
  readonly keep: (actions: readonly Action[]) => readonly Action[];
}

export function createSameNodes(reader: Reader): SameNodes {
  /** When the node was made that was read first, by its key. */
  const made = new Map<string, string>();
  const note = (items: readonly (Item | undefined)[]): void => {
    for (const item of items) {
      if (typeof item?.createdAt !== 'string' || !isNode(item)) continue;
      if (!made.has(identityOf(item))) made.set(identityOf(item), item.createdAt);
    }
  };
  const noting = async <T extends readonly (Item | undefined)[]>(reading: Promise<T>): Promise<T> => {
    const items = await reading;
    note(items);
    return items;
  };
  return {
    reader: {
      ...reader,
      get: async (key) => (await noting(reader.get(key).then((item) => [item])))[0],
      getMany: (...args) => noting(reader.getMany(...args)),
      getSnapshot: (...args) => noting(reader.getSnapshot(...args)),
    },
    keep: (actions) =>
      actions.map((action) => {
        const createdAt = made.get(identityOf(keyOf(action)));
        const { when, failure } = action;
        if (createdAt === undefined || !failure || when?.exists !== true) return action;
        return {
          ...action,
          when: { ...when, equals: { ...when.equals, createdAt } },
          failure: (found) =>
            found && found.createdAt !== createdAt ? stale(`${found.PK} / ${found.SK}`) : failure(found),
        };
      }),
  };
}

const isNode = (key: Key): boolean => parseKey(key)?.form === 'node';
