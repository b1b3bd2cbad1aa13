import { provisionedOn } from '../../cli/provisioning.ts';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createPacing } from '../../table/read/pacing.ts';

/** A benchmark waits for an engine that shares its processor; a time-out would end the run. */
export const PATIENCE_MS = 20_000;

/** Runs the work on an embedded engine of its own, in memory. */
export async function withEngine<Result>(work: (endpoint: string) => Promise<Result>): Promise<Result> {
  const { endpoint, stop } = await startEmbeddedEngine();
  try {
    return await work(endpoint);
  } finally {
    await stop();
  }
}

/** Clients of a table that exists. */
export function openTable(endpoint: string, table: string) {
  const client = createClient({ endpoint, requestTimeoutMs: PATIENCE_MS });
  return { client, reader: createReader({ client, table, deadlineMs: PATIENCE_MS }) };
}

export async function openNewTable(endpoint: string, table: string) {
  await createTable(createServiceClient({ endpoint, requestTimeoutMs: PATIENCE_MS }), table);
  return openTable(endpoint, table);
}

/**
 * What is made at the same instant in all tables: a transaction may ask for when a node was made, and is sent to another
 * table as well (ADR 0007).
 */
const MADE_AT = Date.now();

/** A new table, and the commands that write to it. */
export async function openProvisioned(endpoint: string, table: string, now = (): number => MADE_AT) {
  const opened = await openNewTable(endpoint, table);
  const pacing = createPacing({ deadlineMs: PATIENCE_MS });
  return { ...opened, table, ...provisionedOn(opened.client, table, now, pacing) };
}
