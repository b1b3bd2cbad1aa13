import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GatehouseError } from '../errors.ts';
import type { Item } from '../item.ts';
import type { Key } from '../keys.ts';
import { toTableError } from '../service-errors.ts';
import { askUnits, noteUnits, type ReadNotes } from './notes.ts';
import type { Pacing } from './pacing.ts';

/** Keys of one BatchGetItem call (DynamoDB's limit). */
export const MAX_BATCH_KEYS = 100;

const identity = (key: Key): string => `${key.PK}\n${key.SK}`;

/**
 * Reads items by key, strongly consistent, 100 keys a call.
 *
 * `UnprocessedKeys` come back inside a success and the SDK does not ask again, so a key that is not in
 * the answer may mean "unread". They are asked for until the deadline; then the read fails as a whole:
 * an unread item is never taken for an absent one.
 *
 * @returns the items in the order of the keys, undefined where the table has none
 * @throws GatehouseError `throttled`, `transient` or `internal`
 */
export async function batchGet(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Key[],
  pacing: Pacing,
  notes: ReadNotes,
): Promise<readonly (Item | undefined)[]> {
  const unique = [...new Map(keys.map((key) => [identity(key), { PK: key.PK, SK: key.SK }])).values()];
  const found = new Map<string, Item>();
  // Several calls at once are no one call: one of them may be tried again.
  if (unique.length > MAX_BATCH_KEYS) notes.isApart = true;
  const signal = pacing.deadline();
  await Promise.all(
    Array.from({ length: Math.ceil(unique.length / MAX_BATCH_KEYS) }, (_, chunk) =>
      readChunk(
        client,
        table,
        unique.slice(chunk * MAX_BATCH_KEYS, (chunk + 1) * MAX_BATCH_KEYS),
        found,
        pacing,
        signal,
        notes,
      ),
    ),
  );
  return keys.map((key) => found.get(identity(key)));
}

async function readChunk(
  client: DynamoDBDocumentClient,
  table: string,
  chunk: readonly Key[],
  found: Map<string, Item>,
  pacing: Pacing,
  signal: AbortSignal,
  notes: ReadNotes,
): Promise<void> {
  const asked = new Set(chunk.map(identity));
  let wanted: readonly Key[] = chunk;
  for (let attempt = 0; wanted.length > 0; attempt++) {
    if (attempt > 0) {
      notes.isApart = true;
      await pacing.pause(attempt, signal);
    }
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
    // Without either, nothing was said of any key; that is not the word that all of them are absent.
    if (!items && !unread)
      throw new GatehouseError('internal', 'BatchGetItem answered nothing for the table');
    for (const key of [...(items ?? []), ...(unread ?? [])]) {
      if (!asked.has(identity(key)))
        throw new GatehouseError('internal', 'BatchGetItem answered with an item nobody asked for');
    }
    for (const item of items ?? []) found.set(identity(item), item);
    wanted = unread ?? [];
  }
}
