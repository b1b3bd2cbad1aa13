/** Of each form of event by itself. */
type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'id'> : never;

/** The newest events, each with a number. */
export interface EventRing<Event extends { readonly id: number }> {
  /** Adds an event. The oldest one makes room. */
  readonly add: (event: Unnumbered<Event>) => void;
  /** The first event with a number above `id` that is still here. */
  readonly after: (id: number) => Event | undefined;
  /** The number of the newest event; 0 before the first. */
  readonly newest: () => number;
  /** Calls back after each event; returns how to stop that. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** @param most how many events are kept */
export function createEventRing<Event extends { readonly id: number }>(most: number): EventRing<Event> {
  const events: Event[] = [];
  const listeners = new Set<() => void>();
  let newest = 0;
  return {
    add: (event) => {
      newest += 1;
      // By its number modulo the size: adding moves nothing.
      events[newest % most] = { id: newest, ...event } as unknown as Event;
      for (const listener of listeners) listener();
    },
    after: (id) => {
      const next = Math.max(id, newest - most) + 1;
      return next > newest ? undefined : events[next % most];
    },
    newest: () => newest,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
