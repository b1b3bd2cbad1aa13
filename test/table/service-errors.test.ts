import { expect, test } from 'vitest';
import { toTableError } from '../../table/dynamodb/service-errors.ts';
import { GatehouseError } from '../../table/errors.ts';

const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });

/** What DynamoDB, its SDK and the network say, and what we make of it. */
test.each<readonly [name: string, more: Record<string, unknown>, code: string, retryable: boolean]>([
  ['ProvisionedThroughputExceededException', status(400), 'throttled', true],
  ['ThrottlingException', status(400), 'throttled', true],
  ['ThrottlingException', status(503), 'throttled', true],
  ['RequestLimitExceeded', status(400), 'throttled', true],
  ['AbortError', {}, 'transient', true],
  ['TimeoutError', {}, 'transient', true],
  ['RequestTimeout', {}, 'transient', true],
  ['InternalServerError', status(500), 'transient', true],
  ['ServiceUnavailable', status(503), 'transient', true],
  ['TransactionInProgressException', status(400), 'transient', true],
  ['TransactionConflictException', status(400), 'contended', true],
  ['ReplicatedWriteConflictException', status(400), 'contended', true],
  ['Error', { code: 'ECONNRESET' }, 'transient', true],
  ['Error', { code: 'ECONNREFUSED' }, 'transient', true],
  ['AggregateError', { code: 'ECONNREFUSED' }, 'transient', true],
  ['Error', { code: 'ECONNABORTED' }, 'transient', true],
  ['Error', { code: 'EPIPE' }, 'transient', true],
  ['Error', { code: 'ETIMEDOUT' }, 'transient', true],
  ['Error', { code: 'EHOSTUNREACH' }, 'transient', true],
  ['Error', { code: 'ENETUNREACH' }, 'transient', true],
  ['Error', { code: 'ENOTFOUND' }, 'transient', true],
  ['Error', { code: 'EAI_AGAIN' }, 'transient', true],
  ['UnknownError', status(502), 'transient', true],
  ['SyntaxError', status(504), 'transient', true],
  ['UnknownError', status(404), 'internal', false],
  ['ValidationException', status(400), 'internal', false],
  ['ResourceNotFoundException', status(400), 'internal', false],
  ['AccessDeniedException', status(400), 'internal', false],
  ['ExpiredTokenException', status(400), 'internal', false],
  ['CredentialsProviderError', {}, 'internal', false],
  ['TypeError', {}, 'internal', false],
])('%s %j is %s', (name, more, code, retryable) => {
  const error = Object.assign(new Error('value ann@example.com is too long'), { name, ...more });
  const ours = toTableError(error, 'GetItem');
  expect(ours).toBeInstanceOf(GatehouseError);
  expect(ours).toMatchObject({ code, retryable });
  expect(ours.cause).toBe(error);
  expect(ours.message).toContain('GetItem');
  expect(ours.message).not.toContain('ann@example.com');
});

test.each([['a text'], [undefined], [null], [{}], [{ $metadata: undefined }], [7]])(
  '%o, thrown by something broken, is a fault of ours',
  (thrown) => {
    const ours = toTableError(thrown, 'GetItem');
    expect(ours).toMatchObject({ code: 'internal', retryable: false });
    expect(ours.cause).toBe(thrown);
  },
);

test('a throughput that is exceeded is no limit on size', () => {
  const message = 'The level of configured provisioned throughput for the table was exceeded';
  const error = Object.assign(new Error(message), { name: 'ProvisionedThroughputExceededException' });
  expect(toTableError(error, 'GetItem').code).toBe('throttled');
});

test('an error of ours stays as it is', () => {
  const ours = new GatehouseError('damaged_item', 'x');
  expect(toTableError(ours, 'GetItem')).toBe(ours);
});
