import { defined } from '../table/defined.ts';
import { type ErrorCode, GatehouseError } from '../table/errors.ts';
import { ApprovalRequired } from './operators/approval.ts';
import type { Progress } from './plan.ts';

/** What the provisioning Lambda answers: a value in either case, so that callers need not parse faults. */
export interface Success {
  readonly ok: true;
  readonly result: Readonly<Record<string, unknown>>;
  /**
   * Freshness token, of the time of this answer: a check `at least as fresh as` it sees the write. There where
   * something was written, now or when the operation was sent before; not for reads and dry runs.
   */
  readonly token?: string;
  /** Of a dry run: nothing was written, and the result is what it would be. */
  readonly dryRun?: true;
}

export interface Failure {
  readonly ok: false;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly field?: string;
    /** Who holds the value, on a conflict over one. */
    readonly holder?: string;
    /** Of `apply_running`: until when the other apply holds the tenant, unless it goes on. ISO 8601. */
    readonly until?: string;
    readonly retryable: boolean;
    /** The id of the request that waits for approval. */
    readonly approval?: string;
    /** Of a command that does many changes and ended before the last one. */
    readonly progress?: Progress;
  };
}

export type Answer = Success | Failure;

/** An error after some of the changes of a command were done. */
export class PartlyDone extends Error {
  readonly progress: Progress;
  constructor(cause: unknown, progress: Progress) {
    super('some of it is done', { cause });
    this.progress = progress;
  }
}

/**
 * The answer to an error. What is not ours is reported as `internal`, without its message.
 *
 * @param seesHolders whether the caller may know who holds a value
 */
export function toFailure(thrown: unknown, seesHolders = true): Failure {
  const [error, progress] = thrown instanceof PartlyDone ? [thrown.cause, thrown.progress] : [thrown];
  const known =
    error instanceof GatehouseError ? error : new GatehouseError('internal', 'the command failed');
  return {
    ok: false,
    error: {
      code: known.code,
      message: known.message,
      ...defined({ field: known.field }),
      ...(known.holder === undefined || !seesHolders ? {} : { holder: known.holder }),
      ...defined({ until: known.until }),
      retryable: known.retryable,
      ...(known instanceof ApprovalRequired ? { approval: known.approval } : {}),
      ...defined({ progress }),
    },
  };
}
