import { messageOf } from '../../local/message-of.ts';
import { defined } from '../../table/defined.ts';
import { createPacing, type Pacing } from '../../table/read/pacing.ts';
import { type BatchTransport, type Transport, TransportError } from '../transport.ts';
import { aheadOf } from './ahead.ts';
import type { Progress } from './checkpoint.ts';
import { createConcurrency } from './concurrency.ts';
import { keysOf, nodesOf, operationOf, type RowKind, type Values } from './kinds.ts';
import { readRow } from './read-row.ts';
import { createRowNames } from './row-names.ts';
import { type Refusal, SourceError, type SourceRow, type ValidRow } from './rows.ts';
import { answersIn, type Lost, type Outcome, writeRows } from './write-rows.ts';

export interface LoadOptions {
  readonly kind: RowKind;
  readonly transport: Transport;
  readonly actor?: string | undefined;
  readonly isDryRun?: boolean;
  /** The most batches of rows in flight. */
  readonly parallel: number;
  /**
   * Whether one process carries out all batches: it keeps transactions apart that write one item. Otherwise no two
   * batches in flight name one node.
   */
  readonly isOneProcess?: boolean;
  /** Milliseconds for which a row is sent again while the table does not answer. */
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

export const NO_PROGRESS: Progress = { rows: 0, bytes: 0, created: 0, present: 0, refused: 0 };

export interface LoadStatus extends Progress {
  /** Rows. */
  readonly inFlight: number;
  /** Answers to rows that were sent again because the table throttled them, and for other reasons. */
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
  /** Of rows after the first one without an outcome, how many were written: running it again finds them present. */
  readonly ahead: Pick<Progress, 'created' | 'present'>;
  /** Why it ended before the last row. Nothing is lost: running it again continues. */
  readonly fault?: string;
  readonly isStopped: boolean;
}

const PATIENCE_MS = 60_000;
/** Rows that may be done beyond the first one that is not. */
const MAX_LEAD = 4_096;
/** Rows of one batch, and their bytes in the input: an event of a function has 6 MB. */
const MAX_ROWS = 100;
const MAX_BYTES = 2_000_000;
/** How long a batch waits for more rows, which come as fast as the input is read. */
const GATHER_MS = 50;
/** An answer that takes longer has been waiting for the table. */
const SLOW_MS = 5_000;

/** Rows whose names are looked up before the first of them is sent. */
const MAX_AHEAD = 400;

interface Numbered {
  /** From 1. */
  readonly number: number;
  readonly row: SourceRow;
}

/** What came of reading a row; a fault is of the table, not of the row. */
type Read = ValidRow | { readonly fault: unknown; readonly begun: number };

/** The rows after the first ones, with their numbers. */
async function* numbered(rows: AsyncIterable<SourceRow>, skipped: number): AsyncGenerator<Numbered> {
  let number = 0;
  for await (const row of rows) if (++number > skipped) yield { number, row };
}

/** A row that waits to be sent. */
interface Waiting {
  readonly number: number;
  readonly row: SourceRow;
  readonly values: Values;
  /** What no two rows can share: such rows are sent one after the other. */
  readonly keys: readonly string[];
  /** Nodes that two batches in flight do not share. */
  readonly nodes: readonly string[];
}

/**
 * Sends rows in batches, several at once, and holds only those in flight in memory. Of rows with the same keys the
 * first one in the input wins.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one load: its queue, its counts and its record share one state.
export function startLoad(rows: AsyncIterable<SourceRow>, options: LoadOptions): Loading {
  const { kind, parallel, isOneProcess = false, now } = options;
  const { patienceMs = PATIENCE_MS, from = NO_PROGRESS } = options;
  const concurrency = createConcurrency(parallel, now);
  const counts = { throttled: 0, retried: 0 };
  let progress = from;
  let inFlight = 0;
  let batches = 0;
  let fault: string | undefined;
  let isStopped = false;
  let hasEnded = false;
  /** Outcomes beyond the first row that has none. */
  const outcomes = new Map<number, { readonly row: SourceRow; readonly outcome: Outcome }>();
  let waiting: Waiting[] = [];
  /** How many of them, from the first, wait for rows in flight, and their keys. */
  let blocked = 0;
  let blockedKeys = new Set<string>();
  /** The keys and nodes of rows in flight. */
  const inUse = new Set<string>();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let wake: () => void = () => {};
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const isOver = (): boolean => isStopped || fault !== undefined;

  const send: BatchTransport = async (event, signal) => {
    const started = now();
    const answer = await options.transport(event, signal);
    const answers = answersIn(answer, event.batch.length);
    const lost = answers.flatMap((each) => (!each.ok && each.error.retryable ? [each.error.code] : []));
    for (const code of lost) counts[code === 'throttled' ? 'throttled' : 'retried'] += 1;
    if (lost.length > 0 || now() - started > SLOW_MS) concurrency.congested();
    else concurrency.succeeded();
    return answers;
  };
  const writer = {
    send,
    kind,
    now,
    actor: options.actor,
    isDryRun: options.isDryRun === true,
    pacing: pacingOf(patienceMs, now),
  };
  const names = createRowNames(writer);

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

  /** The next rows that can be sent together: the first ones of which nothing is in flight. */
  function nextBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const rest = waiting.slice(0, blocked);
    /** Keys of rows in the batch. */
    const taken = new Set<string>();
    let bytes = 0;
    let position = blocked;
    for (; position < waiting.length && batch.length < MAX_ROWS; position++) {
      const each = waiting[position] as Waiting;
      const { keys, nodes } = each;
      const isFree =
        !keys.some((key) => inUse.has(key) || taken.has(key) || blockedKeys.has(key)) &&
        !nodes.some((node) => inUse.has(node));
      if (!isFree) {
        for (const key of keys) blockedKeys.add(key);
        rest.push(each);
        continue;
      }
      bytes += JSON.stringify(each.values).length;
      if (batch.length > 0 && bytes > MAX_BYTES) break;
      for (const key of keys) taken.add(key);
      batch.push(each);
    }
    blocked = rest.length;
    waiting = [...rest, ...waiting.slice(position)];
    return batch;
  }

  /** Rows that waited for others may be free. */
  function unblock(): void {
    blocked = 0;
    blockedKeys = new Set();
  }

  /** Sends what can be sent. A batch that is not full waits for more rows, as long as others are in flight. */
  function dispatch(isGathered: boolean): void {
    while (fault === undefined && batches < concurrency.limit() && waiting.length > blocked) {
      if (waiting.length - blocked < MAX_ROWS && !hasEnded && !isGathered) {
        gathering ??= setTimeout(() => {
          gathering = undefined;
          dispatch(true);
        }, GATHER_MS);
        return;
      }
      const batch = nextBatch();
      if (batch.length === 0) return;
      void sendBatch(batch);
    }
  }

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    const names = batch.flatMap(({ keys, nodes }) => [...keys, ...nodes]);
    for (const name of names) inUse.add(name);
    batches += 1;
    inFlight += batch.length;
    const begun = now();
    const settle = (position: number, outcome: Outcome | Lost): void => {
      const { number, row } = batch[position] as Waiting;
      inFlight -= 1;
      if (outcome.state !== 'lost') record(number, row, outcome);
      else if (fault === undefined) end(`line ${row.line}: ${triedFor(outcome.error, begun)}`);
    };
    const settled = new Set<number>();
    try {
      await writeRows(
        writer,
        batch.map(({ values }) => values),
        (position, outcome) => {
          settled.add(position);
          settle(position, outcome);
        },
      );
    } catch (error) {
      inFlight -= batch.length - settled.size;
      const first = batch.find((_, position) => !settled.has(position)) ?? batch[0];
      end(`line ${first?.row.line}: ${triedFor(error, begun)}`);
    } finally {
      batches -= 1;
      for (const name of names) inUse.delete(name);
      unblock();
      dispatch(false);
      wake();
    }
  }

  const triedFor = (error: unknown, begun: number): string =>
    error instanceof TransportError && error.retryable
      ? `${error.message} (tried for ${Math.round((now() - begun) / 1_000)} s)`
      : messageOf(error);

  /** A row that can be sent, or why it cannot. */
  async function read(row: SourceRow): Promise<Read> {
    const begun = now();
    try {
      return await readRow(kind, names.resolve, row);
    } catch (fault) {
      return { fault, begun };
    }
  }

  const readAhead = async ({ number, row }: Numbered) => ({ number, row, read: await read(row) });

  /** What a row names may be created by one before it: then it is read again when those are done. */
  async function afterRowsBefore(number: number, row: SourceRow, first: Read): Promise<Read> {
    if (!('problem' in first) || first.problem.code !== 'name_unknown' || !kind.isNamedInRows) return first;
    while (!isOver() && progress.rows < number - 1) await change();
    names.forgetUnknown();
    return isOver() ? first : read(row);
  }

  async function run(): Promise<Ending> {
    try {
      for await (const { number, row, read: first } of aheadOf(
        numbered(rows, from.rows),
        MAX_AHEAD,
        readAhead,
      )) {
        while (!isOver() && number - progress.rows > MAX_LEAD) await change();
        const read = await afterRowsBefore(number, row, first);
        if (isOver()) break;
        if ('fault' in read) end(`line ${row.line}: ${triedFor(read.fault, read.begun)}`);
        else if ('problem' in read) record(number, row, { state: 'refused', refusal: read.problem });
        else {
          const { values } = read;
          const unique = keysOf(kind, values);
          const keys = unique.length > 0 ? unique : [operationOf(kind, values)];
          waiting.push({ number, row, values, keys, nodes: isOneProcess ? [] : nodesOf(kind, values) });
          if (waiting.length - blocked >= MAX_ROWS || gathering === undefined) dispatch(false);
        }
      }
    } catch (error) {
      // Rows in flight still finish below.
      const line = error instanceof SourceError && error.line !== undefined ? `line ${error.line}: ` : '';
      if (!isOver())
        fault = `${line}${messageOf(error)}${error instanceof SourceError ? ': correct it' : ''}`;
    }
    hasEnded = true;
    if (isStopped) waiting = [];
    clearTimeout(gathering);
    dispatch(true);
    while (batches > 0 || (fault === undefined && waiting.length > 0)) await change();
    const aheadAs = (state: Outcome['state']) =>
      [...outcomes.values()].filter(({ outcome }) => outcome.state === state).length;
    const ahead = { created: aheadAs('created'), present: aheadAs('present') };
    return { progress, ahead, isStopped, ...defined({ fault }) };
  }

  return {
    done: run(),
    stop: () => {
      isStopped = true;
      waiting = [];
      wake();
      options.close?.();
    },
    status: () => ({ ...progress, ...counts, inFlight }),
  };
}

const SHARED_MS = 1_000;

/** Batches that start in the same second share a deadline: a timer stays in memory until it fires. */
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
