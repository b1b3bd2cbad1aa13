import { createServer } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { createClose } from '../../authorizer/sockets/close.ts';
import type { Connection, Listed } from '../../authorizer/sockets/connection.ts';
import { createSockets } from '../../authorizer/sockets/sockets.ts';
import { createWebSocketGateway } from '../../local/gateway/websocket.ts';
import { createRequestHandler } from '../../table/dynamodb/request-handler.ts';
import { openSocket } from '../local/smoke/socket.ts';
import { deferred, policy } from '../local/support.ts';
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
const closeAt = (url: string) =>
  createClose({
    url,
    region: 'eu-central-1',
    requestHandler: createRequestHandler({ requestTimeoutMs: 1_000 }),
  });

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
  await expect(
    createClose({
      url: silent,
      region: 'eu-central-1',
      requestHandler: createRequestHandler({ requestTimeoutMs: 20 }),
    })(ANN),
  ).rejects.toMatchObject({ retryable: true });
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

test('a right that is taken while its connection opens: closed as soon as it is open', async () => {
  const list = new Map<string, Listed>();
  let isAllowed = true;
  const listed = deferred();
  const mayAnswer = deferred();
  const server = createServer();
  const url = await listen(server);
  const sockets = createSockets({
    connections: {
      add: async (connection, openedAt) => void list.set(connection.id, { ...connection, openedAt }),
      remove: async ({ id }) => void list.delete(id),
      find: async function* () {
        yield [...list.values()];
      },
    },
    engine: {
      checkAsked: async () => ({ decision: { allowed: isAllowed, reason: 'role' } }) as never,
    },
    close: closeAt(`${url}/ws`),
    now: Date.now,
    wait: async () => {},
    log: { error: () => {}, warn: () => {} },
  });
  const { id: _, api: __, stage: ___, ...context } = ANN;
  const gateway = createWebSocketGateway({
    apis: [
      {
        name: 'ws',
        kind: 'websocket',
        basePath: '/ws',
        stage: 'live',
        apiId: 'abc123',
        accountId: '123456789012',
        region: 'eu-central-1',
        authorizer: {
          kind: 'REQUEST',
          identitySources: [],
          invoke: async () => policy('Allow', '*', { context }),
        },
        routes: [
          {
            key: '$connect',
            integration: async (event) => {
              const answer = await sockets(event);

              listed.resolve();
              await mayAnswer.promise;
              return { statusCode: 'statusCode' in answer ? answer.statusCode : 500 };
            },
          },
        ],
      },
    ],
    clock: Date.now,
  });
  server.on('request', (incoming, outgoing) => void gateway.manage(incoming, outgoing));
  server.on('upgrade', gateway.upgrade);
  const change = {
    Records: [{ dynamodb: { SequenceNumber: '1', Keys: { PK: { S: 'USER#ann' }, SK: { S: 'DECISION' } } } }],
  };
  try {
    const opening = openSocket(`${url.replace('http', 'ws')}/ws`, 't');
    await listed.promise;
    isAllowed = false;
    expect(await sockets(change)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    mayAnswer.resolve();
    const socket = await opening;
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    expect(await sockets(change)).toEqual({ batchItemFailures: [] });
    expect(await socket.ended()).toBe(1000);
    expect(list.size).toBe(0);
  } finally {
    gateway.stop();
    server.close();
  }
});
