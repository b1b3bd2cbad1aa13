import type { DynamoDBRecord } from 'aws-lambda';
import type { Ask, Engine, Question } from '../engine/index.ts';
import { CREDENTIAL } from '../engine/items.ts';
import { type Consequence, consequenceOf } from './change.ts';
import type { Connection, Connections } from './connection.ts';
import { readSocketEvent, type SocketRequest } from './event.ts';

export interface SocketsParts {
  readonly connections: Connections;
  readonly engine: Pick<Engine, 'checkAsked'>;
  /** DELETE @connections/{id}; one that is gone already is no error. */
  readonly close: (connection: Connection) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** As API Gateway takes it from the integration of `$connect` and `$disconnect`. */
export interface SocketAnswer {
  readonly statusCode: 200 | 403;
}

/** How many connections are asked about at the same time. */
const AT_ONCE = 16;

/**
 * The question of a connection, and of its credential: whether the record is still active, and the subject's. The
 * authorizer has compared the token with the record's hash, so here the record is asked with its own.
 */
const questionOf =
  ({ subject, permission, scope, credential: ref }: Connection, at: number): Ask<Question> =>
  (look) => {
    const credential = ref === 'none' ? undefined : { ref, hash: look.item(CREDENTIAL, ref)?.hash };
    return { subject, permission, scope, credential, given: { context: { time: new Date(at) } } };
  };

/**
 * Live revocation of WebSocket connections: API Gateway asks the authorizer at `$connect` only, so a connection lives on
 * for up to two hours, whatever is revoked. This closes it as soon as the change feed says that its question is now
 * refused (ADR 0047).
 *
 * It takes the events of `$connect` and `$disconnect`, to know which connections there are, and batches of the change
 * feed. A batch that fails is delivered again, and to close twice does no harm.
 *
 * @returns a function of the event of either kind; it throws for any other
 */
export function createSockets({ connections, engine, close, now }: SocketsParts) {
  const isAllowed = async (connection: Connection): Promise<boolean> => {
    const { decision } = await engine.checkAsked(questionOf(connection, now()), { consistency: 'strong' });
    return decision?.allowed === true;
  };

  async function connect({ connection }: SocketRequest): Promise<SocketAnswer> {
    // Without the authorizer's context nothing is known of the caller: nobody has allowed this connection.
    if (connection === undefined) return { statusCode: 403 };
    // Listed first, asked then: a revocation before the question is seen by it, a later one finds the entry.
    await connections.add(connection, now());
    if (await isAllowed(connection)) return { statusCode: 200 };
    await connections.remove(connection);
    return { statusCode: 403 };
  }

  async function disconnect({ connection }: SocketRequest): Promise<SocketAnswer> {
    if (connection !== undefined) await connections.remove(connection);
    return { statusCode: 200 };
  }

  async function end(connection: Connection): Promise<void> {
    await close(connection);
    await connections.remove(connection);
  }

  async function carryOut({ found, permission }: Consequence): Promise<void> {
    for (const each of found)
      for await (const page of connections.find(each)) {
        const concerned = page.filter((each) => permission === undefined || each.permission === permission);
        for (let start = 0; start < concerned.length; start += AT_ONCE)
          await Promise.all(
            concerned.slice(start, start + AT_ONCE).map(async (connection) => {
              if (!(await isStillAllowed(connection))) await end(connection);
            }),
          );
      }
  }

  /** A fault that a retry may help is thrown, so that the batch comes again; any other closes the connection. */
  async function isStillAllowed(connection: Connection): Promise<boolean> {
    try {
      return await isAllowed(connection);
    } catch (error) {
      if ((error as { readonly retryable?: boolean }).retryable) throw error;
      return false;
    }
  }

  async function change(records: readonly DynamoDBRecord[]): Promise<void> {
    // A transaction is several records, and a batch many transactions: each question is asked once.
    const consequences = new Map<string, Consequence>();
    for (const record of records) {
      const consequence = consequenceOf(record);
      if (consequence) consequences.set(JSON.stringify(consequence), consequence);
    }
    for (const consequence of consequences.values()) await carryOut(consequence);
  }

  return async (event: unknown): Promise<SocketAnswer | undefined> => {
    const read = readSocketEvent(event);
    if (read.kind === 'change') {
      await change(read.records);
      return undefined;
    }
    return read.kind === 'connect' ? connect(read) : disconnect(read);
  };
}

export type Sockets = ReturnType<typeof createSockets>;
