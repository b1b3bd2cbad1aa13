import { wallMs } from '../harness/clocks.ts';

/** What became of a request: its status, or why there is none. */
export type Outcome = { readonly status: number } | { readonly fault: string };

/** The fault of a request that was given up: the one that says how long it took at least. */
export const TIMED_OUT = 'timed out';

/** Milliseconds, and a call later. */
export interface Time {
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => void;
}

export interface OpenLoopOptions {
  /** When each request is due, in milliseconds from the start, ascending. */
  readonly schedule: readonly number[];
  /** So long are requests sent; for what is under way then, it waits. */
  readonly seconds: number;
  /** Requests under way at once at most; what is due beyond them waits, and its time runs. */
  readonly connections: number;
  /** Sends the n-th request. Gives up by itself some time, and never rejects. */
  readonly send: (n: number) => Promise<Outcome>;
  /** Ends it at once, with what was measured until then. */
  readonly signal?: AbortSignal | undefined;
  readonly time?: Time | undefined;
}

export interface Measured {
  /** From the start to the last answer, and no less than was asked for unless it was ended before. */
  readonly elapsedMs: number;
  /** By status or fault, how often. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly answered: number;
  /**
   * From the instant at which a request was due to the end of its answer, in milliseconds. What was given up, or not
   * sent in time, is in it with as long as it had waited by then: left out, an overload would look fast.
   */
  readonly latencies: readonly number[];
  /** How long what was sent had waited for that: for a connection, and for the generator's own turn. */
  readonly waits: readonly number[];
  /** Due, and not sent because all connections were busy until the end. */
  readonly unsent: number;
  /** Under way when it was ended. */
  readonly unfinished: number;
}

const WALL: Time = { now: wallMs, after: (ms, act) => void setTimeout(act, ms) };

/**
 * Sends requests when they are due, whatever became of those before: a caller does not wait for others to be served.
 * A latency counts from the instant at which its request was due. A loop that waits for an answer before it asks again
 * asks less while a server stalls, and leaves out what callers would have met then ("coordinated omission").
 */
export function runOpenLoop(options: OpenLoopOptions): Promise<Measured> {
  const { schedule, seconds, connections, send, signal, time = WALL } = options;
  const windowMs = seconds * 1_000;
  const begun = time.now();
  const since = (): number => time.now() - begun;
  const outcomes: Record<string, number> = {};
  const [latencies, waits]: [number[], number[]] = [[], []];
  let [next, underWay, answered, lastAt] = [0, 0, 0, 0];
  let [isOver, wakes] = [false, false];

  return new Promise((resolve, reject) => {
    function finish(): void {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener('abort', finish);
      const elapsedMs = signal?.aborted ? Math.min(since(), windowMs) : Math.max(lastAt, windowMs);
      let unsent = 0;
      for (; (schedule[next] ?? Infinity) <= elapsedMs; next++) {
        latencies.push(elapsedMs - (schedule[next] as number));
        unsent += 1;
      }
      resolve({ elapsedMs, outcomes, answered, latencies, waits, unsent, unfinished: underWay });
    }

    function record(due: number, outcome: Outcome): void {
      if (isOver) return;
      underWay -= 1;
      lastAt = since();
      const isAnswer = 'status' in outcome;
      const name = isAnswer ? String(outcome.status) : outcome.fault;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
      if (isAnswer) answered += 1;
      if (isAnswer || outcome.fault === TIMED_OUT) latencies.push(lastAt - due);
      step();
    }

    /** A wake-up sends what it woke up for, also when the last one comes a moment after the end. */
    function step(isWakeUp = false): void {
      if (isOver) return;
      const now = since();
      const isWithin = now < windowMs;
      const maySend = isWithin || isWakeUp;
      for (; maySend && underWay < connections && (schedule[next] ?? Infinity) <= now; next++) {
        const due = schedule[next] as number;
        underWay += 1;
        waits.push(now - due);
        send(next).then((outcome) => record(due, outcome), reject);
      }
      const due = schedule[next];
      if (isWithin && due !== undefined) {
        if (underWay < connections && !wakes) wakeAfter(due - now);
      } else if (underWay === 0 && !wakes) finish();
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
