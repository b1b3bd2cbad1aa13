import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../local/gateway/gateway.ts';
import { createHttpIntegration } from '../../local/gateway/http-integration.ts';
import { listen } from '../support/listening.ts';
import { httpApiV2, request } from './support.ts';

/** A service behind the gateway, over HTTP. */
const CONTEXT = { subject: 'user:ann', tenant: 'tenant:acme', roles: 'staff', reason: 'role' };

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends one request through a gateway to a service, and says what the service got and what the client got. */
async function through(
  line: string,
  {
    headers = [] as readonly (readonly [string, string])[],
    body = '',
    context = CONTEXT as object | null,
    basePath = '',
    answer = (_, response) => response.end('done') as unknown,
    timeoutMs = 30_000,
  }: {
    headers?: readonly (readonly [string, string])[];
    body?: string;
    context?: object | null;
    basePath?: string;
    answer?: (...given: Parameters<RequestListener>) => unknown;
    timeoutMs?: number;
  } = {},
) {
  const received: Received[] = [];
  const url = await listen((incoming, outgoing) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    incoming.once('end', () => {
      const { method = '', url = '', headers } = incoming;
      received.push({ method, url, headers, body: text });
      answer(incoming, outgoing);
    });
  });
  const integration = createHttpIntegration(new URL(`${url}${basePath}`), timeoutMs);
  const gateway = createGateway({
    apis: [
      httpApiV2({
        routes: [{ key: '$default', integration }],
        authorizer: { invoke: async () => ({ isAuthorized: true, ...(context ? { context } : {}) }) },
      }),
    ],
    clock: Date.now,
  });
  const answered = await gateway(request(line, [['Authorization', 'Bearer t'], ...headers], body));
  return { received, answered, url };
}

describe('the service gets', () => {
  test('verb, path, query and body as they were received', async () => {
    const { received } = await through('PUT /a%2Fb/./c/../d?x=1&x=2&y=%20', { body: '{"a":"ä"}' });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: 'PUT',
      url: '/a%2Fb/./c/../d?x=1&x=2&y=%20',
      body: '{"a":"ä"}',
    });
    expect(received[0]?.headers['content-length']).toBe('10');
  });

  test('its own path before that of the request', async () => {
    const { received } = await through('GET /pets', { basePath: '/v1/' });
    expect(received[0]?.url).toBe('/v1/pets');
  });

  test("headers of the client, and the authorizer's context as headers", async () => {
    const { received, url } = await through('GET /', {
      headers: [
        ['X-Own', 'yes'],
        ['Cookie', 'a=1; b=2'],
        ['Host', 'api.example'],
      ],
    });
    expect(received[0]?.headers).toMatchObject({
      'x-own': 'yes',
      cookie: 'a=1; b=2',
      authorization: 'Bearer t',
      host: new URL(url).host,
      'x-subject': 'user:ann',
      'x-tenant': 'tenant:acme',
      'x-roles': 'staff',
      'x-reason': 'role',
      forwarded: 'for=203.0.113.9;host="api.example";proto=http',
    });
  });

  test('no header in which a client says who it is, also where the context has no such field', async () => {
    const { received } = await through('GET /', {
      headers: [
        ['X-Subject', 'user:root'],
        ['x-scope', 'tenant:other'],
        ['X-Permission', 'everything'],
        ['Forwarded', 'for=10.0.0.1'],
      ],
    });
    const { headers } = received[0] as Received;
    expect([headers['x-subject'], headers['x-scope'], headers['x-permission']]).toEqual([
      ...['user:ann', undefined, undefined],
    ]);
    expect(headers.forwarded).toContain('for=203.0.113.9');
  });

  test('no header of the connection', async () => {
    const { received } = await through('GET /', {
      headers: [
        ['Connection', 'X-Mine, keep-alive'],
        ['X-Mine', 'a'],
        ['TE', 'trailers'],
        ['Proxy-Authorization', 'b'],
      ],
    });
    const { headers } = received[0] as Received;
    expect([headers['x-mine'], headers.te, headers['proxy-authorization']]).toEqual(Array(3).fill(undefined));
  });

  test('nothing of a request without a context: no authorizer has seen it', async () => {
    const { received, answered } = await through('GET /', { context: null });
    expect([received, answered.statusCode]).toEqual([[], 403]);
  });
});

describe('the client gets', () => {
  test('status, headers, each cookie and the bytes of the body', async () => {
    const bytes = Buffer.from([0, 255, 128, 7]);
    const { answered } = await through('GET /', {
      answer: (_, response) => {
        response.writeHead(418, {
          'content-type': 'image/x',
          'set-cookie': ['a=1; Path=/', 'b=2'],
          'x-more': 'm',
        });
        response.end(bytes);
      },
    });
    expect(answered.statusCode).toBe(418);
    expect(answered.headers).toMatchObject({
      'content-type': 'image/x',
      'x-more': 'm',
      'set-cookie': ['a=1; Path=/', 'b=2'],
    });
    expect(answered.body).toEqual(bytes);
  });

  test('502 for a service that is down, with its address', async () => {
    const integration = createHttpIntegration(new URL('http://127.0.0.1:1'));
    const api = httpApiV2({
      routes: [{ key: '$default', integration }],
      authorizer: { invoke: async () => ({ isAuthorized: true, context: CONTEXT }) },
    });
    const answered = await createGateway({ apis: [api], clock: Date.now })(request('GET /'));
    expect(answered.statusCode).toBe(502);
    expect(JSON.parse(answered.body.toString())).toEqual({
      message: 'the backend http://127.0.0.1:1 does not answer: ECONNREFUSED',
    });
  });

  test.each<[string, RequestListener]>([
    ['closes the connection', (incoming) => void incoming.socket.destroy()],
    [
      'breaks off in the middle',
      (incoming, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('abc', () => incoming.socket.destroy());
      },
    ],
  ])('502 for a service that %s', async (_, answer) => {
    expect((await through('GET /', { answer })).answered.statusCode).toBe(502);
  });

  test('504 for a service that never answers', async () => {
    const { answered } = await through('GET /', { answer: () => undefined, timeoutMs: 20 });
    expect(answered.statusCode).toBe(504);
  });
});
