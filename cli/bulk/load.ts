import type { Failure } from '../../provisioning/index.ts';
import { checkRow } from './check-row.ts';
import { keysOf, operationOf, type RowKind, schemaOf, type Values } from './kinds.ts';
import type { Refusal, SourceRow } from './rows.ts';
import { type Decision, type Outcome, type Provision, type Settling, settle } from './settle.ts';
import { createThrottle } from './throttle.ts';

export interface LoadOptions {
  readonly kind: RowKind;
  readonly provision: Provision;
  readonly actor?: string | undefined;
  readonly isDryRun?: boolean;
  /** At most so many rows at once. */
  readonly parallel: number;
  /** Milliseconds for one row, all attempts included. */
  readonly patienceMs?: number;
  readonly now: () => number;
  readonly random?: () => number;
  /** Where an earlier run has come to. */
  readonly from?: Partial<Progress>;
  /** Ends the reading of rows, which may be waiting for one. */
  readonly close?: () => void;
  /** Called with each refused row, in the order of the input. */
  readonly onRefused: (row: SourceRow, refusal: Refusal) => void;
  /** Called after all rows up to `progress.rows` are done with; what is refused among them has been told. */
  readonly onProgress: (progress: Progress) => void;
}

/** All rows up to this one, and what became of them. */
export interface Progress {
  readonly rows: number;
  readonly bytes: number;
  readonly created: number;
  readonly present: number;
  readonly refused: number;
}

export interface Loading {
  /** Resolves when every row that was sent has been decided or given up. */
  readonly done: Promise<Ending>;
  /** Takes no more rows; those under way are brought to their end. */
  readonly stop: () => void;
  readonly now: () => Progress & {
    readonly atOnce: number;
    /** Attempts that were made again because the table was at its limit, and for other reasons. */
    readonly throttled: number;
    readonly retried: number;
  };
}

export interface Ending {
  readonly progress: Progress;
  /** Why it ended before the last row: nothing is lost, the same again goes on. */
  readonly fault?: string;
  readonly isStopped: boolean;
}

const PATIENCE_MS = 60_000;
/** Rows that may be decided beyond one that is not. */
const MAX_LEAD = 4_096;
/** An answer that takes longer has been waiting for the table. */
const SLOW_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/**
 * Sends rows, many at once, and holds no more of them than are under way. Of rows that cannot both be true the
 * first one wins, whatever is sent when.
 */
export function startLoad(rows: AsyncIterable<SourceRow>, options: LoadOptions): Loading {
  const { kind, parallel, now, patienceMs = PATIENCE_MS, random = Math.random, from = {} } = options;
  const settling: Settling = {
    ...{ kind, provision: options.provision, now },
    actor: options.actor,
    isDryRun: options.isDryRun === true,
  };
  const schema = schemaOf(kind);
  const throttle = createThrottle(parallel, now);
  const skip = from.rows ?? 0;
  let progress: Progress = { rows: 0, bytes: 0, created: 0, present: 0, refused: 0, ...from };
  const counts = { throttled: 0, retried: 0 };
  let active = 0;
  let fault: string | undefined;
  let isStopped = false;
  const ended = new AbortController();
  /** Decided beyond the first row that is not. */
  const ahead = new Map<number, { readonly row: SourceRow; readonly decision: Decision }>();
  /** Who holds what no two rows can both have. */
  const holders = new Map<string, Promise<void>>();
  let wake: () => void = () => {};

  function fail(message: string): void {
    fault ??= message;
    ended.abort();
    wake();
    options.close?.();
  }

  function decide(number: number, row: SourceRow, decision: Decision): void {
    ahead.set(number, { row, decision });
    const before = progress.rows;
    for (let next = ahead.get(progress.rows + 1); next; next = ahead.get(progress.rows + 1)) {
      const { state } = next.decision;
      // Told first: should that fail, the row is not done with.
      if (next.decision.state === 'refused')
        options.onRefused(next.row, { line: next.row.line, ...next.decision.refusal });
      ahead.delete(progress.rows + 1);
      progress = {
        ...progress,
        rows: progress.rows + 1,
        bytes: next.row.bytes,
        [state]: progress[state] + 1,
      };
    }
    if (progress.rows > before) options.onProgress(progress);
  }

  /** Tries until there is a decision; undefined when it was given up. */
  async function attempts(row: SourceRow, values: Values): Promise<Decision | undefined> {
    const begun = now();
    for (let attempt = 1; !ended.signal.aborted; attempt++) {
      const started = now();
      const outcome = await settle(settling, values, begun).catch(
        (error: unknown): Outcome => ({ state: 'fault', error: thrown(error) }),
      );
      if (outcome.state === 'fault') {
        fail(`line ${row.line}: ${outcome.error.message}`);
        return undefined;
      }
      if (!('error' in outcome)) {
        if (now() - started > SLOW_MS) throttle.congested();
        else throttle.wentWell();
        return outcome;
      }
      throttle.congested();
      if (outcome.error.code === 'throttled') counts.throttled += 1;
      else counts.retried += 1;
      const spent = now() - begun;
      const pause = random() * Math.min(MAX_PAUSE_MS, 50 * 2 ** (attempt - 1));
      if (spent + pause > patienceMs)
        fail(`line ${row.line}: ${outcome.error.message} (tried for ${Math.round(spent / 1_000)} s)`);
      else await sleep(pause, ended.signal);
    }
    return undefined;
  }

  /** Waits for earlier rows with the same keys, then sends; rows enter here in the order of the input. */
  async function send(number: number, row: SourceRow, values: Values): Promise<void> {
    const keys = [operationOf(kind, values), ...keysOf(kind, values)];
    const before = keys.flatMap((key) => holders.get(key) ?? []);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const key of keys) holders.set(key, held);
    active += 1;
    try {
      await Promise.all(before);
      const decision = await attempts(row, values);
      if (decision) decide(number, row, decision);
    } catch (error) {
      fail(thrown(error).message);
    } finally {
      active -= 1;
      for (const key of keys) if (holders.get(key) === held) holders.delete(key);
      release();
      wake();
    }
  }

  const isOver = (): boolean => isStopped || ended.signal.aborted;
  const isFull = (number: number): boolean => active >= throttle.limit() || number - progress.rows > MAX_LEAD;
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  async function run(): Promise<Ending> {
    let number = 0;
    try {
      for await (const row of rows) {
        number += 1;
        if (number <= skip) continue;
        const checked = checkRow(schema, row);
        while (!isOver() && isFull(number)) await change();
        if (isOver()) break;
        if ('problem' in checked) decide(number, row, { state: 'refused', refusal: checked.problem });
        else void send(number, row, checked.values);
      }
    } catch (error) {
      // What is under way is still brought to its end: it is decided as it would have been.
      if (!isOver()) fault = thrown(error).message;
    }
    while (active > 0) await change();
    return { progress, isStopped, ...(fault === undefined ? {} : { fault }) };
  }

  return {
    done: run(),
    stop: () => {
      isStopped = true;
      wake();
      options.close?.();
    },
    now: () => ({ ...progress, ...counts, atOnce: active }),
  };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

const thrown = (error: unknown): Failure['error'] => ({
  ...{ code: 'internal', retryable: false },
  message: error instanceof Error ? error.message : String(error),
});
