/** How long an operation may take and how it waits between attempts. Injected, so tests never sleep. */
export interface Pacing {
  /** A signal that fires when the operation's time is up. */
  readonly deadline: () => AbortSignal;
  /** Waits before attempt number `attempt` (1 for the first retry), or until the signal fires. */
  readonly pause: (attempt: number, signal: AbortSignal) => Promise<void>;
}

export interface PacingOptions {
  /** Milliseconds for the whole operation, retries included. */
  readonly deadlineMs: number;
  readonly random?: () => number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * A signal that also counts as aborted once the wall clock says so. A machine that slept wakes with timers that
 * stood still: without this, a transaction would be sent once more, long after its stamp, and readers take it
 * for committed since then (ADR 0014).
 */
function deadlineAt(deadlineMs: number, now: () => number): AbortSignal {
  const signal = AbortSignal.timeout(deadlineMs);
  const endsAt = now() + deadlineMs;
  let isOver = false;
  signal.addEventListener('abort', () => {
    isOver = true;
  });
  return Object.defineProperty(signal, 'aborted', { get: () => isOver || now() >= endsAt });
}

/** Exponential back-off with full jitter: 25 ms, 50 ms, … at most 400 ms, each times a random share. */
export function createPacing({ deadlineMs, random = Math.random, now = Date.now }: PacingOptions): Pacing {
  return {
    deadline: () => deadlineAt(deadlineMs, now),
    pause: (attempt, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        // A process that was stopped for longer than the deadline finds both timers due, and this one first.
        // The one that it sets then comes after the deadline's, so that nobody takes the time for left and
        // sends once more.
        const rested = () => {
          timer = setTimeout(done, 0);
        };
        let timer = setTimeout(rested, random() * Math.min(400, 25 * 2 ** (attempt - 1)));
        if (signal.aborted) done();
        else signal.addEventListener('abort', done, { once: true });
      }),
  };
}
