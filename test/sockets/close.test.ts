import { afterEach, expect, test, vi } from 'vitest';
import { createClose } from '../../authorizer/sockets/close.ts';
import type { Connection } from '../../authorizer/sockets/connection.ts';
import { createRequestHandler } from '../../table/dynamodb/request-handler.ts';
import { listen } from '../support/listening.ts';

/** What the management API of a WebSocket API answers, and what it means for a connection. */
const ANN: Connection = {
  id: 'a1=',
  api: 'abc123',
  stage: 'live',
  credential: 'none',
  subject: 'user:ann',
  tenant: 'tenant:acme',
  scope: 'location:hall',
  permission: 'dashboard',
};
const closeAt = (url: string, requestTimeoutMs = 1_000) =>
  createClose({ url, region: 'eu-central-1', requestHandler: createRequestHandler({ requestTimeoutMs }) });

afterEach(() => vi.unstubAllEnvs());

test.each([
  [204, '', 'closed'],
  [410, 'GoneException', 'gone'],
  [410, '', 'gone'],
  [403, 'ForbiddenException', false],
  [403, '', false],
  [403, 'page', false],
  [400, 'BadRequestException', false],
  [404, '', false],
  [429, 'LimitExceededException', true],
  [429, 'TooManyRequestsException', true],
  [500, 'InternalServerError', true],
  [503, '', true],
  [502, 'page', true],
  [504, '', true],
] as const)('%d %s: %s', async (status, type, expected) => {
  const url = await listen((incoming, outgoing) => {
    expect([incoming.method, incoming.url]).toEqual(['DELETE', '/ws/@connections/a1%3D']);
    outgoing.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
    outgoing.end(
      status === 204 ? undefined : type === 'page' ? '<h1>no</h1>' : JSON.stringify({ message: 'no' }),
    );
  });
  const closing = closeAt(`${url}/ws`)(ANN);
  if (typeof expected === 'string') expect(await closing).toBe(expected);
  else await expect(closing).rejects.toMatchObject({ name: 'GatehouseError', retryable: expected });
});

test('no answer in time, and a connection that breaks: a retry may help', async () => {
  const silent = await listen(() => {});
  await expect(closeAt(silent, 20)(ANN)).rejects.toMatchObject({ retryable: true });
  const breaking = await listen((incoming) => incoming.socket.destroy());
  await expect(closeAt(breaking)(ANN)).rejects.toMatchObject({ retryable: true });
});

test('a host that is unknown: its API is gone', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'some');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'some');
  // A label of more than 63 characters: no resolver is asked.
  const close = closeAt(`http://${'a'.repeat(64)}.invalid`);
  await expect(close(ANN)).rejects.toMatchObject({ code: 'not_found', retryable: false });
});
