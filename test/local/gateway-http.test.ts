import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import type { IntegrationResponse } from '../../local/gateway/api.ts';
import { createGateway } from '../../local/gateway/gateway.ts';
import { toListener } from '../../local/gateway/http.ts';
import { MAX_BODY_BYTES } from '../../local/gateway/request.ts';
import { listen } from '../support/listening.ts';
import { frozenClock, httpApiV2, ok } from './support.ts';

const serve = (...apis: Parameters<typeof createGateway>[0]['apis']) =>
  listen(toListener(createGateway({ apis, clock: frozenClock().now })));

/** fetch() merges duplicate headers before they leave; node:http sends them as they are. */
async function send(url: string, headers: OutgoingHttpHeaders) {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    httpRequest(url, { headers }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode, body: await text(response) };
}

describe('over HTTP', () => {
  test('a request reaches the backend, and its answer the client', async () => {
    const integration = vi.fn(
      async (_event: unknown): Promise<IntegrationResponse> => ({
        statusCode: 201,
        headers: { 'X-Made': 1, 'Content-Length': 9_999 },
        body: '{"made":"é"}',
      }),
    );
    const origin = await serve(httpApiV2({ routes: [{ key: 'POST /pets/{id}', integration }] }));
    const response = await fetch(`${origin}/pets/a%2Fb?x=1`, {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body: '{"a":"é"}',
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ made: 'é' });
    expect(response.headers.get('x-made')).toBe('1');
    expect(response.headers.get('x-gatehouse-authorizer')).toBe('off');
    expect(integration).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        rawPath: '/pets/a%2Fb',
        pathParameters: { id: 'a/b' },
        body: '{"a":"é"}',
        requestContext: expect.objectContaining({
          http: expect.objectContaining({ protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' }),
        }),
      }),
    );
  });

  test('a binary answer arrives byte for byte', async () => {
    const integration = async () => ({ statusCode: 200, body: '/wAB', isBase64Encoded: true });
    const origin = await serve(httpApiV2({ routes: [{ key: '$default', integration }] }));
    const response = await fetch(origin, { headers: { authorization: 'Bearer t' } });
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([255, 0, 1]);
  });

  test('duplicate headers are joined for format 2.0, also those of which Node keeps one', async () => {
    const seen = vi.fn(async (_event: unknown) => ({ isAuthorized: true }));
    const origin = await serve(httpApiV2({ authorizer: { invoke: seen } }));
    await send(`${origin}/pets/1`, { Authorization: ['one', 'two'], 'X-Tag': ['a', 'b'] });
    expect(seen).toHaveBeenCalledWith(
      expect.objectContaining({
        identitySource: ['one,two'],
        headers: expect.objectContaining({ authorization: 'one,two', 'x-tag': 'a,b' }),
      }),
    );
  });

  test('a path is not normalised', async () => {
    const seen = vi.fn(async (_event: unknown) => ({ isAuthorized: true }));
    const origin = await serve(
      httpApiV2({ routes: [{ key: '$default', integration: ok }], authorizer: { invoke: seen } }),
    );
    // Written by hand: clients resolve the dots before they send.
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    socket.write('GET /a/../b//c/ HTTP/1.1\r\nHost: x\r\nAuthorization: t\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ rawPath: '/a/../b//c/' }));
  });

  test('a body of 10 MB passes, one byte more is a 413', async () => {
    const integration = async (event: { body?: string }) => ({
      statusCode: 200,
      body: String(event.body?.length),
    });
    const invoke = vi.fn(async () => ({ isAuthorized: true }));
    const origin = await serve(
      httpApiV2({ routes: [{ key: 'PUT /blob', integration }], authorizer: { invoke } }),
    );
    const put = (bytes: number) =>
      fetch(`${origin}/blob`, {
        method: 'PUT',
        headers: { authorization: 't', 'content-type': 'text/plain' },
        body: 'x'.repeat(bytes),
      });
    expect(await (await put(MAX_BODY_BYTES)).text()).toBe(String(MAX_BODY_BYTES));
    const refused = await put(MAX_BODY_BYTES + 1);
    expect([refused.status, await refused.json()]).toEqual([413, { message: 'Request Too Long' }]);
    expect(invoke).toHaveBeenCalledOnce();
  });

  test('a client that disconnects while sending does not affect the next', async () => {
    const origin = await serve(httpApiV2());
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    socket.write('GET /pets/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await fetch(`${origin}/pets/1`, { headers: { authorization: 't' } })).status).toBe(200);
  });
});
