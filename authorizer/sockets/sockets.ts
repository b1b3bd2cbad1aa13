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

/** Connections that are remembered as not settled, of one record that comes again, and of all. */
const MOST_LEFT = 20_000;
const MOST_LEFT_OF_ALL = 2 * MOST_LEFT;

/** How far a record that comes again is carried out. */
interface Progress {
  /** Before it all are settled, but for those that are left. */
  readonly settled: Place;
  readonly left: readonly Listed[];
  /** Where to go on with those who are asked about though there is no room to remember them; undefined: nowhere. */
  readonly beyond: Place | undefined;
}

/** A place in the lists: in the one of this position, after this connection. */
interface Place {
  readonly list: number;
  readonly after: string | undefined;
}

const NOTHING_DONE: Progress = { settled: { list: 0, after: undefined }, left: [], beyond: undefined };

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
   * By record that comes again, the last of its kind: what is settled since it arrived. These questions were asked with
   * `strong`, so they saw the change, and need not be asked again; so did those of connections listed later.
   */
  const progressOf = new Map<string, Progress>();

  /** Forgets the records that failed longest ago, which another process may have done since. */
  function remember(record: string, progress: Progress): void {
    progressOf.set(record, progress);
    let count = [...progressOf.values()].reduce((sum, { left }) => sum + left.length + 1, 0);
    for (const [oldest, { left }] of progressOf) {
      if (count <= MOST_LEFT_OF_ALL) return;
      progressOf.delete(oldest);
      count -= left.length + 1;
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
   * @param progress of earlier deliveries
   * @param until when to stop, in epoch milliseconds; some are asked about whatever the time
   * @returns how far it is carried out by now; undefined where all is done
   */
  async function carryOut(
    { found, permission }: Consequence,
    failing: Set<string>,
    progress: Progress,
    until: number,
  ): Promise<Progress | undefined> {
    let { settled } = progress;
    const left = [...progress.left];
    let isBegun = false;
    /** Those that are not settled; undefined where the time is over. */
    async function leftOf(some: readonly Listed[], end = until): Promise<readonly Listed[] | undefined> {
      if (isBegun && now() >= end) return undefined;
      isBegun = true;
      const done = await Promise.all(some.map((connection) => settle(connection, failing)));
      return some.filter((_, position) => !done[position]);
    }
    async function retry(end: number): Promise<void> {
      for (let untried = progress.left.length; untried > 0; untried -= AT_ONCE) {
        const some = left.slice(0, Math.min(AT_ONCE, untried));
        const still = await leftOf(some, end);
        if (still === undefined) return;
        left.splice(0, some.length);
        left.push(...still);
      }
    }
    // What is slow to fail comes last, so that the others go on; unless there is no more room.
    const isRetriedFirst = left.length + AT_ONCE > MOST_LEFT;
    if (isRetriedFirst) await retry((now() + until) / 2);
    // Those for whom there is no room are asked about once more when the others have been.
    let isFull = progress.beyond !== undefined;
    let place = progress.beyond ?? settled;
    const goTo = (next: Place) => {
      place = next;
      if (!isFull) settled = next;
    };
    /** @returns false where the time is over */
    async function askAll(): Promise<boolean> {
      for (let each = found[place.list]; each !== undefined; each = found[place.list]) {
        const { list, after } = place;
        for await (const page of connections.find(each, now(), after)) {
          const concerned = page.filter((one) => permission === undefined || one.permission === permission);
          for (let start = 0; start < concerned.length; start += AT_ONCE) {
            const some = concerned.slice(start, start + AT_ONCE);
            const more = await leftOf(some);
            if (more === undefined) return false;
            isFull ||= left.length + more.length > MOST_LEFT;
            if (!isFull) left.push(...more);
            goTo({ list, after: some.at(-1)?.id });
          }
        }
        goTo({ list: list + 1, after: undefined });
      }
      return true;
    }
    const isAsked = await askAll().catch((error) => {
      log.error('connections not read', codesOf(error));
      return false;
    });
    if (!isAsked) return { settled, left, beyond: isFull ? place : undefined };
    if (!isRetriedFirst) await retry(until);
    return isFull || left.length > 0 ? { settled, left, beyond: undefined } : undefined;
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
      const progress = progressOf.get(again) ?? NOTHING_DONE;
      progressOf.delete(again);
      const isInTime = isFirst || now() < until;
      const left = isInTime ? await carryOut(consequence, failing, progress, until) : progress;
      isFirst = false;
      if (left === undefined) continue;
      batchItemFailures.push({ itemIdentifier });
      // Without its number it may be another record the next time.
      if (last !== '') remember(again, left);
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
