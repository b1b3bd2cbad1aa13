import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { GatehouseError } from '../errors.ts';

/**
 * Sorts what the SDK throws. The service's message is kept as
 * the cause and never repeated in ours: it may quote attribute values.
 */
const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'LimitExceededException',
]);
const CONTENDED = new Set(['TransactionConflictException', 'ReplicatedWriteConflictException']);
const TRANSIENT = new Set([
  'AbortError',
  'TimeoutError',
  'InternalServerError',
  'InternalServerErrorException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'NetworkingError',
]);
const TRANSIENT_CODES = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const text = (value: unknown, key: string): string => {
  const found =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof found === 'string' ? found : '';
};

/** A 5xx that no DynamoDB error came with: from a proxy or a load balancer in between. */
function isServerFault(error: unknown): boolean {
  const { httpStatusCode = 0 } =
    (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata ?? {};
  return httpStatusCode >= 500;
}

/** Why a transaction was cancelled: a reason for each of its items, in their order. Undefined for other errors. */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
  const { CancellationReasons: reasons } = (error ?? {}) as { CancellationReasons?: unknown };
  return Array.isArray(reasons) ? reasons : undefined;
}

/** Whether one of the reasons has one of these codes. */
export const hasCode = (reasons: readonly CancellationReason[] | undefined, ...codes: string[]): boolean =>
  reasons?.some(({ Code = '' }) => codes.includes(Code)) ?? false;

/** Codes of the reasons of a transaction that was throttled. */
export const THROTTLED_REASONS = ['ThrottlingError', 'ProvisionedThroughputExceeded'];

/**
 * How DynamoDB and its substitutes say that a limit on size is met. The error has no name of its own, AWS documents no
 * words, and they differ: "Item size has exceeded the maximum allowed size", "Payload in response is too large".
 */
const TOO_LARGE = /\b(?:too large|exceed(?:s|ed|ing)?)\b/i;

const meetsLimit = (error: unknown): boolean =>
  [error, ...(cancellationReasons(error) ?? [])].some(
    (each) => TOO_LARGE.test(text(each, 'message')) || TOO_LARGE.test(text(each, 'Message')),
  );

/** Turns any error of a DynamoDB call into ours; `operation` names the call, as `BatchGetItem`. */
export function toTableError(error: unknown, operation: string): GatehouseError {
  if (error instanceof GatehouseError) return error;
  const name = text(error, 'name');
  if (THROTTLED.has(name)) {
    return new GatehouseError('throttled', `${operation} was throttled`, { cause: error });
  }
  if (CONTENDED.has(name)) {
    return new GatehouseError('contended', `${operation} met other changes to the same items`, {
      cause: error,
    });
  }
  if (TRANSIENT.has(name) || TRANSIENT_CODES.has(text(error, 'code')) || isServerFault(error)) {
    return new GatehouseError('transient', `${operation} did not get an answer in time`, { cause: error });
  }
  if (meetsLimit(error)) {
    const message = `${operation} takes or answers more than DynamoDB does in one call`;
    return new GatehouseError('limit_exceeded', message, { cause: error });
  }
  // The name of most errors that are none of DynamoDB's is Error.
  const kind = name === 'Error' ? text(error, 'code') : name;
  return new GatehouseError('internal', `${operation} failed: ${kind || 'unknown error'}`, { cause: error });
}
