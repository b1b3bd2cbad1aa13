import { type CredentialsError, Fault } from './errors.ts';

/**
 * Log lines: one JSON object each. They hold codes and fixed texts, and nothing of the request but its id:
 * an error that we did not write may quote what it choked on, so of it only name and code are taken.
 */
const WORD = /^[\w.-]{1,64}$/;

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && WORD.test(value) ? value : undefined;

const at = (error: unknown, key: 'name' | 'code' | 'message' | 'cause'): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Partial<Record<typeof key, unknown>>)[key]
    : undefined;

const codeOf = (error: unknown): string => word(at(error, 'code')) ?? word(at(error, 'name')) ?? 'unknown';

/** Ours by class or, for what comes from below the engine, by name: their messages quote no values. */
const isOurs = (error: unknown): boolean => error instanceof Fault || at(error, 'name') === 'GatehouseError';

/** Codes of what lies beneath, outermost first. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (let cause = at(error, 'cause'); cause !== undefined && causes.length < 4; cause = at(cause, 'cause')) {
    causes.push(codeOf(cause));
  }
  return causes;
}

/** The line for a request that ends in 500, or for a refresh that failed. */
export function faultLine(error: unknown, requestId: string | undefined): string {
  const reason = isOurs(error) ? at(error, 'message') : 'unexpected error';
  return JSON.stringify({ level: 'error', code: codeOf(error), reason, causes: causesOf(error), requestId });
}

/**
 * The line for a request that ends in 401. Lambda counts a thrown 'Unauthorized' as an error of the function:
 * these lines tell the caller's faults from ours.
 */
export const refusedLine = (error: CredentialsError, requestId: string | undefined): string =>
  JSON.stringify({ level: 'info', code: error.code, reason: 'credentials refused', requestId });
