import { createProvisioningFrom } from '../provisioning/compose.ts';
import { createClient, createServiceClient } from '../table/dynamodb/client.ts';
import { createTable } from '../table/dynamodb/definition.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { type Provisioned, provisionedInMemory } from '../testing/memory.ts';
import type { LocalConfiguration } from './configuration.ts';
import { findBinary, startEmbeddedEngine } from './embedded-engine.ts';
import { engineDoor } from './engine-door.ts';
import { writeLog } from './log.ts';
import { messageOf } from './message-of.ts';
import type { OnStarted } from './parts.ts';
import { listen } from './server.ts';

/** The table of the local stack, with provisioning on top. */
export interface LocalTable extends Provisioned {
  readonly name: string;
  /** Where other processes find it; undefined for a table in memory, which they cannot use. */
  readonly endpoint: string | undefined;
  /** Whether it was created by this start. */
  readonly isNew: boolean;
}

export interface TableOptions {
  /** Finds the binary of the embedded engine; undefined where none is installed. */
  readonly findBinary?: () => string | undefined;
}

/** A table may take its time to be created. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Opens the table of the local stack: at `DYNAMODB_ENDPOINT`, or else on the embedded engine, or else, where none is
 * installed, in memory.
 *
 * @throws Error that says what to change, for a port in use, an endpoint without an answer, or a file without an engine
 */
export async function openTable(
  configuration: LocalConfiguration,
  onStarted: OnStarted,
  { findBinary: find = findBinary }: TableOptions = {},
): Promise<LocalTable> {
  const { DATA, DYNAMODB_ENDPOINT, TABLE_NAME: name } = configuration;
  if (DYNAMODB_ENDPOINT === undefined && find() === undefined) {
    if (DATA !== undefined)
      throw new Error(`DATA=${DATA} is a file of the embedded DynamoDB engine, and none is installed here`);
    return { name, endpoint: undefined, isNew: true, ...provisionedInMemory(Date.now) };
  }
  const endpoint = DYNAMODB_ENDPOINT ?? (await startEngine(configuration, onStarted));
  const isNew = await createAt(endpoint, name);
  const provisioning = createProvisioningFrom(
    { TABLE_NAME: name, DYNAMODB_ENDPOINT: endpoint },
    { log: writeLog },
  );
  return {
    name,
    endpoint,
    isNew,
    reader: createReader({ client: createClient({ endpoint }), table: name }),
    provisioning,
  };
}

async function createAt(endpoint: string, table: string): Promise<boolean> {
  try {
    const service = createServiceClient({ endpoint, requestTimeoutMs: ANSWER_WITHIN_MS });
    return await createTable(service, table);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === undefined ? messageOf(error) : code;
    throw new Error(
      `DYNAMODB_ENDPOINT ${endpoint}: no table can be created there (${why}): ` +
        'start DynamoDB Local there, or unset DYNAMODB_ENDPOINT',
      { cause: error },
    );
  }
}

async function startEngine(
  { DATA, DYNAMODB_PORT }: LocalConfiguration,
  onStarted: OnStarted,
): Promise<string> {
  const door = await listen(DYNAMODB_PORT, '--dynamodb-port (or DYNAMODB_PORT)');
  onStarted(door.stop);
  const engine = await startEmbeddedEngine(DATA);
  onStarted(engine.stop);
  door.serve(engineDoor(engine.endpoint));
  return `http://127.0.0.1:${door.port}`;
}

/** What a person gets to know of a table in memory, and what to do for one that other processes can use. */
export function memoryNotice(platform = `${process.platform}-${process.arch}`): string {
  const install = platform === 'linux-x64' ? 'npm install --save-dev @dynoxide/linux-x64, or ' : '';
  return (
    'The table is in memory: no DynamoDB engine is installed, so other processes cannot use it. ' +
    `For one that they can: ${install}DynamoDB Local (docker run -p 8000:8000 amazon/dynamodb-local, ` +
    'or its Java archive) and DYNAMODB_ENDPOINT=http://127.0.0.1:8000.'
  );
}
