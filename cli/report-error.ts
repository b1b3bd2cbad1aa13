import type { Candidate } from '../provisioning/names/find.ts';
import { GatehouseError } from '../table/errors.ts';
import { ProblemsError } from '../testing/document.ts';
import { ConnectionError } from './connection.ts';
import { NothingDoneError, UsageError } from './context.ts';
import { RefusedError } from './provisioning.ts';
import { NameError } from './references.ts';
import { NO_CREDENTIALS, type SdkFault, sdkFaultOf } from './sdk-faults.ts';
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

/** Work that ended early and is run again; what it did is in its data, for `--json`. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError';
  readonly data: Readonly<Record<string, unknown>>;
  constructor(message: string, data: Readonly<Record<string, unknown>>) {
    super(message);
    this.data = data;
  }
}

/** What to do about faults that arise during the work, of which only the SDK's name is known. */
const ADVICE: Partial<Record<SdkFault, string>> = {
  missing: 'the table does not exist: check --table, --endpoint and --region',
  no_credentials: NO_CREDENTIALS,
  forbidden: 'these AWS credentials are not allowed to do this on the table',
};
const NO_ANSWER = /did not get an answer in time$/;

/** The message of an error with what to do about it, if that is known. */
export function withAdvice(message: string, cause?: Error): string {
  const names = [message, cause?.name ?? '', cause?.message ?? ''].map(
    (text) => /\w*$/.exec(text)?.[0] ?? '',
  );
  const [advice] = names.flatMap((name) => ADVICE[sdkFaultOf({ name })] ?? []);
  const found =
    advice ?? (NO_ANSWER.test(message) ? 'check --endpoint, --region and the network' : undefined);
  return found === undefined ? message : `${message}: ${found}`;
}

function again(text: string, repeats: boolean, operationId: string | undefined): string {
  const option = repeats && operationId !== undefined ? ` with --operation ${operationId}` : '';
  return `${text}; run it again${option}: nothing is done twice`;
}

/**
 * The one place that turns an error into words.
 *
 * @param repeats whether the subcommand has `--operation`
 */
export function reportedOf(error: unknown, repeats: boolean): ReportedError {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof NameError) {
    const { code, candidates } = error;
    return { code, message: text, retryable: false, ...(candidates.length > 0 ? { candidates } : {}) };
  }
  if (error instanceof UsageError) return { code: 'usage', message: text, retryable: false };
  if (error instanceof NothingDoneError) return { code: error.code, message: text, retryable: false };
  if (error instanceof ConnectionError) return { code: 'connection', message: text, retryable: false };
  if (error instanceof ProblemsError)
    return { code: 'file', message: text, problems: error.lines, retryable: false };
  if (error instanceof TransportError) {
    const { retryable, operationId } = error;
    return {
      code: 'no_answer',
      message: retryable ? again(text, repeats, operationId) : text,
      retryable,
      ...(operationId === undefined ? {} : { operationId }),
    };
  }
  if (error instanceof InterruptedError) {
    const { operationId } = error;
    const message = error.hasWritten ? again(text, repeats, operationId) : text;
    return {
      code: 'incomplete',
      message,
      retryable: true,
      ...(operationId === undefined ? {} : { operationId }),
    };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const message = withAdvice(text, cause);
  if (error instanceof IncompleteError) return { code: 'incomplete', message, retryable: true };
  if (error instanceof RefusedError || error instanceof GatehouseError) {
    const { code, field, retryable } = error;
    return { code, message, retryable, ...(field === undefined ? {} : { field }) };
  }
  return { code: 'internal', message, retryable: false };
}
