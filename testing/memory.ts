import { createIds } from '../provisioning/ids.ts';
import { createProvisioning, type Provisioning } from '../provisioning/index.ts';
import { toBase64Url } from '../table/bytes.ts';
import { createMemoryTable, type MemoryTable, type MemoryTableOptions } from '../table/memory/index.ts';
import type { Reader } from '../table/reader.ts';

/** WebCrypto: global in browsers and in Node, of whose types it is not yet a part. */
declare const crypto: { readonly getRandomValues: (into: Uint8Array) => Uint8Array };

/** A table with provisioning on top. */
export interface Provisioned {
  readonly reader: Reader;
  readonly provisioning: Provisioning;
}

/**
 * Provisioning on a table in memory.
 *
 * @param now epoch milliseconds
 * @param options what the table holds from the start; called at each change of it
 */
export function provisionedInMemory(
  now: () => number,
  options: Pick<MemoryTableOptions, 'items' | 'onCommit'> = {},
): Provisioned & Pick<MemoryTable, 'items'> {
  const { reader, writer, items } = createMemoryTable(options);
  const newSecret = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const newId = createIds();
  // No platform ends this process.
  const budgetMs = Number.POSITIVE_INFINITY;
  const provisioning = createProvisioning({ reader, writer, newSecret, newId, clock: { now }, budgetMs });
  return { reader, provisioning, items };
}
