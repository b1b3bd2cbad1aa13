import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { createProvisioning, type Provisioning } from '../provisioning/index.ts';
import { createMemoryTable } from '../table/memory/index.ts';
import type { Reader } from '../table/reader.ts';

/** A table with provisioning on top. */
export interface Provisioned {
  readonly reader: Reader;
  readonly provisioning: Provisioning;
}

/**
 * Provisioning on an empty table in memory.
 *
 * @param now epoch milliseconds
 * @param onCommit called at each change of the table
 */
export function provisionedInMemory(now: () => number, onCommit?: () => void): Provisioned {
  const { reader, writer } = createMemoryTable(onCommit ? { onCommit } : {});
  const newSecret = () => randomBytes(32).toString('base64url');
  const newId = () => ulid();
  // No platform ends this process.
  const budgetMs = Number.POSITIVE_INFINITY;
  const provisioning = createProvisioning({ reader, writer, newSecret, newId, clock: { now }, budgetMs });
  return { reader, provisioning };
}
