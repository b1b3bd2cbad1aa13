import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { afterAll } from 'vitest';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { createPacing } from '../../table/read/pacing.ts';

interface Call {
  readonly operation: string;
  readonly index: string | undefined;
  readonly keys: number;
}

/**
 * An empty table on the engine at `endpoint`; it goes when the tests of the file have ended. `onCall` is told of every
 * call as it leaves the SDK.
 */
export async function openDynamodb(endpoint: string, onCall: (call: Call) => void = () => {}) {
  const table = `test-${ulid()}`;
  const options = { endpoint, requestTimeoutMs: 20_000 };
  const service = createServiceClient(options);
  await createTable(service, table);
  afterAll(async () => service.send(new DeleteTableCommand({ TableName: table })));

  const client = createClient(options);
  client.middlewareStack.add(
    (next, context) => (args) => {
      const input = args.input as { IndexName?: string; RequestItems?: Record<string, { Keys?: unknown[] }> };
      onCall({
        operation: String(context.commandName).replace('Command', ''),
        index: input.IndexName,
        keys: Object.values(input.RequestItems ?? {}).reduce((sum, { Keys = [] }) => sum + Keys.length, 0),
      });
      return next(args);
    },
    { step: 'initialize' },
  );
  const reader = createReader({ client, table, deadlineMs: 20_000 });
  const writer = createWriter({ client, table, pacing: createPacing({ deadlineMs: 20_000 }) });
  return { endpoint, table, client, reader, writer };
}
