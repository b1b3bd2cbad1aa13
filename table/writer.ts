import type { GatehouseError } from './errors.ts';
import type { Action } from './write/action.ts';

/** What a write tells its caller beside its error. */
export interface WriteNotes {
  /** The error of every condition that did not hold, in the order of the actions; the first of them is thrown. */
  failures: readonly GatehouseError[];
}

export interface Writer {
  /**
   * Sends one TransactWriteItems: all of it happens or nothing.
   *
   * Conflicts with other transactions and throttling are tried again with jitter until the deadline
   * (the SDK never does); a failed condition becomes the error that its action names.
   */
  readonly send: (actions: readonly Action[], notes?: WriteNotes) => Promise<void>;
}
