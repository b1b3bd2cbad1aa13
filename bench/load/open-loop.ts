import { setTimeout as after } from 'node:timers/promises';
import type { Random } from '../../test/proof/oracle/random.ts';
import { wallMs } from '../harness/clocks.ts';

export interface Rate {
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

/**
 * When each request is due, in milliseconds from the start, fixed before the first one is sent. They arrive
 * independently, as from many people. The number is always rate by seconds: given their number, the arrivals of a
 * Poisson process are uniformly distributed.
 */
export const createSchedule = ({ rate, seconds }: Rate, random: Random): readonly number[] =>
  Array.from({ length: Math.floor(rate * seconds) }, () => random.next() * seconds * 1_000).sort(
    (a, b) => a - b,
  );

/** The fault of a request that timed out: its latency is a lower bound, and counts. */
export const TIMED_OUT = 'timed out';

/** A clock in milliseconds, and what waits by it. */
export interface Time {
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

export interface OpenLoopOptions {
  /** When each request is due, in milliseconds from the start, ascending. */
  readonly schedule: readonly number[];
  /** How long requests are sent; it then waits for those in flight. */
  readonly seconds: number;
  /** Most requests in flight at once; a request that is due beyond them waits, and its latency runs. */
  readonly connections: number;
  /** Sends the n-th request: the status of its answer, or why there is none. Has a time-out, and never rejects. */
  readonly send: (n: number) => Promise<string>;
  /** Ends the run with what was measured so far. */
  readonly signal?: AbortSignal | undefined;
  readonly time?: Time | undefined;
}

export type Measured = Awaited<ReturnType<typeof runOpenLoop>>;

/** Answers per second over the elapsed time. */
export const achievedRate = ({ answered, elapsedMs }: Pick<Measured, 'answered' | 'elapsedMs'>): number =>
  (answered * 1_000) / elapsedMs;

const WALL: Time = { now: wallMs, wait: after };

/**
 * Sends requests when they are due, without waiting for earlier answers, as independent callers do. A latency
 * counts from the instant at which the request was due. A closed loop, which waits for an answer before the
 * next request, sends fewer requests while a server stalls, and so omits the worst latencies ("coordinated
 * omission"). autocannon 9 sends the requests of each second at its start, over connections that wait for their answers.
 */
export async function runOpenLoop(options: OpenLoopOptions) {
  const { schedule, seconds, connections, send, signal, time = WALL } = options;
  const durationMs = seconds * 1_000;
  const begun = time.now();
  const since = (): number => time.now() - begun;
  const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
  const isOver = (): boolean => signal?.aborted === true || since() >= durationMs;
  /** Number of outcomes by status or fault. */
  const outcomes: Record<string, number> = {};
  /**
   * Milliseconds from the instant at which a request was due to the end of its answer. Requests that timed
   * out or were not sent in time count with the time that they had waited: without them an overload would
   * look fast.
   */
  const latencies: number[] = [];
  /** Milliseconds that a request waited before it was sent: for a connection, or for the generator itself. */
  const waits: number[] = [];
  let [next, answered, lastAt] = [0, 0, 0];

  /** Takes the next request that is due, waits for its time, sends it, and waits for its answer. */
  async function connection(): Promise<void> {
    for (let due = schedule[next]; due !== undefined && !isOver(); due = schedule[next]) {
      const n = next++;
      if (due > since()) await Promise.race([time.wait(due - since()), aborted]);
      if (signal?.aborted) return;
      waits.push(since() - due);
      const outcome = await send(n);
      lastAt = since();
      const isAnswer = /^\d+$/.test(outcome);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (isAnswer) answered += 1;
      if (isAnswer || outcome === TIMED_OUT) latencies.push(lastAt - due);
    }
  }
  await Promise.all(Array.from({ length: connections }, connection));
  /** From the start to the last answer; at least the planned time unless aborted. */
  const elapsedMs = signal?.aborted ? Math.min(since(), durationMs) : Math.max(lastAt, durationMs);
  /** Requests that were due, but not sent because all connections were busy until the end. */
  const unsent = schedule.slice(next).filter((due) => due <= elapsedMs);
  latencies.push(...unsent.map((due) => elapsedMs - due));
  return { elapsedMs, outcomes, answered, latencies, waits, unsent: unsent.length };
}
