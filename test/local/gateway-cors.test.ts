import { describe, expect, test, vi } from 'vitest';
import { createGateway } from '../../local/gateway/gateway.ts';
import type { GatewayRequest } from '../../local/gateway/request.ts';
import { frozenClock, httpApiV1, httpApiV2, ok, request } from './support.ts';

/** CORS of an HTTP API: API Gateway answers preflights by itself (AG http-api-cors). */
const PAGE = 'http://localhost:5173';
const cors = { allowOrigins: [PAGE], allowMethods: ['GET', 'POST'], allowHeaders: ['authorization'] };
const preflight = (origin: string): GatewayRequest['headers'] => [
  ['Origin', origin],
  ['Access-Control-Request-Method', 'GET'],
  ['Access-Control-Request-Headers', 'authorization'],
];
const ALLOWED = {
  'access-control-allow-origin': PAGE,
  'access-control-allow-methods': 'GET,POST',
  'access-control-allow-headers': 'authorization',
};
const backend = async () => ({
  ...(await ok()),
  headers: { 'Access-Control-Allow-Origin': '*', 'x-own': '1' },
});
const routes = ['GET /pets/{id}', '$default'].map((key) => ({ key, integration: backend }));

describe.each([
  ['2.0', httpApiV2],
  ['1.0', httpApiV1],
] as const)('an HTTP API, %s', (_, api) => {
  const create = (changes: object) => {
    const invoke = vi.fn(async () => ({ isAuthorized: false }));
    const apis = [api({ routes, ...changes, authorizer: { invoke } as never })];
    return { invoke, gateway: createGateway({ apis, clock: frozenClock().now }) };
  };

  test('with CORS answers a preflight itself, on every path and without a token', async () => {
    const { gateway, invoke } = create({ cors });
    for (const path of ['/pets/1', '/elsewhere']) {
      const answer = await gateway(request(`OPTIONS ${path}`, preflight(PAGE)));
      expect(answer).toEqual({ statusCode: 204, headers: ALLOWED, body: '' });
    }
    expect(invoke).not.toHaveBeenCalled();
  });

  test.each(['http://evil.example', 'http://localhost:5173.evil.example', 'null'])(
    'says nothing to another origin: %s',
    async (origin) => {
      const { gateway } = create({ cors });
      expect((await gateway(request('OPTIONS /pets/1', preflight(origin)))).headers).toEqual({});
      expect((await gateway(request('GET /pets/1', [['origin', origin]]))).headers).not.toHaveProperty(
        'access-control-allow-origin',
      );
    },
  );

  test('lets a page read a refusal', async () => {
    const { gateway } = create({ cors });
    const { statusCode, headers } = await gateway(request('GET /pets/1', [['origin', PAGE]]));
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([401, PAGE]);
  });

  test('an OPTIONS that is no preflight goes to the authorizer, and so does each one without CORS', async () => {
    const { gateway } = create({ cors });
    expect((await gateway(request('OPTIONS /pets/1', [['origin', PAGE]]))).statusCode).toBe(401);
    expect((await create({}).gateway(request('OPTIONS /pets/1', preflight(PAGE)))).statusCode).toBe(401);
  });
});

test('the headers of the configuration are in place of those of the backend', async () => {
  const apis = [httpApiV2({ cors, routes })];
  const gateway = createGateway({ apis, clock: frozenClock().now });
  const of = async (origin: string) =>
    (
      await gateway(
        request('GET /pets/1', [
          ['authorization', 't'],
          ['origin', origin],
        ]),
      )
    ).headers;
  expect(await of(PAGE)).toMatchObject({ 'access-control-allow-origin': PAGE, 'x-own': '1' });
  expect(await of('http://evil.example')).not.toHaveProperty('access-control-allow-origin');
});
