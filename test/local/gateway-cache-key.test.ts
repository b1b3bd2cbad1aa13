import { describe, expect, test, vi } from 'vitest';
import type { Api } from '../../local/gateway/api.ts';
import type { GatewayRequest } from '../../local/gateway/request.ts';
import {
  authorizationHeader,
  cachingGateway,
  httpApiV2,
  ok,
  policy,
  restApi,
  restTokenApi,
} from './support.ts';

const routes = ['GET /pets/{id}', 'DELETE /pets/{id}', 'GET /owners'].map((key) => ({
  key,
  integration: ok,
}));

describe('the cache key holds', () => {
  const hit =
    (api: Api) => async (first: [string, GatewayRequest['headers']?, string?], second: typeof first) => {
      const { send } = cachingGateway(api);
      expect(await send(...first)).toBe('200 miss');
      return (await send(...second)) === '200 hit';
    };
  const http = (...identitySources: string[]) =>
    hit(
      httpApiV2({
        routes,
        stageVariables: { colour: 'blue' },
        authorizer: { identitySources, resultTtlSeconds: 300 },
      }),
    );
  const rest = (...identitySources: string[]) =>
    hit(
      restApi({
        routes,
        stageVariables: { colour: 'blue' },
        authorizer: { identitySources, resultTtlSeconds: 300 },
      }),
    );

  test('headers by case-insensitive name, and no other headers', async () => {
    expect(
      await http('$request.header.X-A')(
        ['GET /owners', [['x-a', '1']]],
        [
          'GET /owners',
          [
            ['X-A', '1'],
            ['x-b', '2'],
          ],
        ],
      ),
    ).toBe(true);
    expect(
      await http('$request.header.X-A')(['GET /owners', [['x-a', '1']]], ['GET /owners', [['x-a', '2']]]),
    ).toBe(false);
  });

  test('every one of several headers in an HTTP API, the last of them in REST', async () => {
    const twice = (first: string): GatewayRequest['headers'] => [
      ['X-A', first],
      ['X-A', 'z'],
    ];
    expect(await http('$request.header.x-a')(['GET /owners', twice('1')], ['GET /owners', twice('2')])).toBe(
      false,
    );
    expect(
      await rest('method.request.header.x-a')(['GET /owners', twice('1')], ['GET /owners', twice('2')]),
    ).toBe(true);
  });

  test('query parameters, decoded', async () => {
    expect(await http('$request.querystring.q')(['GET /owners?q=a%20b'], ['GET /owners?p=1&q=a+b'])).toBe(
      true,
    );
    expect(await http('$request.querystring.q')(['GET /owners?q=a'], ['GET /owners?q=b'])).toBe(false);
    expect(await rest('method.request.querystring.q')(['GET /owners?q=a'], ['GET /owners?q=b&q=a'])).toBe(
      true,
    );
    expect(await rest('method.request.querystring.q')(['GET /owners?q=a'], ['GET /owners?q=a&q=b'])).toBe(
      false,
    );
  });

  test('the template of the route, for $context.routeKey and context.resourcePath', async () => {
    expect(await http('$context.routeKey')(['GET /pets/1'], ['GET /pets/2'])).toBe(true);
    expect(await http('$context.routeKey')(['GET /pets/1'], ['DELETE /pets/1'])).toBe(false);
    expect(await rest('context.resourcePath')(['GET /pets/1'], ['DELETE /pets/2'])).toBe(true);
    expect(await rest('context.resourcePath')(['GET /pets/1'], ['GET /owners'])).toBe(false);
  });

  test.each([
    ['$context', http],
    ['context', rest],
  ])('the path and the verb, for %s.path and .httpMethod', async (prefix, kind) => {
    expect(await kind(`${prefix}.path`)(['GET /pets/1'], ['DELETE /pets/1'])).toBe(true);
    expect(await kind(`${prefix}.path`)(['GET /pets/1'], ['GET /pets/2'])).toBe(false);
    expect(await kind(`${prefix}.httpMethod`)(['GET /pets/1'], ['GET /owners'])).toBe(true);
    expect(await kind(`${prefix}.httpMethod`)(['GET /pets/1'], ['DELETE /pets/1'])).toBe(false);
  });

  test.each([
    ['$context', http],
    ['context', rest],
  ])(
    'the address of the caller and the user agent, for %s.identity, and no header that says so',
    async (prefix, kind) => {
      const from = (
        sourceIp: string,
        agent: string,
        target = 'GET /owners',
      ): [string, GatewayRequest['headers'], string] => [
        target,
        [
          ['User-Agent', agent],
          ['X-Forwarded-For', target],
        ],
        sourceIp,
      ];
      const ip = kind(`${prefix}.identity.sourceIp`);
      expect(await ip(from('192.0.2.1', 'a'), from('192.0.2.1', 'b', 'GET /pets/1'))).toBe(true);
      expect(await ip(from('192.0.2.1', 'a'), from('192.0.2.2', 'a'))).toBe(false);
      const agent = kind(`${prefix}.identity.userAgent`);
      expect(await agent(from('192.0.2.1', 'a'), from('192.0.2.2', 'a', 'GET /pets/1'))).toBe(true);
      expect(await agent(from('192.0.2.1', 'a'), from('192.0.2.1', 'b'))).toBe(false);
    },
  );

  test('stage variables and the stage, which are the same for every request', async () => {
    expect(await http('$stageVariables.colour', '$context.stage')(['GET /pets/1'], ['GET /owners'])).toBe(
      true,
    );
    expect(await rest('stageVariables.colour', 'context.stage')(['GET /pets/1'], ['GET /owners'])).toBe(true);
  });

  test('the boundaries between sources', async () => {
    const sources = http('$request.header.A', '$request.header.B');
    const pair = (a: string, b: string): GatewayRequest['headers'] => [
      ['A', a],
      ['B', b],
    ];
    expect(await sources(['GET /owners', pair('x,y', 'z')], ['GET /owners', pair('x', 'y,z')])).toBe(false);
  });

  test('the token alone, for a TOKEN authorizer', async () => {
    const invoke = vi.fn(async (event: { authorizationToken: string }) =>
      policy(event.authorizationToken === 'good' ? 'Allow' : 'Deny', '*'),
    );
    const { send } = cachingGateway(restTokenApi({ routes, authorizer: { invoke, resultTtlSeconds: 300 } }));
    expect(await send('GET /pets/1', authorizationHeader('good'))).toBe('200 miss');
    expect(await send('GET /owners', authorizationHeader('good'))).toBe('200 hit');
    expect(await send('GET /owners', authorizationHeader('bad'))).toBe('403 miss');
    expect(invoke).toHaveBeenCalledTimes(2);
  });
});
