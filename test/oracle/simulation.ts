import type { Schedule } from '../../table/memory/index.ts';

/**
 * Simulated time: what is to happen stands in one queue, and happens in its order. Times have fractions of a
 * millisecond, as real ones do; clocks show whole ones.
 *
 * @param start epoch milliseconds
 */
export function createSimulation(start: number) {
  let time = start;
  let queue: { readonly due: number; readonly act: () => void }[] = [];
  /** How much goes on in real time: no simulated time passes meanwhile. */
  let busy = 0;

  /** Until nothing goes on any more before time passes. */
  async function settle(): Promise<void> {
    do await new Promise(setImmediate);
    while (busy > 0);
  }

  const schedule: Schedule = (milliseconds, act) => {
    const due = time + milliseconds;
    const place = queue.findLastIndex((each) => each.due <= due) + 1;
    queue.splice(place, 0, { due, act });
  };

  return {
    now: (): number => time,
    schedule,
    settle,
    wait: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => schedule(Math.max(0, milliseconds), resolve)),
    /** Lets time pass, and happen what is due. */
    pass: async (milliseconds: number): Promise<void> => {
      const until = time + milliseconds;
      for (let next = queue[0]; next !== undefined && next.due <= until; next = queue[0]) {
        queue = queue.slice(1);
        time = next.due;
        next.act();
        await settle();
      }
      time = until;
    },
    /**
     * Runs work that takes real time as well (a digest does), and tells it from what it waits for in simulated time.
     *
     * @param work waits for everything simulated by `awaiting`
     */
    run: async <T>(work: (awaiting: <R>(what: () => Promise<R>) => Promise<R>) => Promise<T>): Promise<T> => {
      let waits = 0;
      const awaiting = async <R>(what: () => Promise<R>): Promise<R> => {
        waits += 1;
        if (waits === 1) busy -= 1;
        try {
          return await what();
        } finally {
          waits -= 1;
          if (waits === 0) busy += 1;
        }
      };
      busy += 1;
      try {
        return await work(awaiting);
      } finally {
        busy -= 1;
      }
    },
  };
}
