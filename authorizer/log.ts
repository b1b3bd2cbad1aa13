import { type CredentialsError, Fault } from './errors.ts';

/**
 * Log lines are JSON objects with codes and fixed texts; of the request they contain only its id. A message
 * of a foreign error may quote the request, so only its name and code are logged.
 */
const WORD = /^[\w.-]{1,64}$/;

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && WORD.test(value) ? value : undefined;

const at = (error: unknown, key: 'name' | 'code' | 'message' | 'cause'): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Partial<Record<typeof key, unknown>>)[key]
    : undefined;

const codeOf = (error: unknown): string => word(at(error, 'code')) ?? word(at(error, 'name')) ?? 'unknown';

/** Our own errors, whose messages quote no values: by class or, for the engine and the table, by name. */
const isOurs = (error: unknown): boolean => error instanceof Fault || at(error, 'name') === 'GatehouseError';

/** The codes of up to four causes, outermost first. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (let cause = at(error, 'cause'); cause !== undefined && causes.length < 4; cause = at(cause, 'cause')) {
    causes.push(codeOf(cause));
  }
  return causes;
}

/** The line for a request that ends in 500, or for a failed refresh of keys. */
export function faultLine(error: unknown, requestId: string | undefined): string {
  const reason = isOurs(error) ? at(error, 'message') : 'unexpected error';
  return JSON.stringify({ level: 'error', code: codeOf(error), reason, causes: causesOf(error), requestId });
}

/**
 * The line for a request that ends in 401. Lambda counts a thrown 'Unauthorized' as a function error; these
 * lines distinguish refused callers from faults.
 */
export const refusedLine = (error: CredentialsError, requestId: string | undefined): string =>
  JSON.stringify({ level: 'info', code: error.code, reason: 'credentials refused', requestId });
