/** Real or simulated time, in milliseconds. */
export interface Time {
  readonly now: () => number;
  /** Runs `act` after so many milliseconds; the returned function cancels it. */
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
  /** In simulated time the work takes no time: for real calls whose latency is simulated. */
  readonly outside: <T>(work: () => Promise<T>) => Promise<T>;
  /** Advances time until the work is done. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Real time. Timers are late by up to a millisecond. */
export const wallTime: Time = {
  now: () => performance.timeOrigin + performance.now(),
  schedule: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
  outside: (work) => work(),
  run: (work) => work(),
};

interface Moment {
  readonly due: number;
  readonly act: () => void;
}

/** Resolves after all pending promise callbacks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Time that advances only when all work waits for it, to the next scheduled moment. Computing and work
 * `outside` take none, so the same draws give the same times on every machine.
 */
export function createSimulatedTime(start: number): Time {
  let now = start;
  let inFlight = 0;
  let onBack = (): void => {};
  /** Ascending; at the same time in the order of scheduling. */
  const moments: Moment[] = [];

  async function run<T>(work: () => Promise<T>): Promise<T> {
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    // A rejection is handled below.
    done.catch(() => {});
    for (;;) {
      await settled();
      if (isDone) return done;
      if (inFlight > 0) {
        await new Promise<void>((resolve) => {
          onBack = resolve;
        });
        continue;
      }
      const next = moments.shift();
      if (!next) throw new Error('work in simulated time waits for something outside of it');
      now = Math.max(now, next.due);
      next.act();
    }
  }

  return {
    now: () => now,
    schedule: (milliseconds, act) => {
      const moment = { due: now + milliseconds, act };
      const place = moments.findIndex(({ due }) => due > moment.due);
      moments.splice(place < 0 ? moments.length : place, 0, moment);
      return () => {
        const at = moments.indexOf(moment);
        if (at >= 0) moments.splice(at, 1);
      };
    },
    outside: async (work) => {
      inFlight += 1;
      try {
        return await work();
      } finally {
        inFlight -= 1;
        if (inFlight === 0) onBack();
      }
    },
    run,
  };
}
