import type { Item } from '../../table/item.ts';
import { identityOf, type Key } from '../../table/keys.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { Reader } from '../../table/reader.ts';
import { keyOf } from '../../table/write/action.ts';
import type { Writer } from '../../table/writer.ts';

/** One region's replica, as a program in that region sees it. */
export interface Replica {
  readonly reader: Reader;
  readonly writer: Writer;
}

/** One item on its way to another region. */
interface Change {
  readonly key: Key;
  readonly item: Item | undefined;
  /** When and where it was written: the later one wins (DynamoDB, How global tables work). */
  readonly stamp: string;
  readonly arrivesAt: number;
}

export interface RegionsOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds until a written item is in the other region; items of one transaction are on their own. */
  readonly delayOf: (key: Key) => number;
}

/**
 * A table in two regions, as a DynamoDB global table with eventual consistency: a transaction and its conditions
 * see the region in which it is sent; each of its items goes to the other region by itself; of two writes of an
 * item, the later one stays, whole.
 */
export function createRegions({ now, delayOf }: RegionsOptions) {
  const [toHere, toThere]: [Change[], Change[]] = [[], []];
  let writes = 0;

  function createReplica(name: string, arriving: Change[], leaving: Change[]): Replica {
    const stamps = new Map<string, string>();
    const { reader, writer, ...table } = createMemoryTable({
      onCommit: (actions) => {
        const items = new Map(table.items().map((item) => [identityOf(item), item]));
        for (const action of actions) {
          if (action.kind === 'check') continue;
          const key = keyOf(action);
          const id = identityOf(key);
          writes += 1;
          const stamp = [now(), writes].map((each) => String(each).padStart(15, '0')).join(' ') + name;
          stamps.set(id, stamp);
          leaving.push({ key, item: items.get(id), stamp, arrivesAt: now() + delayOf(key) });
        }
      },
    });
    /** Applies what has arrived. */
    function receive(): void {
      for (const change of arriving.filter(({ arrivesAt }) => arrivesAt <= now())) {
        arriving.splice(arriving.indexOf(change), 1);
        const id = identityOf(change.key);
        if ((stamps.get(id) ?? '') > change.stamp) continue;
        stamps.set(id, change.stamp);
        if (change.item) table.put(change.item);
        else table.remove(change.key);
      }
    }
    const current =
      <A extends unknown[], R>(act: (...args: A) => R) =>
      (...args: A): R => {
        receive();
        return act(...args);
      };
    return {
      reader: {
        get: current(reader.get),
        getMany: current(reader.getMany),
        getSnapshot: current(reader.getSnapshot),
        list: current(reader.list),
        listMerged: current(reader.listMerged),
        listAll: current(reader.listAll),
      },
      writer: { send: current(writer.send) },
    };
  }

  return { here: createReplica('here', toHere, toThere), there: createReplica('there', toThere, toHere) };
}
