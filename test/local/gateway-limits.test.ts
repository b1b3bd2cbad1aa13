import { describe, expect, test, vi } from 'vitest';
import type { Api } from '../../local/gateway/api.ts';
import { createGateway } from '../../local/gateway/gateway.ts';
import { MAX_HEADER_BYTES, MAX_METHOD_ARN_BYTES } from '../../local/gateway/request.ts';
import { frozenClock, httpApiV1, httpApiV2, ok, request, restApi, restTokenApi, seen } from './support.ts';

const gatewayOf = (...apis: Api[]) => createGateway({ apis, clock: frozenClock().now });

describe('a request that is too large', () => {
  test(`with ${MAX_HEADER_BYTES} bytes of request line and header values passes, with one more it is a 431`, async () => {
    const invoke = vi.fn(async () => ({ isAuthorized: true }));
    const gateway = gatewayOf(httpApiV2({ authorizer: { invoke } }));
    const room = MAX_HEADER_BYTES - 'GET /pets/1 HTTP/1.1'.length - 'Bearer t'.length;
    const sized = (bytes: number) =>
      request('GET /pets/1', [
        ['Authorization', 'Bearer t'],
        ['X-Filler', 'x'.repeat(bytes)],
      ]);
    expect((await gateway(sized(room))).statusCode).toBe(200);
    invoke.mockClear();
    expect(seen(await gateway(sized(room + 1)))).toEqual([
      431,
      { message: 'Request Header Fields Too Large' },
    ]);
    expect(invoke).not.toHaveBeenCalled();
  });

  test(`with a method ARN of ${MAX_METHOD_ARN_BYTES} bytes passes, with one more it is a 414`, async () => {
    const gateway = gatewayOf(restApi());
    const prefix = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/prod/GET/pets/';
    const line = (bytes: number) => request(`GET /pets/${'x'.repeat(bytes)}`);
    expect((await gateway(line(MAX_METHOD_ARN_BYTES - prefix.length))).statusCode).toBe(200);
    expect(seen(await gateway(line(MAX_METHOD_ARN_BYTES - prefix.length + 1)))).toEqual([
      414,
      { message: 'Request URI too long' },
    ]);
  });
});

describe('several APIs on one port', () => {
  const named = (name: string) => async () => ({ statusCode: 200, body: name });
  const gateway = gatewayOf(
    httpApiV2({ name: 'fallback', routes: [{ key: '$default', integration: named('fallback') }] }),
    restApi({ name: 'rest', basePath: '/rest', routes: [{ key: 'GET /', integration: named('rest') }] }),
    httpApiV1({
      name: 'nested',
      basePath: '/rest/v1',
      routes: [
        { key: 'GET /pets/{id}', integration: async (event) => ({ statusCode: 200, body: event.path }) },
      ],
    }),
  );
  const bodyOf = async (line: string) => (await gateway(request(line))).body;

  test('are selected by the longest base path, in whole segments', async () => {
    expect(await bodyOf('GET /rest')).toBe('rest');
    expect(await bodyOf('GET /rest/')).toBe('rest');
    expect(await bodyOf('GET /rest?x=1')).toBe('rest');
    expect(await bodyOf('GET /restaurant')).toBe('fallback');
    expect(await bodyOf('GET /')).toBe('fallback');
  });

  test('do not see their base path', async () => expect(await bodyOf('GET /rest/v1/pets/7')).toBe('/pets/7'));

  test('answer 404 outside of all of them when none is the fallback', async () => {
    const alone = gatewayOf(restApi({ basePath: '/rest' }));
    expect(seen(await alone(request('GET /other')))).toEqual([404, { message: 'Not Found' }]);
    expect(seen(await alone(request('GET http://elsewhere/rest')))).toEqual([404, { message: 'Not Found' }]);
  });
});

describe('an API that API Gateway would not create is refused at start:', () => {
  const http = (expression: string) => httpApiV2({ authorizer: { identitySources: [expression] } });
  const rest = (expression: string) => restApi({ authorizer: { identitySources: [expression] } });
  const route = (key: string) => ({ key, integration: ok });

  test.each([
    ['a TTL above an hour', httpApiV2({ authorizer: { resultTtlSeconds: 3_601 } }), 'resultTtlSeconds'],
    ['a negative TTL', httpApiV2({ authorizer: { resultTtlSeconds: -1 } }), 'resultTtlSeconds'],
    ['half a second', httpApiV2({ authorizer: { resultTtlSeconds: 0.5 } }), 'resultTtlSeconds'],
    [
      'a cache without key',
      httpApiV2({ authorizer: { resultTtlSeconds: 1, identitySources: [] } }),
      'identity source',
    ],
    ['no time to answer', httpApiV2({ authorizer: { timeoutMs: 0 } }), 'timeoutMs'],
    ['a REST expression in an HTTP API', http('method.request.header.A'), 'method.request.header.A'],
    ['an HTTP expression in a REST API', rest('$request.header.A'), '$request.header.A'],
    ['a path parameter as identity source', rest('method.request.path.id'), 'method.request.path.id'],
    ['a path parameter, in an HTTP API', http('$request.path.id'), '$request.path.id'],
    ['a context variable it does not know', http('$context.toString'), '$context.toString'],
    ['a header without a name', http('$request.header.'), '$request.header.'],
    ['a TOKEN authorizer without source', restTokenApi({ authorizer: { identitySources: [] } }), 'TOKEN'],
    [
      'a TOKEN authorizer on a query',
      restTokenApi({ authorizer: { identitySources: ['method.request.querystring.t'] } }),
      'TOKEN',
    ],
    ['$default in REST', restApi({ routes: [route('$default')] }), '$default'],
    ['one route twice', httpApiV2({ routes: [route('GET /a/{x}'), route('GET /a/{y}')] }), 'GET /a/{y}'],
    ['a route that is none', httpApiV2({ routes: [route('pets')] }), 'route "pets"'],
    ['a base path that ends in a slash', httpApiV2({ basePath: '/a/' }), 'basePath "/a/"'],
    ['a base path without a slash', httpApiV2({ basePath: 'a' }), 'basePath "a"'],
  ])('%s', (_, api, problem) => {
    expect(() => gatewayOf(api)).toThrow(problem);
    expect(() => gatewayOf(api)).toThrow(`API "${api.name}": `);
  });

  test('two of them with the same base path', () => {
    expect(() => gatewayOf(httpApiV2(), restApi())).toThrow('the same base path');
  });

  test('a cache of an hour and a route for each verb are valid', () => {
    const routes = [route('GET /a/{x}'), route('PUT /a/{x}'), route('ANY /a/{x}')];
    expect(() => gatewayOf(httpApiV2({ routes, authorizer: { resultTtlSeconds: 3_600 } }))).not.toThrow();
  });
});
