import type { Context } from 'aws-lambda';
import { withTimeout } from '../gateway/http.ts';
import { LATEST } from './function-name.ts';

/** The context that the Node.js runtime passes with the event (Lambda nodejs-context). */
export type LambdaContext = Omit<Context, 'done' | 'fail' | 'succeed'>;

export type LambdaFunction = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** The answer of a failed invocation (Lambda nodejs-exceptions). */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

export type InvocationOutcome =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: FunctionError };

export interface Invocation {
  readonly name: string;
  readonly arn: string;
  readonly requestId: string;
  readonly event: unknown;
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

const MEMORY_MB = 1_024;

function createContext({ name, arn, requestId, timeoutMs, clock }: Invocation): LambdaContext {
  const startedAt = clock();
  return {
    functionName: name,
    functionVersion: LATEST,
    invokedFunctionArn: arn,
    memoryLimitInMB: String(MEMORY_MB),
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: `${new Date(startedAt).toISOString().slice(0, 10).replaceAll('-', '/')}/[${LATEST}]local`,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, startedAt + timeoutMs - clock()),
  };
}

function describe(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error))
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? '').split('\n') };
}

/**
 * Runs a function once. An exception, a time-out and an answer that is not JSON are outcomes, not errors: the
 * Invoke API reports them with status 200.
 */
export async function invokeFunction(
  run: LambdaFunction,
  invocation: Invocation,
): Promise<InvocationOutcome> {
  const { event, timeoutMs } = invocation;
  try {
    // In an async function, to catch also a synchronous exception.
    const work = (async () => run(event, createContext(invocation)))();
    const answer = await withTimeout(
      work,
      timeoutMs,
      `Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`,
    );
    return { ok: true, payload: JSON.stringify(answer) ?? 'null' };
  } catch (thrown) {
    return { ok: false, error: describe(thrown) };
  }
}
