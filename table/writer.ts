import type { Action } from './write/action.ts';

export interface Writer {
  /**
   * Sends one TransactWriteItems: all of it happens or nothing.
   *
   * Conflicts with other transactions and throttling are tried again with jitter until the deadline
   * (the SDK never does); a failed condition becomes the error that its action names.
   */
  readonly send: (actions: readonly Action[]) => Promise<void>;
}
