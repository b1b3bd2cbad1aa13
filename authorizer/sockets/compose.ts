import * as z from 'zod/mini';
import { systemClock } from '../../engine/clock.ts';
import { createEngine } from '../../engine/engine.ts';
import { GLOBAL, GLOBAL_ID } from '../../engine/items.ts';
import { createLog } from '../../engine/log.ts';
import { defined } from '../../table/defined.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { createRequestHandler } from '../../table/dynamodb/request-handler.ts';
import { type Environment, variablesSetIn } from '../../table/environment.ts';
import { invalid } from '../../table/errors.ts';
import { createClose } from './close.ts';
import { createConnections } from './dynamodb-connections.ts';
import { createSockets, type Sockets } from './sockets.ts';

const name = z.string().check(z.regex(/^[A-Za-z0-9_.-]{3,255}$/));

export const SOCKETS = z.object({
  TABLE_NAME: name,
  DYNAMODB_ENDPOINT: z.optional(z.url()),
  /** The table of open connections. */
  CONNECTIONS_TABLE: name,
  /** The base URL of the API, where it is not that of AWS: of the local stack. */
  CONNECTIONS_URL: z.optional(z.url()),
  /** Lambda sets it. */
  AWS_REGION: z.optional(z.string().check(z.regex(/^[a-z0-9-]{1,32}$/))),
});

/** Milliseconds for closing one connection; a stream has nobody who waits. */
const TIMEOUT_MS = 3_000;

/** Writes one log line of JSON. */
type Write = (line: string) => void;

/** Live revocation, and what of it can be done before there is an event. */
export interface Composed {
  readonly sockets: Sockets;
  /** Connects to DynamoDB, by reading what holds everywhere. Never rejects. */
  readonly prefetch: () => Promise<void>;
}

/** @throws GatehouseError `invalid`, naming the variables that are missing or invalid */
export const createHandlerFrom = (env: Environment, write: Write): Sockets => composeFrom(env, write).sockets;

/**
 * The composition root of live revocation.
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid
 */
export function composeFrom(env: Environment, write: Write): Composed {
  const parsed = SOCKETS.safeParse(variablesSetIn(env, Object.keys(SOCKETS.shape)));
  if (!parsed.success) {
    const names = parsed.error.issues.map(({ path }) => path.join('.'));
    throw invalid(names[0] ?? '', `configuration: missing or invalid: ${names.join(', ')}`);
  }
  const {
    TABLE_NAME: table,
    DYNAMODB_ENDPOINT: endpoint,
    CONNECTIONS_TABLE,
    CONNECTIONS_URL,
    AWS_REGION,
  } = parsed.data;
  const client = createClient({
    credentialsFrom: 'environment',
    ...defined({ endpoint }),
  });
  const { now } = systemClock;
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const log = createLog({ service: 'sockets', write });
  const engine = createEngine({ reader: createReader({ client, table }), clock: systemClock });
  const sockets = createSockets({
    connections: createConnections(client, CONNECTIONS_TABLE, log),
    engine,
    close: createClose({
      url: CONNECTIONS_URL,
      region: AWS_REGION,
      requestHandler: createRequestHandler({ requestTimeoutMs: TIMEOUT_MS }),
    }),
    now,
    wait,
    log,
  });
  return { sockets, prefetch: () => engine.prefetch([{ kind: GLOBAL, id: GLOBAL_ID }]) };
}
