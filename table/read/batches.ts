import type { Item } from '../item.ts';
import { identityOf, type Key } from '../keys.ts';

/** Keys of one BatchGetItem call (DynamoDB's limit). */
const MAX_KEYS = 100;

/**
 * Reads items by key, each once, in concurrent batches of at most 100 keys.
 *
 * @param readBatch reads the items of a batch and adds those that exist to `found`, by identity
 * @returns the items in the order of the keys, undefined where the table has none
 */
export async function readInBatches(
  keys: readonly Key[],
  readBatch: (batch: readonly Key[], found: Map<string, Item>) => Promise<void>,
): Promise<readonly (Item | undefined)[]> {
  const unique = [...new Map(keys.map(({ PK, SK }) => [identityOf({ PK, SK }), { PK, SK }])).values()];
  const found = new Map<string, Item>();
  const batches = Array.from({ length: Math.ceil(unique.length / MAX_KEYS) }, (_, batch) =>
    unique.slice(batch * MAX_KEYS, (batch + 1) * MAX_KEYS),
  );
  await Promise.all(batches.map((batch) => readBatch(batch, found)));
  return keys.map((key) => found.get(identityOf(key)));
}
