import { type DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { GatehouseError } from '../errors.ts';
import type { Item } from '../item.ts';
import type { Key } from '../keys.ts';
import { toTableError } from '../service-errors.ts';
import { askUnits, noteUnits, type ReadNotes } from './notes.ts';
import type { Pacing } from './pacing.ts';

/** Keys of one TransactGetItems (DynamoDB's limit). */
export const MAX_SNAPSHOT_KEYS = 100;

/**
 * Reads items by key as they stood at one instant: TransactGetItems is serializable against every transaction
 * (BatchGetItem reads its items one by one). It costs twice the read units. A write to one of the items that is
 * under way cancels it; it is tried again until the deadline.
 *
 * @returns the items in the order of the keys, undefined where the table has none
 * @throws GatehouseError `limit_exceeded` for more than 100 keys, otherwise as the service fails
 */
export async function snapshot(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Key[],
  pacing: Pacing,
  notes: ReadNotes,
): Promise<readonly (Item | undefined)[]> {
  if (keys.length > MAX_SNAPSHOT_KEYS) {
    throw new GatehouseError(
      'limit_exceeded',
      `one snapshot holds ${MAX_SNAPSHOT_KEYS} items, this would take ${keys.length}`,
    );
  }
  const signal = pacing.deadline();
  const request = new TransactGetCommand({
    TransactItems: keys.map(({ PK, SK }) => ({ Get: { TableName: table, Key: { PK, SK } } })),
    ...askUnits(notes),
  });
  for (let attempt = 1; ; attempt++) {
    notes.calls += 1;
    const answer = await client.send(request, { abortSignal: signal }).catch((error: unknown) => {
      if (isCancelledFor(error, CONFLICT)) return undefined;
      if (isCancelledFor(error, THROTTLED)) {
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
    if (signal.aborted)
      throw new GatehouseError('transient', 'other changes to the same items were under way');
  }
}

/** For the sake of a write: the one reason for which it is worth another try. */
const CONFLICT: ReadonlySet<unknown> = new Set(['TransactionConflict']);
const THROTTLED: ReadonlySet<unknown> = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether a transaction was cancelled for one of these reasons. */
function isCancelledFor(error: unknown, codes: ReadonlySet<unknown>): boolean {
  const { CancellationReasons: reasons } = (error ?? {}) as { CancellationReasons?: { Code?: string }[] };
  return Array.isArray(reasons) && reasons.some(({ Code }) => codes.has(Code));
}
