import { BY_SCOPE } from '../../table/decision/split.ts';
import { isBuiltIn, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { stale } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, type Key, META, parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { readAs } from '../read-as.ts';

/**
 * An id can be used again: a node may be deleted and made anew between the reading and the writing of a plan. All
 * that the plan found out about the old one (its revision, its scope, its edges, its guards) may be wrong of the new
 * one, although it exists and its revision is the same. So whatever asks for a node to be there asks for the one that
 * was read, which its time of creation tells. Of a group and of a scope it also asks that memberships are listed as they
 * were then (ADR 0003): a plan says where they go.
 */
export interface SameNodes {
  /** Reads as `reader` does, and keeps which nodes it came upon. */
  readonly reader: Reader;
  /** The actions, on condition that these nodes are still the same; otherwise they fail as `stale`. */
  readonly keep: (actions: readonly Action[]) => readonly Action[];
}

export function createSameNodes(reader: Reader): SameNodes {
  /** What the node says that was read first, by its key. */
  const known = new Map<string, Readonly<Record<string, string | undefined>>>();
  return {
    reader: readAs(reader, (_, item) => {
      if (typeof item?.createdAt === 'string' && nodeRef(item) && !known.has(identityOf(item)))
        known.set(identityOf(item), sameOf(item, item.createdAt));
      return item;
    }),
    keep: (actions) =>
      actions.map((action) => {
        const same = known.get(identityOf(keyOf(action)));
        const { when, failure } = action;
        if (same === undefined || !failure || when?.exists !== true) return action;
        return {
          ...action,
          when: { ...when, equals: { ...when.equals, ...same } },
          failure: (found) =>
            found && Object.entries(same).some(([name, value]) => found[name] !== value)
              ? stale(`${found.PK} / ${found.SK}`)
              : failure(found),
        };
      }),
  };
}

const nodeRef = (key: Key) => {
  const parsed = key.SK === META ? parseKey(key) : undefined;
  return parsed?.form === 'node' ? parsed : undefined;
};

/** What tells a node from another one under its key, and how memberships are listed that it says. */
function sameOf(item: Item, createdAt: string): Readonly<Record<string, string | undefined>> {
  const type = String(nodeRef(item)?.type);
  const hasMark = type === 'group' || isBuiltIn(type) || mayBeScopeType(type);
  return hasMark ? { createdAt, [BY_SCOPE]: item[BY_SCOPE] as string | undefined } : { createdAt };
}
