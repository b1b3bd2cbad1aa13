import { setMaxListeners } from 'node:events';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import { GatehouseError, invalid, limitExceeded } from '../errors.ts';
import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';
import { createPacing, type Pacing } from '../read/pacing.ts';
import {
  createLists,
  keyAttributes,
  type QueryRange,
  type RangeQuery,
  readInBatches,
} from '../read/pages.ts';
import { noNotes, type Range, type Reader, type ReadNotes } from '../reader.ts';
import { READ_DEADLINE_MS } from '../timing.ts';
import { cancellationReasons, hasCode, THROTTLED_REASONS, toTableError } from './service-errors.ts';

/** What a request must say so that its answer states the units. */
const askUnits = ({ units }: ReadNotes): { readonly ReturnConsumedCapacity?: 'TOTAL' } =>
  units === undefined ? {} : { ReturnConsumedCapacity: 'TOTAL' };

/** Notes a call that was answered. */
function noteUnits(
  notes: ReadNotes,
  consumed: readonly { readonly CapacityUnits?: number | undefined }[] | undefined,
): void {
  if (notes.units === undefined) return;
  for (const { CapacityUnits: units = 0 } of consumed ?? []) notes.units += units;
}

const contended = () => new GatehouseError('contended', 'other changes to the same items were under way');

/** The part of the key condition that speaks of the sort key, with its values. */
function sortCondition({
  prefix,
  between,
}: Range): readonly [condition: string, values: Record<string, string>] {
  if (between) return [' AND #sk BETWEEN :first AND :last', { ':first': between[0], ':last': between[1] }];
  if (prefix !== undefined) return [' AND begins_with(#sk, :prefix)', { ':prefix': prefix }];
  return ['', {}];
}

function toInput(table: string, { range, index, limit, after, descending }: RangeQuery): QueryCommandInput {
  const [hash, sort] = keyAttributes(index);
  const [condition, values] = sortCondition(range);
  return {
    TableName: table,
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
    KeyConditionExpression: `#pk = :pk${condition}`,
    ExpressionAttributeNames: condition === '' ? { '#pk': hash } : { '#pk': hash, '#sk': sort },
    ExpressionAttributeValues: { ':pk': range.partition, ...values },
    Limit: limit,
    ...(descending ? { ScanIndexForward: false } : {}),
    ...(after === undefined ? {} : { ExclusiveStartKey: { ...after } }),
  };
}

/** Keys of one TransactGetItems (DynamoDB's limit). */
const MAX_SNAPSHOT_KEYS = 100;

export interface ReaderOptions {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  /** Milliseconds for one call of the reader, retries included. Default {@link READ_DEADLINE_MS}. */
  readonly deadlineMs?: number;
  readonly pacing?: Pacing;
}

export function createReader({
  client,
  table,
  deadlineMs = READ_DEADLINE_MS,
  pacing = createPacing({ deadlineMs }),
}: ReaderOptions): Reader {
  /** One signal for all calls of a read. Each listens to it, and Node takes more than ten listeners for a leak. */
  const deadlineOfRead = (): AbortSignal => {
    const signal = pacing.deadline();
    setMaxListeners(0, signal);
    return signal;
  };

  /**
   * Reads the keys of one BatchGetItem, strongly consistent.
   *
   * `UnprocessedKeys` come back inside a success and the SDK does not request them again, so a key that is not
   * in the response may be unread. They are requested until the deadline; then the read fails as a whole: an
   * unread item is never taken for an absent one.
   *
   * @throws GatehouseError `throttled`, `transient` or `internal`
   */
  async function readBatch(
    keys: readonly Key[],
    found: Map<string, Item>,
    signal: AbortSignal,
    notes: ReadNotes,
  ): Promise<void> {
    const asked = new Set(keys.map(identityOf));
    let wanted = keys;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await pacing.pause(attempt, signal);
      if (signal.aborted) {
        throw new GatehouseError('throttled', 'BatchGetItem left keys unread until the deadline');
      }
      const request = new BatchGetCommand({
        RequestItems: { [table]: { Keys: [...wanted], ConsistentRead: true } },
        ...askUnits(notes),
      });
      notes.calls += 1;
      const answer = await client.send(request, { abortSignal: signal }).catch((error: unknown) => {
        throw toTableError(error, 'BatchGetItem');
      });
      noteUnits(notes, answer.ConsumedCapacity);
      const items = answer.Responses?.[table] as Item[] | undefined;
      const unread = answer.UnprocessedKeys?.[table]?.Keys as Key[] | undefined;
      // A response with neither says nothing, which does not mean that all keys are absent.
      if (!items && !unread)
        throw new GatehouseError('internal', 'BatchGetItem answered nothing for the table');
      for (const key of [...(items ?? []), ...(unread ?? [])]) {
        if (!asked.has(identityOf(key)))
          throw new GatehouseError('internal', 'BatchGetItem answered with an item nobody asked for');
      }
      for (const item of items ?? []) found.set(identityOf(item), item);
      wanted = unread ?? [];
    }
  }

  /**
   * Reads items by key as they were at one instant: TransactGetItems is serializable against every transaction
   * (BatchGetItem reads its items one by one). It costs twice the read units. A concurrent write to one of the
   * items cancels it; it is tried again until the deadline.
   *
   * @throws GatehouseError `limit_exceeded` for more than 100 keys or 4 MB, `contended` if concurrent writes cancelled
   *   it until the deadline, otherwise as the service fails
   */
  async function getSnapshot(keys: readonly Key[], notes: ReadNotes): Promise<readonly (Item | undefined)[]> {
    if (keys.length > MAX_SNAPSHOT_KEYS) {
      throw limitExceeded(`one snapshot holds ${MAX_SNAPSHOT_KEYS} items, this would take ${keys.length}`);
    }
    const signal = deadlineOfRead();
    const request = new TransactGetCommand({
      TransactItems: keys.map(({ PK, SK }) => ({ Get: { TableName: table, Key: { PK, SK } } })),
      ...askUnits(notes),
    });
    for (let attempt = 1; ; attempt++) {
      notes.calls += 1;
      const answer = await client.send(request, { abortSignal: signal }).catch((error: unknown) => {
        const reasons = cancellationReasons(error);
        if (hasCode(reasons, 'TransactionConflict')) return undefined;
        // The deadline passed during a further attempt: the result of the previous one says more.
        if (attempt > 1 && signal.aborted) throw contended();
        if (hasCode(reasons, ...THROTTLED_REASONS)) {
          throw new GatehouseError('throttled', 'TransactGetItems was throttled', { cause: error });
        }
        throw toTableError(error, 'TransactGetItems');
      });
      if (answer) {
        noteUnits(notes, answer.ConsumedCapacity);
        const { Responses: responses } = answer;
        if (responses?.length !== keys.length)
          throw new GatehouseError('internal', 'TransactGetItems did not answer for every key');
        return responses.map(({ Item: item }) => item as Item | undefined);
      }
      await pacing.pause(attempt, signal);
      if (signal.aborted) throw contended();
    }
  }

  /**
   * One range by Query: the base table strongly consistent, or an index.
   *
   * @param signal ends the query at the deadline
   * @throws GatehouseError `invalid` for a forged cursor, otherwise as the service fails
   */
  const queryRange =
    (signal: AbortSignal, notes: ReadNotes): QueryRange =>
    async (query) => {
      const { after } = query;
      const command = new QueryCommand({ ...toInput(table, query), ...askUnits(notes) });
      notes.calls += 1;
      const answer = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
        // The only part of a Query that a caller can have forged is the place to go on from.
        const forged = after !== undefined && (error as { name?: unknown }).name === 'ValidationException';
        throw forged
          ? invalid('cursor', 'cursor does not belong to this list')
          : toTableError(error, 'Query');
      });
      noteUnits(notes, answer.ConsumedCapacity && [answer.ConsumedCapacity]);
      const items = (answer.Items ?? []) as Item[];
      const last = answer.LastEvaluatedKey as Record<string, string> | undefined;
      return last ? { items, after: last } : { items };
    };

  return {
    get: async ({ PK, SK }) => {
      const command = new GetCommand({ TableName: table, Key: { PK, SK }, ConsistentRead: true });
      const answer = await client.send(command, { abortSignal: deadlineOfRead() }).catch((error: unknown) => {
        throw toTableError(error, 'GetItem');
      });
      return answer.Item as Item | undefined;
    },
    getMany: (keys, notes = noNotes()) => {
      const signal = deadlineOfRead();
      return readInBatches(keys, (batch, found) => readBatch(batch, found, signal, notes));
    },
    getSnapshot: (keys, notes = noNotes()) => getSnapshot(keys, notes),
    ...createLists((notes) => queryRange(deadlineOfRead(), notes)),
  };
}
