import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../item.ts';
import type { Key } from '../keys.ts';
import { toTableError } from '../service-errors.ts';
import { batchGet } from './batch-get.ts';
import { type MergedQuery, mergePages } from './merged.ts';
import { noNotes, type ReadNotes } from './notes.ts';
import { createPacing, type Pacing } from './pacing.ts';
import { type ListQuery, type Page, queryPage } from './query.ts';
import { snapshot } from './snapshot.ts';

/** Everything Gatehouse ever reads with: GetItem, BatchGetItem, TransactGetItems and Query. There is no Scan. */
export interface Reader {
  /** GetItem, strongly consistent. */
  readonly get: (key: Key) => Promise<Item | undefined>;
  /** BatchGetItem, strongly consistent; answers in the order of the keys. */
  readonly getMany: (keys: readonly Key[], notes?: ReadNotes) => Promise<readonly (Item | undefined)[]>;
  /** TransactGetItems: as they stood at one instant, up to 100 items, in the order of the keys. */
  readonly getSnapshot: (keys: readonly Key[], notes?: ReadNotes) => Promise<readonly (Item | undefined)[]>;
  /** Query: one page. */
  readonly list: (query: ListQuery) => Promise<Page<Item>>;
  /** Query: one page of a list that is spread over several partitions, in the order of its sort keys. */
  readonly listMerged: (query: MergedQuery) => Promise<Page<Item>>;
  /** Query: all of it, page after page. For partitions that are known to be small. */
  readonly listAll: (query: Omit<ListQuery, 'limit' | 'cursor'>) => Promise<readonly Item[]>;
}

export interface ReaderOptions {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  /** Milliseconds for one call of the reader, retries included. API Gateway gives an authorizer 10 s. */
  readonly deadlineMs?: number;
  readonly pacing?: Pacing;
}

export function createReader({ client, table, deadlineMs = 3_000, pacing }: ReaderOptions): Reader {
  const pace = pacing ?? createPacing({ deadlineMs });
  const list: Reader['list'] = (query) => queryPage(client, table, query, pace);
  return {
    get: async (key) => {
      const command = new GetCommand({
        TableName: table,
        Key: { PK: key.PK, SK: key.SK },
        ConsistentRead: true,
      });
      const answer = await client.send(command, { abortSignal: pace.deadline() }).catch((error: unknown) => {
        throw toTableError(error, 'GetItem');
      });
      return answer.Item as Item | undefined;
    },
    getMany: (keys, notes = noNotes()) => batchGet(client, table, keys, pace, notes),
    getSnapshot: (keys, notes = noNotes()) => snapshot(client, table, keys, pace, notes),
    list,
    listMerged: (query) => mergePages(list, query),
    listAll: async (query) => {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ ...query, limit: 1_000, cursor });
        items.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return items;
    },
  };
}
