import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { createEngine, type EngineOptions } from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { START } from './generate.ts';

/** What an operation came to. */
export type Outcome =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Codes with which provisioning may refuse an operation that chance has drawn; any other is a fault. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid', 'not_found', 'conflict', 'limit_exceeded']);

export const isRefusal = (code: string): boolean => REFUSALS.has(code);

/** A DynamoDB engine on which tables come and go: each world has one of its own. */
export function createStage(endpoint: string) {
  const options = { endpoint, requestTimeoutMs: 20_000 };
  const service = createServiceClient(options);
  const client = createClient(options);
  let tables = 0;

  /** An empty table with provisioning and engines on it, and a clock that moves only when told to, or waited for. */
  async function open() {
    const table = `oracle-${process.pid}-${Date.now()}-${++tables}`;
    await createTable(service, table);
    let time = START;
    const advance = (milliseconds: number) => {
      time += milliseconds;
    };
    /** Lets time pass for whoever waits. */
    const wait = async (milliseconds: number) => advance(milliseconds);
    const clock = { now: () => time, advance, wait };
    const reader = createReader({ client, table, deadlineMs: 20_000 });
    const writer = createWriter({ client, table, pacing: createPacing({ deadlineMs: 20_000 }) });
    let ids = 0;
    const newId = () => `01J8Z0E2Z8D2A3J7A7Y3${String(++ids).padStart(6, '0')}`;
    const newSecret = () => 'secret';
    const provision = createProvisioning({ reader, writer, clock, newId, newSecret });

    const carryOut = async (command: string, input: object): Promise<Outcome> => {
      const answer = await provision({ command, input });
      return answer.ok ? { ok: true, token: answer.token } : { ok: false, ...answer.error };
    };
    const newEngine = (more: Partial<EngineOptions> = {}) => createEngine({ reader, clock, wait, ...more });
    const close = () => service.send(new DeleteTableCommand({ TableName: table }));
    return { table, client, reader, writer, clock, newId, newSecret, carryOut, newEngine, close };
  }

  return { open };
}

export type Stage = ReturnType<typeof createStage>;
export type OpenTable = Awaited<ReturnType<Stage['open']>>;
