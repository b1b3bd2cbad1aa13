import { describe, expect, test, vi } from 'vitest';
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

/** A request: its line, its headers in their order, and where it comes from. */
type Asked = readonly [line: string, headers?: GatewayRequest['headers'], sourceIp?: string];
const withA = (...values: readonly string[]): Asked => ['GET /owners', values.map((value) => ['X-A', value])];
const from = (sourceIp: string, agent: string, line = 'GET /owners'): Asked => [
  line,
  [
    ['User-Agent', agent],
    ['X-Forwarded-For', line],
  ],
  sourceIp,
];

/** Whether the answer to the first request answers the second one, in an API with these identity sources. */
async function isShared(sources: readonly string[], first: Asked, second: Asked): Promise<boolean> {
  const api = sources[0]?.startsWith('$') ? httpApiV2 : restApi;
  const { send } = cachingGateway(
    api({
      routes,
      stageVariables: { colour: 'blue' },
      authorizer: { identitySources: sources, resultTtlSeconds: 300 },
    }),
  );
  expect(await send(...first)).toBe('200 miss');
  return (await send(...second)) === '200 hit';
}

const ONE = ['GET /pets/1'] as const;
const TWO = ['GET /pets/2'] as const;
const DELETED = ['DELETE /pets/1'] as const;
const OWNERS = ['GET /owners'] as const;
const query = (text: string): Asked => [`GET /owners?${text}`];
const REST = 'method.request';

const shared = true;
const apart = false;
type Case = readonly [string, string, Asked, Asked, boolean];

describe('the cache key holds', () => {
  test.each<Case>([
    [
      'a header by its name in any case',
      '$request.header.x-A',
      withA('1'),
      [...OWNERS, [['x-a', '1']]],
      shared,
    ],
    ['its value', '$request.header.X-A', withA('1'), withA('2'), apart],
    ['every one of several', '$request.header.x-a', withA('1', 'z'), withA('2', 'z'), apart],
    ['the last of several', `${REST}.header.x-a`, withA('1', 'z'), withA('2', 'z'), shared],
    ['a parameter, decoded', '$request.querystring.q', query('q=a%20b'), query('p=1&q=a+b'), shared],
    ['its value', '$request.querystring.q', query('q=a'), query('q=b'), apart],
    ['the last of several', `${REST}.querystring.q`, query('q=a'), query('q=b&q=a'), shared],
    ['the last of several', `${REST}.querystring.q`, query('q=a'), query('q=a&q=b'), apart],
    ['the template of the route', '$context.routeKey', ONE, TWO, shared],
    ['the verb of the route', '$context.routeKey', ONE, DELETED, apart],
    ['the template without the verb', 'context.resourcePath', ONE, ['DELETE /pets/2'], shared],
    ['the template', 'context.resourcePath', ONE, OWNERS, apart],
    ...['$context', 'context'].flatMap((context): readonly Case[] => [
      ['the path', `${context}.path`, ONE, DELETED, shared],
      ['the path', `${context}.path`, ONE, TWO, apart],
      ['the verb', `${context}.httpMethod`, ONE, OWNERS, shared],
      ['the verb', `${context}.httpMethod`, ONE, DELETED, apart],
      ['who calls', `${context}.identity.sourceIp`, from('::1', 'a'), from('::1', 'b', ...ONE), shared],
      ['who calls', `${context}.identity.sourceIp`, from('::1', 'a'), from('::2', 'a'), apart],
      ['by what', `${context}.identity.userAgent`, from('::1', 'a'), from('::2', 'a', ...ONE), shared],
      ['by what', `${context}.identity.userAgent`, from('::1', 'a'), from('::1', 'b'), apart],
      ['the stage', `${context}.stage`, ONE, OWNERS, shared],
    ]),
    ['stage variables', '$stageVariables.colour', ONE, OWNERS, shared],
    ['stage variables', 'stageVariables.colour', ONE, OWNERS, shared],
  ])('%s: %s', async (_, source, first, second, expected) => {
    expect(await isShared([source], first, second)).toBe(expected);
  });

  test('the boundaries between sources', async () => {
    const pair = (a: string, b: string): Asked => [
      'GET /owners',
      [
        ['A', a],
        ['B', b],
      ],
    ];
    const sources = ['$request.header.A', '$request.header.B'];
    expect(await isShared(sources, pair('x,y', 'z'), pair('x', 'y,z'))).toBe(apart);
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
