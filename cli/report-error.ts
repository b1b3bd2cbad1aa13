import type { Candidate } from '../provisioning/index.ts';
import { defined } from '../table/defined.ts';
import { GatehouseError } from '../table/errors.ts';
import { ProblemsError } from '../testing/document.ts';
import { ConnectionError } from './connection.ts';
import { IncompleteError, NothingDoneError, UsageError } from './context.ts';
import { withAdvice } from './faults.ts';
import { RefusedError } from './provisioning.ts';
import { TransportError } from './transport.ts';
import { InterruptedError } from './written.ts';

/** What the command line says of an error: a message for people, all of it for programs. */
export interface ReportedError {
  /**
   * `usage`, `name_unknown`, `name_ambiguous`, `file`, `not_agreed`, `out_of_date`, `exists`, `connection`,
   * `no_answer`, `incomplete`, `internal`, or the code of provisioning.
   */
  readonly code: string;
  readonly message: string;
  /** Of a file: each with its place. */
  readonly problems?: readonly string[];
  readonly field?: string;
  /** Of a name that nothing has, or several have: what it may mean. */
  readonly candidates?: readonly Candidate[];
  readonly retryable: boolean;
  /** Under which a command without an answer can be repeated. */
  readonly operationId?: string;
}

/** The errors that say what they are. */
const KNOWN = [
  UsageError,
  NothingDoneError,
  ConnectionError,
  TransportError,
  InterruptedError,
  IncompleteError,
  RefusedError,
  GatehouseError,
];

/** Those whose message says what to do. */
const PLAIN = [UsageError, NothingDoneError, ConnectionError, ProblemsError];

const isOneOf = (error: unknown, classes: readonly (abstract new (...args: never) => Error)[]): boolean =>
  classes.some((each) => error instanceof each);

/**
 * The one place that turns an error into words.
 *
 * @param repeats whether the subcommand has `--operation`
 */
export function reportedOf(error: unknown, repeats: boolean): ReportedError {
  const known: Partial<ReportedError> = isOneOf(error, KNOWN) ? (error as Partial<ReportedError>) : {};
  const { code = 'internal', retryable = false, field, candidates = [], operationId } = known;
  const isFile = error instanceof ProblemsError;
  return {
    code: isFile ? 'file' : code,
    message: messageOf(error, repeats),
    ...(isFile ? { problems: error.lines } : {}),
    retryable,
    ...defined({ field, operationId, candidates: candidates.length > 0 ? candidates : undefined }),
  };
}

function messageOf(error: unknown, repeats: boolean): string {
  if (!(error instanceof Error)) return withAdvice(String(error));
  const { message, cause } = error;
  if (isOneOf(error, PLAIN)) return message;
  if (error instanceof TransportError || error instanceof InterruptedError) {
    const isAgain = error instanceof TransportError ? error.retryable : error.hasWritten;
    if (!isAgain) return message;
    const option = repeats && error.operationId !== undefined ? ` with --operation ${error.operationId}` : '';
    return `${message}; run it again${option}: nothing is done twice`;
  }
  return withAdvice(message, cause instanceof Error ? cause : undefined);
}
