import { inject } from 'vitest';
import type { createClient } from '../../table/dynamodb/client.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { ListQuery, Reader } from '../../table/reader.ts';
import type { Writer } from '../../table/writer.ts';

/** One call to DynamoDB. */
export interface Call {
  readonly operation: string;
  readonly index: string | undefined;
  readonly keys: number;
}

/** An empty table of its own. */
export interface Store {
  readonly endpoint: string;
  readonly table: string;
  readonly client: ReturnType<typeof createClient>;
  readonly reader: Reader;
  readonly writer: Writer;
  /** Every call, in order: as it left the SDK, or as it would have. */
  readonly calls: Call[];
}

/** On the run's DynamoDB engine; on the memory table where the run has none: in the unit tier. */
export async function openStore(): Promise<Store> {
  const endpoint = inject('endpoint');
  if (endpoint === '') return openMemory();
  // Loaded only where it is used: the SDK takes longer to load than most unit tests to run.
  const { openDynamodb } = await import('./dynamodb-store.ts');
  const calls: Call[] = [];
  return { calls, ...(await openDynamodb(endpoint, (call) => calls.push(call))) };
}

/** For what makes too many calls to be quick on an engine: on one in the soak tier alone. */
export const openLightStore = async (): Promise<Store> => (inject('isSoak') ? openStore() : openMemory());

/**
 * A memory table that holds these items. Lacks endpoint and client: who uses them is a `*.integration.test.ts`, where there
 * is an engine.
 */
export function openMemory(given: readonly Item[] = []): Store & { readonly items: () => readonly Item[] } {
  const calls: Call[] = [];
  const { reader, writer, items } = createMemoryTable({ items: given });
  const table = `memory-${inMemory.size + 1}`;
  const recorded = recordCalls(reader, writer, calls);
  inMemory.set(table, [new WeakRef(recorded.reader), new WeakRef(recorded.writer)]);
  return { calls, items, table, ...recorded } as ReturnType<typeof openMemory>;
}

/** They last as long as the world that holds them. */
const inMemory = new Map<string, readonly [WeakRef<Reader>, WeakRef<Writer>]>();
/** The memory table of this name, for a command line that is told no more than that. */
export function tableInMemory(name: string): Pick<Store, 'reader' | 'writer'> | undefined {
  const [reader, writer] = inMemory.get(name)?.map((each) => each.deref()) ?? [];
  return reader && writer ? { reader: reader as Reader, writer: writer as Writer } : undefined;
}

const KEYS_OF_A_CALL = 100;
/** Taken before any test puts timers of its own in its place. */
const { setImmediate } = globalThis;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Notes the calls that reading and writing would be on DynamoDB: one for a page of a list, or for each range of a list
 * that is read whole. Each takes a turn of the event loop, so that there are calls in flight.
 */
function recordCalls(reader: Reader, writer: Writer, calls: Call[]): { reader: Reader; writer: Writer } {
  const called = (operation: string, keys = 0, index?: string): Promise<void> => {
    calls.push({ operation, index, keys });
    return turn();
  };
  const queried = ({ ranges, index }: Pick<ListQuery, 'ranges' | 'index'>) =>
    Promise.all(ranges.map(() => called('Query', 0, index)));
  return {
    reader: {
      get: async (key) => {
        await called('GetItem');
        return reader.get(key);
      },
      getMany: async (keys, notes) => {
        const distinct = new Set(keys.map(({ PK, SK }) => `${PK}\n${SK}`)).size;
        for (let rest = distinct; rest > 0; rest -= KEYS_OF_A_CALL)
          await called('BatchGetItem', Math.min(rest, KEYS_OF_A_CALL));
        return reader.getMany(keys, notes);
      },
      getSnapshot: async (keys, notes) => {
        await called('TransactGetItems');
        return reader.getSnapshot(keys, notes);
      },
      list: async (query) => {
        await called('Query', 0, query.index);
        const page = await reader.list(query);
        // A list that is there whole took a Query for each of its ranges.
        const isWhole = query.cursor === undefined && page.cursor === undefined;
        if (isWhole) await queried({ ...query, ranges: query.ranges.slice(1) });
        return page;
      },
      listMerged: async (query) => {
        await called('Query', 0, query.index);
        return reader.listMerged(query);
      },
      listAll: async (query) => {
        await queried(query);
        return reader.listAll(query);
      },
    },
    writer: {
      send: async (actions, notes) => {
        await called('TransactWriteItems');
        return writer.send(actions, notes);
      },
    },
  };
}
