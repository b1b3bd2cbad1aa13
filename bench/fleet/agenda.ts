/** What happens in simulated time, in order. Milliseconds since 1970, with fractions. */
export interface Agenda {
  readonly now: () => number;
  /** Runs `act` after so many milliseconds. It resolves no promise. */
  readonly after: (milliseconds: number, act: () => void) => void;
  /** As `after`, for what resolves promises: all that they lead to happens at the same instant. */
  readonly resume: (milliseconds: number, act: () => void) => void;
  /** Until `end`, or until nothing is left. */
  readonly runUntil: (end: number) => Promise<void>;
}

interface Moment {
  readonly due: number;
  readonly order: number;
  readonly resumes: boolean;
  readonly act: () => void;
}

const isBefore = (a: Moment, b: Moment): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** Resolves after all pending promise callbacks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A discrete-event clock. Moments of one instant run in the order in which they were planned, so one seed gives
 * one history. A heap.
 */
export function createAgenda(start: number): Agenda {
  const heap: Moment[] = [];
  let now = start;
  let order = 0;

  function push(moment: Moment): void {
    let place = heap.length;
    heap.push(moment);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const other = heap[parent] as Moment;
      if (!isBefore(moment, other)) break;
      heap[place] = other;
      place = parent;
    }
    heap[place] = moment;
  }

  function pop(): Moment {
    const first = heap[0] as Moment;
    const last = heap.pop() as Moment;
    if (heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Moment, heap[child] as Moment)) child += 1;
      const other = heap[child] as Moment;
      if (!isBefore(other, last)) break;
      heap[place] = other;
      place = child;
    }
    heap[place] = last;
    return first;
  }

  const plan = (milliseconds: number, act: () => void, resumes: boolean): void =>
    push({ due: now + Math.max(0, milliseconds), order: order++, resumes, act });

  return {
    now: () => now,
    after: (milliseconds, act) => plan(milliseconds, act, false),
    resume: (milliseconds, act) => plan(milliseconds, act, true),
    runUntil: async (end) => {
      while (heap.length > 0 && (heap[0] as Moment).due <= end) {
        const moment = pop();
        now = moment.due;
        moment.act();
        if (moment.resumes) await settled();
      }
      if (Number.isFinite(end)) now = Math.max(now, end);
    },
  };
}
