import { compareBytes } from '../../table/bytes.ts';
import { holdsEntries, inPlace } from '../../table/decision/apart.ts';
import { createKnownSplits, noteSplits } from '../../table/decision/split.ts';
import { invalid } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, type Key } from '../../table/keys.ts';
import { isWithin } from '../../table/read/pages.ts';
import type { ListQuery, Range, Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { after, inSequence, meets } from '../../table/write/sequence.ts';
import { createBatchedReads } from '../batched-reads.ts';

/**
 * What one transaction writes of several plans, each made as if the ones before were carried out: the reader
 * answers as it will then, and of each item there is one action. What has been read is read once.
 */
export interface Planned {
  readonly reader: Reader;
  /**
   * Adds all of them or none. Throws what an action names as its failure, where what was read or planned says that it
   * will fail.
   */
  readonly add: (actions: readonly Action[]) => Promise<void>;
  readonly actions: () => readonly Action[];
}

export function createPlanned(reader: Reader): Planned {
  const planned = new Map<string, Action>();
  /** As the table has them; of each item the first reading holds. */
  const { reader: stored } = createBatchedReads(reader);

  const seen = (key: Key, item: Item | undefined): Item | undefined => {
    const action = planned.get(identityOf(key));
    if (!action) return item;
    // An earlier plan for this item no longer applies: later plans cannot build on it.
    if (action.when && action.failure && !meets(item, action.when)) throw action.failure(item);
    return after(item, action);
  };
  const touches = ({ partition }: Range): boolean =>
    [...planned.values()].some((action) => keyOf(action).PK === partition);

  /** The items of a range, with what has been planned there. */
  const itemsIn = async (
    range: Range,
    { keep = () => true, descending = false }: Pick<ListQuery, 'keep' | 'descending'>,
  ): Promise<readonly Item[]> => {
    const items = new Map((await reader.listAll({ ranges: [range] })).map((item) => [item.SK, item]));
    for (const action of planned.values()) {
      const key = keyOf(action);
      if (key.PK !== range.partition || !isWithin(key.SK, range)) continue;
      const item = seen(key, items.get(key.SK) ?? (await stored.get(key)));
      if (item) items.set(key.SK, item);
      else items.delete(key.SK);
    }
    const sign = descending ? -1 : 1;
    return [...items.values()].filter(keep).sort((a, b) => sign * compareBytes(a.SK, b.SK));
  };

  async function addOne(action: Action): Promise<void> {
    const key = keyOf(action);
    const earlier = planned.get(identityOf(key));
    if (earlier?.kind === 'put' && action.kind === 'put' && action.when?.exists === false)
      throw invalid(
        action.failure?.(earlier.item).field ?? 'id',
        'the same is asked for twice in one transaction',
      );
    // What is only being made is not there: the write will say if it is.
    const isMade = earlier?.kind === 'put' && earlier.when?.exists === false;
    const base = !earlier || isMade ? undefined : await stored.get(key);
    const both = earlier ? [earlier, action] : [action];
    if (earlier && both.some(holdsEntries)) {
      // What both do to one set follows from the item, so where its parts stand has to be settled now.
      const splits = createKnownSplits();
      noteSplits(splits, key, base);
      planned.delete(identityOf(key));
      for (const each of both) for (const settled of inPlace([each], splits)) await addOne(settled);
      return;
    }
    planned.set(identityOf(key), earlier ? inSequence(base, earlier, action) : action);
  }

  return {
    actions: () => [...planned.values()],
    add: async (actions) => {
      const before = new Map(planned);
      try {
        for (const action of mergeActions(actions)) await addOne(action);
      } catch (error) {
        planned.clear();
        for (const [identity, action] of before) planned.set(identity, action);
        throw error;
      }
    },
    reader: {
      get: async (key) => {
        const action = planned.get(identityOf(key));
        const isKnown = action?.kind === 'put' || action?.kind === 'delete';
        return isKnown ? after(undefined, action) : seen(key, await stored.get(key));
      },
      getMany: async (keys) => {
        const items = await stored.getMany(keys);
        return keys.map((key, position) => seen(key, items[position]));
      },
      getSnapshot: async (keys, ...rest) => {
        const items = await reader.getSnapshot(keys, ...rest);
        return keys.map((key, position) => seen(key, items[position]));
      },
      listAll: async (query) => {
        if (query.index !== undefined) refuseLists(planned);
        if (!query.ranges.some(touches)) return reader.listAll(query);
        const all = await Promise.all(query.ranges.map((range) => itemsIn(range, query)));
        return all.flat();
      },
      list: async (query) => {
        if (query.index !== undefined || query.ranges.some(touches)) refuseLists(planned);
        return reader.list(query);
      },
      listMerged: async (query) => {
        refuseLists(planned);
        return reader.listMerged(query);
      },
    },
  };
}

/** Pages and indexes after the planned writes cannot be predicted. */
function refuseLists(planned: ReadonlyMap<string, unknown>): void {
  if (planned.size > 0)
    throw invalid('command', 'this command goes by a list that what is before it may change: send it alone');
}
