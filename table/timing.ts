/**
 * The times that reader and writer have to agree on (ADR 0014, Coherence by spans). They are in one
 * file because the margin is their sum: a change of one of them changes how long a cached item may be used.
 */

/**
 * Milliseconds for which a writer tries one transaction, retries included. After it no new request is sent,
 * so it bounds how much later than its stamp a write leaves.
 */
export const WRITE_DEADLINE_MS = 3_000;

/**
 * Milliseconds for which a request may still be under way after its writer gave up: on the network, in a
 * proxy, in DynamoDB. The client's deadline ends the waiting, not the request, and DynamoDB states no bound
 * of its own.
 */
export const LATE_ARRIVAL_MS = 8_000;

/** Milliseconds by which the clocks of a writer and a reader may differ. */
export const CLOCK_SKEW_MS = 1_000;

/**
 * A write was certainly committed, by any reader's clock, so many milliseconds after its stamp, or never will
 * be.
 */
export const COHERENCE_MARGIN_MS = WRITE_DEADLINE_MS + LATE_ARRIVAL_MS + CLOCK_SKEW_MS;

/** Milliseconds for one call of the reader, retries included. API Gateway gives an authorizer 10 s. */
export const READ_DEADLINE_MS = 3_000;

/**
 * The longest time-to-live of cached items in milliseconds, also while DynamoDB is down: a day. What stands apart of a
 * decision item is emptied, and stays for longer than this before it goes (ADR 0003).
 */
export const MAX_TTL_MS = 24 * 60 * 60 * 1_000;

/** The last instant that a date can say, in epoch milliseconds (ECMAScript): what ends then has no end. */
export const LAST_INSTANT = 8.64e15;
