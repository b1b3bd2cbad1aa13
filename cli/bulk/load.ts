import { ulid } from 'ulid';
import { createPacing, type Pacing } from '../../table/read/pacing.ts';
import { deliverer, type Transport, TransportError } from '../transport.ts';
import { createConcurrency } from './concurrency.ts';
import { keysOf, operationOf, type RowKind, type Values } from './kinds.ts';
import { type Refusal, SourceError, type SourceRow, validateRow } from './rows.ts';
import { type Outcome, writeRow } from './write-row.ts';

export interface LoadOptions {
  readonly kind: RowKind;
  readonly transport: Transport;
  readonly actor?: string | undefined;
  readonly isDryRun?: boolean;
  /** The most rows in flight. */
  readonly parallel: number;
  /** Milliseconds for which a command is sent again while the table does not answer. */
  readonly patienceMs?: number;
  readonly now: () => number;
  /** How far an earlier run came. */
  readonly from?: Progress;
  /** Ends the reading of rows, which may be waiting for input. */
  readonly close?: () => void;
  /** Called with each refused row, in the order of the input. */
  readonly onRefused: (row: SourceRow, refusal: Refusal) => void;
  /** Called when all rows up to `progress.rows` are done, after {@link onRefused} for those among them. */
  readonly onProgress: (progress: Progress) => void;
}

/** What became of all rows up to this one. */
export interface Progress {
  readonly rows: number;
  readonly bytes: number;
  readonly created: number;
  readonly present: number;
  readonly refused: number;
}

export const NO_PROGRESS: Progress = { rows: 0, bytes: 0, created: 0, present: 0, refused: 0 };

export interface LoadStatus extends Progress {
  readonly inFlight: number;
  /** Attempts that were repeated because the table throttled them, and for other reasons. */
  readonly throttled: number;
  readonly retried: number;
}

export interface Loading {
  /** Resolves when every row that was sent has an outcome or has failed. */
  readonly done: Promise<Ending>;
  /** Takes no more rows; those in flight are finished. */
  readonly stop: () => void;
  readonly status: () => LoadStatus;
}

export interface Ending {
  readonly progress: Progress;
  /** Why it ended before the last row. Nothing is lost: running it again continues. */
  readonly fault?: string;
  readonly isStopped: boolean;
}

const PATIENCE_MS = 60_000;
/** Rows that may be done beyond the first one that is not. */
const MAX_LEAD = 4_096;
/** An answer that takes longer has been waiting for the table. */
const SLOW_MS = 1_000;

/**
 * Sends rows, many at once, and holds only those in flight in memory. Of rows with the same keys the first one in
 * the input wins.
 */
export function startLoad(rows: AsyncIterable<SourceRow>, options: LoadOptions): Loading {
  const { kind, parallel, now, patienceMs = PATIENCE_MS, from = NO_PROGRESS } = options;
  const concurrency = createConcurrency(parallel, now);
  const counts = { throttled: 0, retried: 0 };
  let progress = from;
  let inFlight = 0;
  let fault: string | undefined;
  let isStopped = false;
  /** Outcomes beyond the first row that has none. */
  const outcomes = new Map<number, { readonly row: SourceRow; readonly outcome: Outcome }>();
  /** The last row in flight for each key. */
  const holders = new Map<string, Promise<void>>();
  let wake: () => void = () => {};
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const isOver = (): boolean => isStopped || fault !== undefined;

  const transport: Transport = async (event, signal) => {
    const started = now();
    const answer = await options.transport(event, signal);
    const isRetried = !answer.ok && answer.error.retryable;
    if (isRetried) counts[answer.error.code === 'throttled' ? 'throttled' : 'retried'] += 1;
    if (isRetried || now() - started > SLOW_MS) concurrency.congested();
    else concurrency.succeeded();
    return answer;
  };
  const writer = {
    ...{ kind, now, actor: options.actor, isDryRun: options.isDryRun === true },
    deliver: deliverer(transport, { pacing: pacingOf(patienceMs, now), newId: () => ulid() }),
  };

  function end(message: string): void {
    fault ??= message;
    wake();
    options.close?.();
  }

  function record(number: number, row: SourceRow, outcome: Outcome): void {
    outcomes.set(number, { row, outcome });
    const before = progress.rows;
    for (let next = outcomes.get(progress.rows + 1); next; next = outcomes.get(progress.rows + 1)) {
      const { state } = next.outcome;
      // Reported first: if that fails, the row does not count as done.
      if (next.outcome.state === 'refused')
        options.onRefused(next.row, { line: next.row.line, ...next.outcome.refusal });
      const done = progress.rows + 1;
      outcomes.delete(done);
      progress = { ...progress, rows: done, bytes: next.row.bytes, [state]: progress[state] + 1 };
    }
    if (progress.rows > before) options.onProgress(progress);
  }

  /** Waits for earlier rows with the same keys, then sends. Called in the order of the input. */
  async function send(number: number, row: SourceRow, values: Values): Promise<void> {
    const keys = [operationOf(kind, values), ...keysOf(kind, values)];
    const earlier = keys.flatMap((key) => holders.get(key) ?? []);
    let release: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const key of keys) holders.set(key, finished);
    inFlight += 1;
    let begun = now();
    try {
      await Promise.all(earlier);
      begun = now();
      if (fault === undefined) record(number, row, await writeRow(writer, values));
    } catch (error) {
      const tried =
        error instanceof TransportError && error.retryable
          ? ` (tried for ${Math.round((now() - begun) / 1_000)} s)`
          : '';
      end(`line ${row.line}: ${messageOf(error)}${tried}`);
    } finally {
      inFlight -= 1;
      for (const key of keys) if (holders.get(key) === finished) holders.delete(key);
      release();
      wake();
    }
  }

  async function run(): Promise<Ending> {
    let number = 0;
    try {
      for await (const row of rows) {
        number += 1;
        if (number <= from.rows) continue;
        const valid = validateRow(kind.schema, row);
        const isFull = () => inFlight >= concurrency.limit() || number - progress.rows > MAX_LEAD;
        while (!isOver() && isFull()) await change();
        if (isOver()) break;
        if ('problem' in valid) record(number, row, { state: 'refused', refusal: valid.problem });
        else void send(number, row, valid.values);
      }
    } catch (error) {
      // Rows in flight still finish below.
      const line = error instanceof SourceError && error.line !== undefined ? `line ${error.line}: ` : '';
      if (!isOver())
        fault = `${line}${messageOf(error)}${error instanceof SourceError ? ': correct it' : ''}`;
    }
    while (inFlight > 0) await change();
    return { progress, isStopped, ...(fault === undefined ? {} : { fault }) };
  }

  return {
    done: run(),
    stop: () => {
      isStopped = true;
      wake();
      options.close?.();
    },
    status: () => ({ ...progress, ...counts, inFlight }),
  };
}

const SHARED_MS = 1_000;

/** Commands that start in the same second share a deadline: a timer stays in memory until it fires. */
function pacingOf(patienceMs: number, now: () => number): Pacing {
  const pacing = createPacing({ deadlineMs: patienceMs });
  let made = Number.NEGATIVE_INFINITY;
  let shared: AbortSignal;
  return {
    ...pacing,
    deadline: () => {
      if (now() - made >= Math.min(SHARED_MS, patienceMs / 10)) {
        made = now();
        shared = pacing.deadline();
      }
      return shared;
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
