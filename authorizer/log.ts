import { faultLine as lineOf } from '../table/errors.ts';
import { type CredentialsError, Fault } from './errors.ts';

/**
 * Log lines are JSON objects with codes and fixed texts; of the request they contain only its id. A message
 * of a foreign error may quote the request, so only its name and code are logged.
 */

/** Our own errors, whose messages quote no values: by class or, for the engine and the table, by name. */
const isOurs = (error: unknown): error is Error =>
  error instanceof Fault || (error instanceof Error && error.name === 'GatehouseError');

/** The line for a request that ends in 500, or for a failed refresh of keys. */
export const faultLine = (error: unknown, requestId: string | undefined): string =>
  lineOf(error, { reason: isOurs(error) ? error.message : 'unexpected error', requestId });

/**
 * The line for a request that ends in 401. Lambda counts a thrown 'Unauthorized' as a function error; these
 * lines distinguish refused callers from faults.
 */
export const refusedLine = (error: CredentialsError, requestId: string | undefined): string =>
  JSON.stringify({ level: 'info', code: error.code, reason: 'credentials refused', requestId });
