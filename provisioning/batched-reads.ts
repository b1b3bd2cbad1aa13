import type { Item } from '../table/item.ts';
import { identityOf, type Key } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';

/**
 * Reads of several pieces of work that go on side by side, in few calls: when each of them waits, what they wait for
 * is read by one BatchGetItem. Of each item the first reading holds.
 *
 * No piece may wait for another one, because then nobody would ask for the items.
 */
export interface BatchedReads {
  /** Does a piece of work with a reader of its own. */
  readonly work: <T>(piece: (reader: Reader, seen: Seen) => Promise<T>) => Promise<T>;
  /** Reads as the pieces do, in calls of its own. */
  readonly reader: Reader;
}

/** What a piece of work has read. */
export interface Seen {
  /** The identities of items. */
  readonly keys: ReadonlySet<string>;
  /** Whether it has read a list as well. */
  readonly hasListed: () => boolean;
}

interface Known {
  readonly item: Promise<Item | undefined>;
  isRead: boolean;
}

export function createBatchedReads(reader: Reader): BatchedReads {
  const known = new Map<string, Known>();
  let wanted: { readonly key: Key; readonly answer: (item: Promise<Item | undefined>) => void }[] = [];
  /** Pieces of work that wait for no item. */
  let busy = 0;

  function readWhenAllWait(): void {
    if (busy > 0 || wanted.length === 0) return;
    const asked = wanted;
    wanted = [];
    const items = reader.getMany(asked.map(({ key }) => key));
    for (const [position, { answer }] of asked.entries()) answer(items.then((found) => found[position]));
  }

  function ask(key: Key): Known {
    const found = known.get(identityOf(key));
    if (found) return found;
    const item = new Promise<Item | undefined>((resolve) => {
      wanted.push({ key, answer: resolve });
    });
    const entry: Known = { item, isRead: false };
    item.then(
      () => {
        entry.isRead = true;
      },
      () => {},
    );
    known.set(identityOf(key), entry);
    return entry;
  }

  /** Reads items that are not known yet by calls of their own, and the rest not again. */
  const getNow = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
    const entries = keys.map(ask);
    // Whoever else is about to ask does so first.
    await Promise.resolve();
    readWhenAllWait();
    return Promise.all(entries.map(({ item }) => item));
  };

  return {
    reader: { ...reader, get: async (key) => (await getNow([key]))[0], getMany: getNow },
    work: async (piece) => {
      const keys = new Set<string>();
      let hasListed = false;
      let open = 0;
      const wait = async (all: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
        for (const key of all) keys.add(identityOf(key));
        const entries = all.map(ask);
        if (entries.every(({ isRead }) => isRead)) return Promise.all(entries.map(({ item }) => item));
        if (open++ === 0) busy -= 1;
        readWhenAllWait();
        try {
          return await Promise.all(entries.map(({ item }) => item));
        } finally {
          if (--open === 0) busy += 1;
        }
      };
      const listing =
        <Query, Found>(list: (query: Query) => Promise<Found>) =>
        (query: Query): Promise<Found> => {
          hasListed = true;
          return list(query);
        };
      const own: Reader = {
        get: async (key) => (await wait([key]))[0],
        getMany: wait,
        getSnapshot: (snapshot, notes) => {
          for (const key of snapshot) keys.add(identityOf(key));
          return reader.getSnapshot(snapshot, notes);
        },
        list: listing(reader.list),
        listMerged: listing(reader.listMerged),
        listAll: listing(reader.listAll),
      };
      busy += 1;
      try {
        // All that are begun together are counted before the first of them reads.
        await Promise.resolve();
        return await piece(own, { keys, hasListed: () => hasListed });
      } finally {
        busy -= 1;
        readWhenAllWait();
      }
    },
  };
}
