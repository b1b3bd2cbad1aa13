import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { createEngine, type EngineOptions } from '../../../engine/index.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createClient, createServiceClient } from '../../../table/dynamodb/client.ts';
import { createTable } from '../../../table/dynamodb/definition.ts';
import { createReader } from '../../../table/dynamodb/reader.ts';
import { createWriter } from '../../../table/dynamodb/writer.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';
import { createPacing } from '../../../table/read/pacing.ts';
import { SECRET } from './acting.ts';
import { START } from './generate.ts';

/** What an operation came to. */
export type Outcome =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Codes with which provisioning may refuse an operation that chance has drawn; any other is a fault. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid', 'not_found', 'conflict', 'limit_exceeded']);

export const isRefusal = (code: string): boolean => REFUSALS.has(code);

/** Where tables come and go, each world with one of its own: a DynamoDB engine, or memory without an endpoint. */
export function createStage(endpoint: string) {
  // Without an endpoint it is never asked.
  const options = { endpoint: endpoint || 'http://127.0.0.1:1', requestTimeoutMs: 20_000 };
  const service = createServiceClient(options);
  const client = createClient(options);
  let tables = 0;

  async function openTable() {
    const table = `oracle-${process.pid}-${Date.now()}-${++tables}`;
    if (endpoint === '') return { ...createMemoryTable(), table, client, close: async () => {} };
    await createTable(service, table);
    return {
      table,
      client,
      reader: createReader({ client, table, deadlineMs: 20_000 }),
      writer: createWriter({ client, table, pacing: createPacing({ deadlineMs: 20_000 }) }),
      close: () => service.send(new DeleteTableCommand({ TableName: table })),
    };
  }

  /** An empty table with provisioning and engines on it, and a clock that moves only when told to, or waited for. */
  async function open() {
    const { table, client, reader, writer, close } = await openTable();
    let time = START;
    const advance = (milliseconds: number) => {
      time += milliseconds;
    };
    /** Lets time pass for whoever waits. */
    const wait = async (milliseconds: number) => advance(milliseconds);
    const clock = { now: () => time, advance, wait };
    let ids = 0;
    const newId = () => `01J8Z0E2Z8D2A3J7A7Y3${String(++ids).padStart(6, '0')}`;
    const newSecret = () => SECRET;
    const provision = createProvisioning({ reader, writer, clock, newId, newSecret });

    const carryOut = async (command: string, input: object): Promise<Outcome> => {
      const answer = await provision({ command, input });
      return answer.ok ? { ok: true, token: String(answer.token) } : { ok: false, ...answer.error };
    };
    const newEngine = (more: Partial<EngineOptions> = {}) => createEngine({ reader, clock, wait, ...more });
    return { table, client, reader, writer, clock, newId, newSecret, carryOut, newEngine, close };
  }

  return { open };
}

export type Stage = ReturnType<typeof createStage>;
export type OpenTable = Awaited<ReturnType<Stage['open']>>;
