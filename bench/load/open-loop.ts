import type { Random } from '../../test/proof/oracle/random.ts';
import { wallMs } from '../harness/clocks.ts';

export interface ScheduleOptions {
  /** How requests arrive: independently, as from many people, or evenly. */
  readonly arrivals: 'poisson' | 'constant';
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly random: Random;
}

/**
 * When each request is due, in milliseconds from the start, fixed before the first one is sent. The number is
 * always rate by seconds: given their number, the arrivals of a Poisson process are uniformly distributed.
 */
export function createSchedule({ arrivals, rate, seconds, random }: ScheduleOptions): readonly number[] {
  const due = Float64Array.from({ length: Math.floor(rate * seconds) }, (_, n) =>
    arrivals === 'constant' ? (n * 1_000) / rate : random.next() * seconds * 1_000,
  );
  return [...due.sort()];
}

/** The outcome of a request: its status, or why there is none. */
export type Outcome = { readonly status: number } | { readonly fault: string };

/** The fault of a request that timed out: its latency is a lower bound, and counts. */
export const TIMED_OUT = 'timed out';

/** A clock in milliseconds, and a timer. */
export interface Time {
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => void;
}

export interface OpenLoopOptions {
  /** When each request is due, in milliseconds from the start, ascending. */
  readonly schedule: readonly number[];
  /** How long requests are sent; it then waits for those in flight. */
  readonly seconds: number;
  /** Most requests in flight at once; a request that is due beyond them waits, and its latency runs. */
  readonly connections: number;
  /** Sends the n-th request. Has a time-out of its own, and never rejects. */
  readonly send: (n: number) => Promise<Outcome>;
  /** Ends the run with what was measured so far. */
  readonly signal?: AbortSignal | undefined;
  readonly time?: Time | undefined;
}

export interface Measured {
  /** From the start to the last answer; at least the planned time unless aborted. */
  readonly elapsedMs: number;
  /** Number of outcomes by status or fault. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly answered: number;
  /**
   * Milliseconds from the instant at which a request was due to the end of its answer. Requests that timed
   * out or were not sent in time count with the time that they had waited: without them an overload would
   * look fast.
   */
  readonly latencies: readonly number[];
  /** Milliseconds that a request waited before it was sent: for a connection, or for the generator itself. */
  readonly waits: readonly number[];
  /** Requests that were due, but not sent because all connections were busy until the end. */
  readonly unsent: number;
  /** Requests in flight when the run was aborted. */
  readonly unfinished: number;
}

const WALL: Time = { now: wallMs, after: (ms, act) => void setTimeout(act, ms) };

/**
 * Sends requests when they are due, without waiting for earlier answers, as independent callers do. A latency
 * counts from the instant at which the request was due. A closed loop, which waits for an answer before the
 * next request, sends fewer requests while a server stalls, and so omits the worst latencies ("coordinated
 * omission"). autocannon 9 sends the requests of each second at its start, over connections that wait for their answers.
 */
export function runOpenLoop(options: OpenLoopOptions): Promise<Measured> {
  const { schedule, seconds, connections, send, signal, time = WALL } = options;
  const durationMs = seconds * 1_000;
  const begun = time.now();
  const since = (): number => time.now() - begun;
  const outcomes: Record<string, number> = {};
  const [latencies, waits]: [number[], number[]] = [[], []];
  let [next, inFlight, answered, lastAt] = [0, 0, 0, 0];
  let [isOver, wakes] = [false, false];

  return new Promise((resolve, reject) => {
    function finish(): void {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener('abort', finish);
      const elapsedMs = signal?.aborted ? Math.min(since(), durationMs) : Math.max(lastAt, durationMs);
      let unsent = 0;
      for (; (schedule[next] ?? Infinity) <= elapsedMs; next++) {
        latencies.push(elapsedMs - (schedule[next] as number));
        unsent += 1;
      }
      resolve({ elapsedMs, outcomes, answered, latencies, waits, unsent, unfinished: inFlight });
    }

    function record(due: number, outcome: Outcome): void {
      if (isOver) return;
      inFlight -= 1;
      lastAt = since();
      const isAnswer = 'status' in outcome;
      const name = isAnswer ? String(outcome.status) : outcome.fault;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
      if (isAnswer) answered += 1;
      if (isAnswer || outcome.fault === TIMED_OUT) latencies.push(lastAt - due);
      step();
    }

    /** A wake-up sends the request that it was set for, even a moment after the end. */
    function step(isWakeUp = false): void {
      if (isOver) return;
      const now = since();
      const isWithin = now < durationMs;
      const maySend = isWithin || isWakeUp;
      for (; maySend && inFlight < connections && (schedule[next] ?? Infinity) <= now; next++) {
        const due = schedule[next] as number;
        inFlight += 1;
        waits.push(now - due);
        send(next).then((outcome) => record(due, outcome), reject);
      }
      const due = schedule[next];
      if (isWithin && due !== undefined) {
        if (inFlight < connections && !wakes) wakeAfter(due - now);
      } else if (inFlight === 0 && !wakes) finish();
    }

    function wakeAfter(ms: number): void {
      wakes = true;
      time.after(ms, () => {
        wakes = false;
        step(true);
      });
    }

    signal?.addEventListener('abort', finish);
    if (signal?.aborted) finish();
    step();
  });
}
