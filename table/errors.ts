import { defined } from './defined.ts';
/**
 * The one error of the table and of everything above it.
 *
 * `code` is stable and is what callers match on; `field` names the input at fault; `retryable` says
 * whether the same call may succeed later.
 */
export type ErrorCode =
  | 'invalid'
  | 'not_found'
  | 'conflict'
  /** The id is that of a user who was erased (ADR 0016). */
  | 'erased'
  | 'operation_mismatch'
  /** The operator may not do this (ADR 0032). */
  | 'not_permitted'
  /** It waits for the approval of another operator. */
  | 'approval_required'
  | 'limit_exceeded'
  /** Somebody would hold what an invariant forbids (ADR 0047). */
  | 'invariant_violated'
  /** Whether an invariant would hold is not known: more would have to be looked at than is. */
  | 'invariant_unproved'
  | 'unfinished'
  /** Another apply of the same tenant is under way (ADR 0018). */
  | 'apply_running'
  | 'stale'
  | 'throttled'
  /**
   * What was read or written was being changed by others; it was tried again until the deadline. No outage.
   */
  | 'contended'
  | 'transient'
  | 'damaged_item'
  /** An item of a form that a later release made: this one does not know what it says (form.ts). */
  | 'newer_form'
  | 'internal';

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'unfinished',
  'stale',
  'throttled',
  'contended',
  'transient',
]);

export interface ErrorDetails {
  /** The input field at fault, as a dotted path. */
  readonly field?: string;
  /** Who holds the value that was asked for, as a reference such as `user:01J…`. */
  readonly holder?: string;
  /** When what stands in the way ends at the latest, unless it goes on: ISO 8601. */
  readonly until?: string;
  readonly cause?: unknown;
}

export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly field: string | undefined;
  readonly holder: string | undefined;
  readonly until: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = RETRYABLE.has(code);
    this.field = details.field;
    this.holder = details.holder;
    this.until = details.until;
  }
}

/** Bad input: `field` is named, nothing was written, a retry will not help. */
export const invalid = (field: string, message: string): GatehouseError =>
  new GatehouseError('invalid', message, { field });

/** What `field` points at does not exist. */
export const notFound = (field: string, what: string): GatehouseError =>
  new GatehouseError('not_found', `${what} does not exist`, { field });

/** What was read has changed before the write: plan again from what it is now. */
export const stale = (what: string, field?: string): GatehouseError =>
  new GatehouseError('stale', `${what} was changed by someone else meanwhile`, defined({ field }));

/** More than a limit allows. The message names the limit. */
export const limitExceeded = (message: string, field?: string): GatehouseError =>
  new GatehouseError('limit_exceeded', message, defined({ field }));

/** The value in `field` is taken, or the node is in a state that forbids the change. */
export const conflict = (field: string, message: string, holder?: string): GatehouseError =>
  new GatehouseError('conflict', message, holder === undefined ? { field } : { field, holder });

const WORD = /^[\w.-]{1,64}$/;

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && WORD.test(value) ? value : undefined;

const at = (error: unknown, key: 'name' | 'code' | 'cause'): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Partial<Record<typeof key, unknown>>)[key]
    : undefined;

const codeOf = (error: unknown): string => word(at(error, 'code')) ?? word(at(error, 'name')) ?? 'unknown';

/** The codes of up to four causes, outermost first. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (let cause = at(error, 'cause'); cause !== undefined && causes.length < 4; cause = at(cause, 'cause')) {
    causes.push(codeOf(cause));
  }
  return causes;
}

/** What a log line says of a fault: its code and those of its causes. Messages are left out: they may quote data. */
export const codesOf = (error: unknown): { readonly code: string; readonly causes: readonly string[] } => ({
  code: codeOf(error),
  causes: causesOf(error),
});
