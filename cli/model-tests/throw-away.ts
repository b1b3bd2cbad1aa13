import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { findBinary, startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { type ClientOptions, createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { type Provisioned, provisionedInMemory } from '../../testing/memory.ts';
import { provisionedOn } from '../provisioning.ts';

export interface ThrowAwayTables {
  readonly isInMemory: boolean;
  readonly create: () => Promise<Provisioned>;
  /** Removes all that were created, and stops what was started. */
  readonly close: () => Promise<void>;
}

/** Nobody waits at a screen for a single answer here, and a machine of a CI may be slow. */
const TIMEOUT_MS = 20_000;

/**
 * Tables for as long as a run takes: at the endpoint that is given, or else on the embedded engine, which is started
 * with the first of them, or else, where none is installed, in memory.
 */
export function throwAwayTables(
  given: ClientOptions,
  now: () => number,
  find: () => string | undefined = findBinary,
): ThrowAwayTables {
  if (given.endpoint === undefined && find() === undefined)
    return { isInMemory: true, create: async () => provisionedInMemory(now), close: async () => {} };
  const ends: (() => Promise<void>)[] = [];
  let endpoint: Promise<ClientOptions> | undefined;
  let closed = false;
  const start = async (): Promise<ClientOptions> => {
    if (given.endpoint !== undefined) return { ...given, requestTimeoutMs: TIMEOUT_MS };
    const engine = await startEmbeddedEngine();
    ends.push(engine.stop);
    return { endpoint: engine.endpoint, requestTimeoutMs: TIMEOUT_MS };
  };
  return {
    isInMemory: false,
    create: async () => {
      endpoint ??= start();
      const options = await endpoint;
      if (closed) throw new Error('no tables any more: the run has ended');
      const table = `gatehouse-test-${ulid()}`;
      const service = createServiceClient(options);
      // Noted before it is there: an interruption may come in between.
      ends.push(() => removeTable(service, table));
      await createTable(service, table);
      return provisionedOn(createClient(options), table, now, createPacing({ deadlineMs: TIMEOUT_MS }));
    },
    close: async () => {
      closed = true;
      await endpoint?.catch(() => undefined);
      const faults: unknown[] = [];
      for (const end of ends.reverse().splice(0)) await end().catch((fault) => faults.push(fault));
      if (faults.length > 0) throw faults[0];
    },
  };
}

async function removeTable(service: ReturnType<typeof createServiceClient>, table: string): Promise<void> {
  try {
    await service.send(new DeleteTableCommand({ TableName: table }));
  } catch (fault) {
    if (fault instanceof Error && fault.name === 'ResourceNotFoundException') return;
    throw new Error(
      `the table ${table} could not be removed: ${fault instanceof Error ? fault.message : fault}`,
    );
  }
}
