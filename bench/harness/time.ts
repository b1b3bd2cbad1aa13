/** Time as those see it who are measured: it goes by, or it is simulated. Milliseconds. */
export interface Time {
  readonly now: () => number;
  /** Runs `act` after so many milliseconds, unless what it returns is called before. */
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
  /** Takes no time, however long it takes: what stands in for something whose time is simulated. */
  readonly outside: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets time go by until the work is done. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Time as it goes by. Timers are late by up to a millisecond. */
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

/** All that follows from what has happened, as far as it waits for nothing. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Time that moves only when everything waits for it, and then to the next moment that something waits for. What
 * computes, and what happens outside, takes none: the same draws give the same times on every machine.
 */
export function createSimulatedTime(start: number): Time {
  let now = start;
  let underWay = 0;
  let onBack = (): void => {};
  /** Ascending; of those due at the same time the one that was scheduled first. */
  const moments: Moment[] = [];

  async function run<T>(work: () => Promise<T>): Promise<T> {
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    // Looked at below, whenever it fails.
    done.catch(() => {});
    for (;;) {
      await settled();
      if (isDone) return done;
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          onBack = resolve;
        });
        continue;
      }
      const next = moments.shift();
      if (!next) throw new Error('what runs in simulated time waits for something else');
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
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) onBack();
      }
    },
    run,
  };
}
