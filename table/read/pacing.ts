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
}

/** Exponential back-off with full jitter: 25 ms, 50 ms, … at most 400 ms, each times a random share. */
export function createPacing({ deadlineMs, random = Math.random }: PacingOptions): Pacing {
  return {
    deadline: () => AbortSignal.timeout(deadlineMs),
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
