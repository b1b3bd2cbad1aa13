/** An open connection of a WebSocket API, with the question that `$connect` was allowed by. */
export interface Connection {
  readonly id: string;
  /** The id of its API, and the stage. */
  readonly api: string;
  readonly stage: string;
  /** References, as in the authorizer's context. */
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  readonly tenant: string;
  /**
   * The record of the credential that opened it: `session:01J…`, `token:01J…`; `none` for a JWT without one, which nobody
   * can revoke; {@link UNKNOWN} where neither the authorizer's context nor the entry names it.
   */
  readonly credential: string;
}

/** It is no reference, so there is no such record: a question with it is refused. */
export const UNKNOWN = 'unknown';

/** By what connections are found. */
export type Found =
  | { readonly by: 'subject' | 'tenant' | 'permission'; readonly value: string }
  | { readonly by: 'all' };

/** A connection in the list. */
export interface Listed extends Connection {
  /** When `$connect` was asked, in epoch milliseconds; up to a second too early. */
  readonly openedAt: number;
}

/** The list of open connections. It holds no rights: a lost entry closes nothing, an old one closes what is gone. */
export interface Connections {
  /** @param openedAt epoch milliseconds */
  readonly add: (connection: Connection, openedAt: number) => Promise<void>;
  readonly remove: (connection: Connection) => Promise<void>;
  /**
   * Pages of connections, each at most once per page. A damaged entry and one past its time-to-live are left out.
   *
   * @param at epoch milliseconds
   * @param after the id of a connection, which may be gone: only those that come after it, in an order that stays
   */
  readonly find: (found: Found, at: number, after?: string) => AsyncIterable<readonly Listed[]>;
}
