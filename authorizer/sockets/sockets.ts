import type { DynamoDBRecord } from 'aws-lambda';
import type { Ask, Engine, Question } from '../../engine/index.ts';
import { CREDENTIAL } from '../../engine/items.ts';
import { codesOf, type GatehouseError } from '../../table/errors.ts';
import type { Log } from '../../table/log.ts';
import { type Consequence, consequenceOf } from './change.ts';
import type { Close } from './close.ts';
import type { Connection, Connections, Listed } from './connection.ts';
import { readSocketEvent, type SocketRequest } from './event.ts';

export interface SocketsParts {
  readonly connections: Connections;
  readonly engine: Pick<Engine, 'checkAsked'>;
  readonly close: Close;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** As API Gateway takes it from the integration of `$connect` and `$disconnect`. */
export interface SocketAnswer {
  readonly statusCode: 200 | 403;
}

/** The records of a batch that come again (Lambda services-ddb-batchfailurereporting). */
export interface FeedAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** How many connections are asked about at the same time. */
const AT_ONCE = 16;

/**
 * How long a connection may be opening after it was listed: API Gateway waits at most 29 s for the integration of
 * `$connect` (AG apigateway-execution-service-websocket-limits-table); and what clocks and `openedAt` may be off.
 */
export const OPENING_MS = 32_000;

/** Before a batch comes again: Lambda delivers it at once. */
const RETRY_MS = 1_000;

/**
 * After so long no further connections are asked about: the rest comes again. The function ends after 20 s; the last
 * questions and what closes their connections may take half of it.
 */
const BUDGET_MS = 8_000;

/** Connections that are remembered as settled, of all records that come again. */
const MOST_SETTLED = 200_000;

const mayHelp = (error: unknown): boolean => (error as Partial<GatehouseError> | null)?.retryable === true;

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
 * refused (ADR 0034).
 *
 * It takes the events of `$connect` and `$disconnect`, to know which connections there are, and batches of the change
 * feed. Records that a retry may help are delivered again, and to close twice does no harm.
 *
 * @returns a function of the event of either kind; it throws for any other
 */
export function createSockets({ connections, engine, close, now, wait, log }: SocketsParts) {
  /**
   * By record that comes again, the last of its kind: the connections settled after it arrived. Their questions were asked with `strong`, so they
   * saw the change, and need not be asked again.
   */
  const settledAfter = new Map<string, Set<string>>();

  /** Forgets the records that failed longest ago, which another process may have done since. */
  function remember(record: string, settled: Set<string>): void {
    settledAfter.set(record, settled);
    let count = [...settledAfter.values()].reduce((sum, { size }) => sum + size + 1, 0);
    for (const [oldest, { size }] of settledAfter) {
      if (count <= MOST_SETTLED) return;
      settledAfter.delete(oldest);
      count -= size + 1;
    }
  }

  const isAllowed = async (connection: Connection): Promise<boolean> => {
    const { decision } = await engine.checkAsked(questionOf(connection, now()), { consistency: 'strong' });
    return decision?.allowed === true;
  };

  async function connect({ connection }: SocketRequest): Promise<SocketAnswer> {
    // Without the authorizer's context nothing is known of the caller: nobody has allowed this connection.
    if (connection === undefined) return { statusCode: 403 };
    // Listed first, asked then: a revocation before the question is seen by it, a later one finds the entry.
    await connections.add(connection, now());
    let allowed = false;
    try {
      allowed = await isAllowed(connection);
    } finally {
      if (!allowed) await connections.remove(connection);
    }
    return { statusCode: allowed ? 200 : 403 };
  }

  async function disconnect({ connection }: SocketRequest): Promise<SocketAnswer> {
    if (connection !== undefined) await connections.remove(connection);
    return { statusCode: 200 };
  }

  /**
   * Closes a connection whose question is refused now, or has no answer that a retry may help.
   *
   * @param failing the APIs that closed nothing so far, of which each attempt may take its time
   * @returns false where it has to be tried again
   */
  async function settle(connection: Listed, failing: Set<string>): Promise<boolean> {
    const { id, api, stage, openedAt } = connection;
    const place = `${api}/${stage}`;
    if (failing.has(place)) return false;
    try {
      if (await isAllowed(connection)) return true;
    } catch (error) {
      if (mayHelp(error)) return false;
    }
    try {
      // Unknown to API Gateway before `$connect` was answered: it may be opening still.
      if ((await close(connection)) === 'gone' && now() - openedAt < OPENING_MS) return false;
    } catch (error) {
      if (mayHelp(error)) {
        failing.add(place);
        return false;
      }
      log.error('connection not closed', { connection: id, api, stage, ...codesOf(error) });
    }
    // A lost entry does no harm, and one that stays ends by its time-to-live.
    await connections.remove(connection).catch((error) => log.warn('entry not removed', codesOf(error)));
    return true;
  }

  /**
   * @param failing as for `settle`
   * @param settled connections to leave out; those that are settled now are added
   * @param until when to stop, in epoch milliseconds; some are asked about whatever the time
   * @returns false where it has to be done again
   */
  async function carryOut(
    { found, permission }: Consequence,
    failing: Set<string>,
    settled: Set<string>,
    until: number,
  ): Promise<boolean> {
    let isDone = true;
    let isBegun = false;
    for (const each of found)
      for await (const page of connections.find(each, now())) {
        const concerned = page.filter(
          (each) => !settled.has(each.id) && (permission === undefined || each.permission === permission),
        );
        for (let start = 0; start < concerned.length; start += AT_ONCE) {
          if (isBegun && now() >= until) return false;
          isBegun = true;
          const some = concerned.slice(start, start + AT_ONCE);
          const done = await Promise.all(some.map((connection) => settle(connection, failing)));
          for (const [position, { id }] of some.entries()) if (done[position]) settled.add(id);
          isDone &&= done.every(Boolean);
        }
      }
    return isDone;
  }

  async function change(records: readonly DynamoDBRecord[]): Promise<FeedAnswer> {
    // A transaction is several records, and a batch many transactions: each question is asked once.
    const consequences = new Map<
      string,
      { consequence: Consequence; itemIdentifier: string; last: string }
    >();
    for (const record of records) {
      const consequence = consequenceOf(record);
      const key = JSON.stringify(consequence);
      if (consequence === undefined) continue;
      // Without its number, '' makes the whole batch come again.
      const last = record.dynamodb?.SequenceNumber ?? '';
      const { itemIdentifier = last } = consequences.get(key) ?? {};
      consequences.set(key, { consequence, itemIdentifier, last });
    }
    const failing = new Set<string>();
    const until = now() + BUDGET_MS;
    const batchItemFailures: { itemIdentifier: string }[] = [];
    let isFirst = true;
    for (const [key, { consequence, itemIdentifier, last }] of consequences) {
      const again = `${last} ${key}`;
      const settled = settledAfter.get(again) ?? new Set();
      settledAfter.delete(again);
      const isDone =
        (isFirst || now() < until) &&
        (await carryOut(consequence, failing, settled, until).catch((error) => {
          log.error('connections not read', codesOf(error));
          return false;
        }));
      isFirst = false;
      if (isDone) continue;
      batchItemFailures.push({ itemIdentifier });
      // Without its number it may be another record the next time.
      if (last !== '') remember(again, settled);
    }
    if (batchItemFailures.length > 0 && now() < until) await wait(RETRY_MS);
    return { batchItemFailures };
  }

  return async (event: unknown): Promise<SocketAnswer | FeedAnswer> => {
    const read = readSocketEvent(event);
    if (read.kind === 'change') return change(read.records);
    return read.kind === 'connect' ? connect(read) : disconnect(read);
  };
}

export type Sockets = ReturnType<typeof createSockets>;
