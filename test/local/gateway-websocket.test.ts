import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { IntegrationResponse, WebSocketApi } from '../../local/gateway/api.ts';
import type { GatewayLogEntry } from '../../local/gateway/gateway.ts';
import {
  createWebSocketGateway,
  MAX_CONNECTION_MS,
  MAX_MESSAGE_BYTES,
} from '../../local/gateway/websocket.ts';
import type { WebSocketEvent } from '../../local/gateway/websocket-events.ts';
import { listen } from '../../local/server.ts';
import { createDeferred } from '../support/deferred.ts';
import { openSocket } from './smoke/socket.ts';
import { frozenClock, policy } from './support.ts';

const ARN = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/prod/$connect';
const ALLOW = policy('Allow', ARN, { context: { tenant: 'T1', level: 7, admin: true } });

const echo = async (event: WebSocketEvent): Promise<IntegrationResponse> => ({
  statusCode: 200,
  body: JSON.stringify(event),
});

const fails = (message: string) => async () => {
  throw new Error(message);
};

type Changes = Partial<Omit<WebSocketApi, 'authorizer'>> & {
  authorizer?: Partial<WebSocketApi['authorizer']>;
};

function webSocketApi(changes: Changes = {}): WebSocketApi {
  return {
    name: 'sockets',
    kind: 'websocket',
    basePath: '/ws',
    stage: 'prod',
    apiId: 'abc123',
    accountId: '123456789012',
    region: 'eu-central-1',
    routes: [
      { key: '$default', integration: echo },
      { key: 'send', integration: echo },
    ],
    ...changes,
    authorizer: {
      kind: 'REQUEST',
      invoke: async () => ALLOW,
      identitySources: ['route.request.header.Authorization', 'route.request.querystring.at'],
      ...changes.authorizer,
    },
  };
}

/** Serves one API on a free port until the end of the test. */
async function serve(changes: Changes = {}) {
  const entries: GatewayLogEntry[] = [];
  const gateway = createWebSocketGateway({
    apis: [webSocketApi(changes)],
    clock: frozenClock().now,
    log: (entry) => entries.push(entry),
  });
  const server = await listen(0, 'PORT');
  const stop = async () => {
    gateway.stop();
    await server.stop();
  };
  onTestFinished(stop);
  server.serve((request, response) => {
    if (!gateway.manage(request, response)) response.writeHead(418).end();
  }, gateway.upgrade);
  const origin = `http://127.0.0.1:${server.port}`;
  return { entries, origin, stop, url: `${origin.replace('http', 'ws')}/ws?at=L1`, port: server.port };
}

/** A client that is a bare socket and answers nothing. */
const HANDSHAKE = [
  'GET /ws?at=L1 HTTP/1.1',
  ...['Host: x', 'Authorization: Bearer t', 'Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
].join('\r\n');

/** A connection that must be accepted. */
async function opened(url: string) {
  const socket = await openSocket(url, 't');
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
}

const context = {
  routeKey: '$connect',
  eventType: 'CONNECT',
  extendedRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  requestTime: '12/Mar/2026:19:03:58 +0000',
  messageDirection: 'IN',
  stage: 'prod',
  connectedAt: Date.UTC(2026, 2, 12, 19, 3, 58),
  requestTimeEpoch: Date.UTC(2026, 2, 12, 19, 3, 58),
  identity: { sourceIp: '127.0.0.1', userAgent: null },
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  domainName: 'abc123.execute-api.eu-central-1.amazonaws.com',
  connectionId: expect.stringMatching(/^[\w-]{16}$/),
  apiId: 'abc123',
};
const authorizer = { principalId: 'user-1', tenant: 'T1', level: '7', admin: 'true' };

describe('$connect', () => {
  test('gives the authorizer the documented event', async () => {
    const invoke = vi.fn(async (_event: unknown) => ALLOW);
    const { url } = await serve({ authorizer: { invoke }, stageVariables: { colour: 'blue' } });
    await opened(`${url}&at=L2&x=a%20b`);
    expect(invoke).toHaveBeenCalledExactlyOnceWith({
      type: 'REQUEST',
      methodArn: ARN,
      headers: expect.objectContaining({ authorization: 'Bearer t', Upgrade: 'websocket' }),
      multiValueHeaders: expect.objectContaining({ authorization: ['Bearer t'], Upgrade: ['websocket'] }),
      queryStringParameters: { at: 'L2', x: 'a b' },
      multiValueQueryStringParameters: { at: ['L1', 'L2'], x: ['a b'] },
      stageVariables: { colour: 'blue' },
      requestContext: context,
    });
  });

  test.each([
    ['no header', 'ws?at=L1', undefined],
    ['no parameter', 'ws', 't'],
    ['an empty parameter', 'ws?at=', 't'],
    ['a parameter of another case', 'ws?At=L1', 't'],
  ])('is a 401 without a call, with %s', async (_, target, token) => {
    const invoke = vi.fn(async () => ALLOW);
    const { origin } = await serve({ authorizer: { invoke } });
    expect(await openSocket(`${origin.replace('http', 'ws')}/${target}`, token)).toBe(401);
    expect(invoke).not.toHaveBeenCalled();
  });

  test.each<[string, WebSocketApi['authorizer']['invoke'], number]>([
    ['a Deny', async () => policy('Deny', ARN), 403],
    ['an Allow of something else', async () => policy('Allow', ARN.replace('prod', 'test')), 403],
    ['an Allow of a verb', async () => policy('Allow', ARN.replace('$connect', 'GET/*')), 403],
    ['Unauthorized', fails('Unauthorized'), 401],
    ['any other error', fails('no table'), 500],
    ['no answer in time', () => new Promise(() => undefined), 500],
    ['a simple answer', async () => ({ isAuthorized: true }), 500],
    ['no principal', async () => ({ ...ALLOW, principalId: undefined }), 500],
    ['a context with a list', async () => policy('Allow', ARN, { context: { roles: ['a'] } }), 500],
    ['more than 8 KB', async () => policy('Allow', ARN, { context: { roles: 'a'.repeat(8_192) } }), 500],
  ])('is refused after %s', async (_, invoke, status) => {
    const { entries, url } = await serve({ authorizer: { invoke, timeoutMs: 200 } });
    expect(await openSocket(url, 't')).toBe(status);
    expect(entries).toMatchObject([{ method: 'CONNECT', status, routeKey: '$connect' }]);
    expect(JSON.stringify(entries)).not.toMatch(/Bearer|L1/);
  });

  test('is refused by an answer or a fault of its own route', async () => {
    const route = (integration: WebSocketApi['routes'][number]['integration']) => ({
      routes: [{ key: '$connect', integration }],
    });
    const full = await serve(route(async () => ({ statusCode: 429 })));
    expect(await openSocket(full.url, 't')).toBe(429);
    const broken = await serve(route(fails('no table')));
    expect(await openSocket(broken.url, 't')).toBe(502);
  });

  test("gives its own route the request and the authorizer's context", async () => {
    const integration = vi.fn(async (_event: unknown) => ({ statusCode: 200 }));
    const { url } = await serve({ routes: [{ key: '$connect', integration }] });
    await opened(url);
    expect(integration).toHaveBeenCalledExactlyOnceWith({
      headers: expect.objectContaining({ authorization: 'Bearer t' }),
      multiValueHeaders: expect.any(Object),
      queryStringParameters: { at: 'L1' },
      multiValueQueryStringParameters: { at: ['L1'] },
      requestContext: { ...context, authorizer },
      isBase64Encoded: false,
    });
  });

  test('is a 404 elsewhere, and a 431 with headers that are too large', async () => {
    const { origin, url } = await serve();
    const at = (path: string) => openSocket(`${origin.replace('http', 'ws')}${path}`, 't');
    expect([await at('/'), await at('/wss?at=L1'), await at('/ws/x?at=L1')]).toEqual([404, 404, 404]);
    expect(typeof (await at('/ws/?at=L1'))).toBe('object');
    expect(await openSocket(url, 't'.repeat(10_240))).toBe(431);
  });

  test('survives a client that disconnects while the authorizer runs', async () => {
    const asked = createDeferred();
    const answer = createDeferred<typeof ALLOW>();
    const invoke = () => {
      asked.resolve();
      return answer.promise;
    };
    const { port, url } = await serve({ authorizer: { invoke } });
    const gone = connectTo(port, '127.0.0.1');
    gone.write(HANDSHAKE);
    await asked.promise;
    gone.resetAndDestroy();
    answer.resolve(ALLOW);
    expect(typeof (await openSocket(url, 't'))).toBe('object');
  });
});

describe('a message', () => {
  test('is routed by its action, with the context of the connection', async () => {
    const invoke = vi.fn(async () => ALLOW);
    const { url } = await serve({ authorizer: { invoke } });
    const socket = await opened(url);
    const body = '{"action":"send","to":"all"}';
    expect(await socket.ask(body)).toEqual({
      requestContext: {
        ...context,
        routeKey: 'send',
        eventType: 'MESSAGE',
        messageId: context.requestId,
        authorizer,
      },
      body,
      isBase64Encoded: false,
    });
    expect(invoke).toHaveBeenCalledOnce();
  });

  test.each([
    ...['', 'x', '[]', 'null', '{}', '{"action":7}', '{"action":"other"}', '{"action":"__proto__"}'],
    ...['{"action":"$connect"}', '{"action":"$disconnect"}'],
  ])('goes to $default when it is %j', async (body) => {
    const own = ['$connect', '$disconnect'].map((key) => ({
      key,
      integration: async () => ({ statusCode: 200, body: '"not for messages"' }),
    }));
    const { url } = await serve({ routes: [...own, { key: '$default', integration: echo }] });
    const answer = (await (await opened(url)).ask(body)) as unknown as WebSocketEvent;
    expect(answer.requestContext).toMatchObject({ routeKey: '$default', authorizer });
    expect(answer.body ?? '').toBe(body);
  });

  test('that is binary is base64', async () => {
    const { url } = await serve();
    const socket = new WebSocket(url, { headers: { authorization: 'Bearer t' } });
    await once(socket, 'open');
    socket.send(Buffer.from([255, 0, 1]));
    const [answer] = await once(socket, 'message');
    expect(JSON.parse(String(answer))).toMatchObject({
      body: '/wAB',
      isBase64Encoded: true,
      requestContext: { routeKey: '$default' },
    });
  });

  test('without a route or with a failing backend gets an error; the connection stays open', async () => {
    const { url } = await serve({ routes: [{ key: 'send', integration: fails('secret') }] });
    const socket = await opened(url);
    const ids = { connectionId: context.connectionId, requestId: context.requestId };
    expect(await socket.ask('hello')).toEqual({ message: 'Forbidden', ...ids });
    expect(await socket.ask({ action: 'send' })).toEqual({ message: 'Internal server error', ...ids });
    expect(await socket.ask('hello')).toEqual({ message: 'Forbidden', ...ids });
  });

  test(`of ${MAX_MESSAGE_BYTES} bytes passes, one byte more ends the connection`, async () => {
    const { url } = await serve();
    const socket = await opened(url);
    const answer = (await socket.ask('x'.repeat(MAX_MESSAGE_BYTES))) as unknown as WebSocketEvent;
    expect(answer.body).toHaveLength(MAX_MESSAGE_BYTES);
    void socket.ask('x'.repeat(MAX_MESSAGE_BYTES + 1)).catch(() => undefined);
    expect(await socket.ended()).toBe(1009);
  });
});

describe('the end of a connection', () => {
  test('calls $disconnect with the context', async () => {
    const received = createDeferred<unknown>();
    const integration = async (event: WebSocketEvent) => {
      received.resolve(event);
      return { statusCode: 200 };
    };
    const { url } = await serve({ routes: [{ key: '$disconnect', integration }] });
    const socket = new WebSocket(url, { headers: { authorization: 'Bearer t' } });
    await once(socket, 'open');
    socket.close(4_000, 'done');
    expect(await received.promise).toEqual({
      requestContext: {
        ...context,
        routeKey: '$disconnect',
        eventType: 'DISCONNECT',
        disconnectStatusCode: 4_000,
        disconnectReason: 'done',
        authorizer,
      },
      isBase64Encoded: false,
    });
  });

  test('comes when the server stops, without waiting for clients', async () => {
    const { stop, url } = await serve();
    const socket = await opened(url);
    await stop();
    expect(await socket.ended()).toBe(1001);
  });

  test.each(['open', 'asked about'])(
    'comes for one that is %s, though its client does nothing',
    async (state) => {
      const asked = createDeferred();
      const invoke = (): Promise<unknown> => {
        asked.resolve();
        return state === 'open' ? Promise.resolve(ALLOW) : new Promise(() => undefined);
      };
      const { port, stop } = await serve({ authorizer: { invoke } });
      const silent = connectTo({ port, host: '127.0.0.1', allowHalfOpen: true });
      onTestFinished(() => void silent.destroy());
      silent.write(HANDSHAKE);
      await (state === 'open' ? once(silent, 'data') : asked.promise);
      await stop();
    },
  );

  test('comes after two hours', async () => {
    const { url } = await serve();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const socket = await opened(url);
    const [end] = timers.mock.calls.find(([, ms]) => ms === MAX_CONNECTION_MS) ?? [];
    end?.();
    expect(await socket.ended()).toBe(1001);
  });
});

describe('@connections', () => {
  test('sends to a connection and closes it; then it is gone', async () => {
    const { origin, url } = await serve();
    const socket = new WebSocket(url, { headers: { authorization: 'Bearer t' } });
    await once(socket, 'open');
    socket.send('who am I');
    const [answer] = await once(socket, 'message');
    const { connectionId } = JSON.parse(String(answer)).requestContext;
    const connection = `${origin}/ws/@connections/${connectionId}`;
    const [sent, [pushed]] = await Promise.all([
      fetch(connection, { method: 'POST', body: 'news' }),
      once(socket, 'message'),
    ]);
    expect([sent.status, String(pushed)]).toEqual([200, 'news']);
    expect((await fetch(connection, { method: 'PUT' })).status).toBe(403);
    const [ended, [code]] = await Promise.all([
      fetch(connection, { method: 'DELETE' }),
      once(socket, 'close'),
    ]);
    expect([ended.status, code]).toEqual([204, 1_000]);
    expect((await fetch(connection, { method: 'POST', body: 'news' })).status).toBe(410);
    expect((await fetch(connection, { method: 'DELETE' })).status).toBe(410);
  });

  test('is of WebSocket APIs alone', async () => {
    const { origin } = await serve();
    expect((await fetch(`${origin}/other/@connections/x`)).status).toBe(418);
    expect((await fetch(`${origin}/ws/@connections/x/y`)).status).toBe(418);
    expect((await fetch(`${origin}/ws?at=L1`)).status).toBe(418);
  });
});

describe('a WebSocket API that API Gateway would not create is refused at start:', () => {
  const source = (expression: string): Changes => ({ authorizer: { identitySources: [expression] } });
  const keys = (...all: string[]): Changes => ({ routes: all.map((key) => ({ key, integration: echo })) });
  test.each<[string, Changes, string]>([
    ['an expression of REST', source('method.request.header.A'), 'method.request.header.A'],
    ['an expression of HTTP APIs', source('$request.header.A'), '$request.header.A'],
    ['a verb as identity source', source('context.httpMethod'), 'context.httpMethod'],
    ['a path as identity source', source('context.path'), 'context.path'],
    ['an unknown route of its own', keys('$open'), '$open'],
    ['a route without a name', keys(''), 'route ""'],
    ['one route twice', keys('a', 'a'), 'is declared twice'],
    ['no base path', { basePath: '' }, 'basePath ""'],
  ])('%s', (_, changes, problem) => {
    const create = () => createWebSocketGateway({ apis: [webSocketApi(changes)], clock: Date.now });
    expect(create).toThrow(problem);
    expect(create).toThrow('API "sockets": ');
  });

  test('two of them with the same base path', () => {
    const apis = [webSocketApi(), webSocketApi()];
    expect(() => createWebSocketGateway({ apis, clock: Date.now })).toThrow('the same base path');
  });
});
