import { randomBytes } from 'node:crypto';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { afterAll, inject } from 'vitest';
import { createEngine, type EngineOptions } from '../../engine/index.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { createPacing } from '../../table/read/pacing.ts';

/** A clock that moves only when told to, or waited for. Set back, it goes on in truth. */
export function createClock(start = Date.parse('2026-01-15T12:00:00.000Z')) {
  let [time, elapsed] = [start, 0];
  const advance = (milliseconds: number) => {
    time += milliseconds;
    elapsed += Math.max(0, milliseconds);
  };
  return {
    now: () => time,
    /** What really went by: a wall clock that was set back does not change it. */
    monotonic: () => elapsed,
    advance,
    /** Lets time pass for whoever waits. */
    wait: async (milliseconds: number) => advance(milliseconds),
  };
}

/** One call to DynamoDB as it left the SDK. */
export interface Call {
  readonly operation: string;
  readonly index: string | undefined;
  readonly keys: number;
}

/**
 * A table of its own on the run's DynamoDB engine, with provisioning, a reader and engines on top, and a
 * record of every call that reached the SDK.
 */
export async function createWorld() {
  const endpoint = inject('endpoint');
  const table = `test-${ulid()}`;
  const service = createServiceClient({ endpoint, requestTimeoutMs: 20_000 });
  await createTable(service, table);
  afterAll(async () => {
    await service.send(new DeleteTableCommand({ TableName: table }));
  });

  const client = createClient({ endpoint, requestTimeoutMs: 20_000 });
  const calls: Call[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      const input = args.input as { IndexName?: string; RequestItems?: Record<string, { Keys?: unknown[] }> };
      calls.push({
        operation: String(context.commandName).replace('Command', ''),
        index: input.IndexName,
        keys: Object.values(input.RequestItems ?? {}).reduce((sum, { Keys = [] }) => sum + Keys.length, 0),
      });
      return next(args);
    },
    { step: 'initialize' },
  );

  const clock = createClock();
  const reader = createReader({ client, table, deadlineMs: 20_000 });
  const writer = createWriter({ client, table, pacing: createPacing({ deadlineMs: 20_000 }) });
  const newSecret = () => randomBytes(32).toString('base64url');
  const provision = createProvisioning({ reader, writer, clock, newId: () => ulid(), newSecret });

  /** Runs a command that must succeed and returns its result. */
  async function run(
    command: string,
    input: Record<string, unknown>,
  ): Promise<Record<string, unknown> & { id: string }> {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
    return answer.result as Record<string, unknown> & { id: string };
  }

  /** Runs a command that must fail and returns its error. */
  async function refused(command: string, input: Record<string, unknown>) {
    const answer = await provision({ command, input });
    if (answer.ok) throw new Error(`${command} was expected to fail`);
    return answer.error;
  }

  /** Lets enough time pass that what was written is certain to be older than any read from now on. */
  const settle = () => clock.advance(60_000);

  const newEngine = (options: Partial<EngineOptions> = {}) =>
    createEngine({ reader, clock, random: () => 0, wait: clock.wait, ...options });

  return {
    endpoint,
    table,
    client,
    calls,
    clock,
    reader,
    writer,
    newSecret,
    provision,
    run,
    refused,
    settle,
    newEngine,
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
