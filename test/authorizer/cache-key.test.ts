import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorizer/index.ts';
import { createWorld } from '../support/world.ts';
import { answerTo, serveFor } from './served.ts';
import {
  appSyncEvent,
  createIssuer,
  httpEvent,
  httpV1Event,
  PLACE,
  restRequestEvent,
  restTokenEvent,
  webSocketEvent,
} from './support.ts';

/**
 * What API Gateway may cache (SPEC section 10), through the events of each kind of API. Everybody may do everything
 * here, so a Deny is one for the sake of the cache.
 */
const issuer = await createIssuer();

const HERE = `/places/${PLACE}`;

const ROUTES = [
  ['GET', '/plain', `location:${PLACE}`],
  ['GET', '/places/{id}', 'location:{id}'],
  ['GET', '/by-query', 'location:{query:loc}'],
  ['GET', '/by-header', 'location:{header:x-loc}'],
  ['GET', '/by-claim', 'location:{claim:loc}'],
  ['CONNECT', '/$connect', 'location:{query:loc}'],
  ['GRAPHQL', '/', 'location:{header:x-loc}'],
] as const;

const MANIFEST = `
pages: [news]
scopes: { Ours: { type: tenant }, North: { id: ${PLACE}, type: location, parent: Ours } }
roles: { reader: { owner: Ours, allow: [news] } }
users: { ann: { id: ann, grants: { Ours: [reader] } } }
routes:
${ROUTES.map(([method, path, scope]) => `  - { method: ${method}, path: "${path}", permission: news, scope: "${scope}" }`).join('\n')}
`;

const world = await createWorld(MANIFEST);
const token = await issuer.token({ sub: 'ann', loc: PLACE, exp: world.clock.now() / 1_000 + 600 });

interface Cached {
  readonly ttl: number;
  readonly identitySources?: readonly string[];
}

/** An authorizer that is told of these caches, or of none; its policies are for one route, unless a variable says so. */
const authorizerFor = (
  caches: Readonly<Record<string, Cached>> | undefined,
  env: Record<string, string> = {},
): Authorizer =>
  serveFor(issuer, world, { POLICY_COVERS: 'route', RESULT_CACHE: caches && JSON.stringify(caches), ...env });

const OUTSIDE = 'outside_cache_key';
const authorizationOf = () => `Bearer ${token}`;

/** A request with `x-loc` and `loc`, as each kind of API tells of it. */
const KINDS = {
  'REST REQUEST': (path: string) => ({
    ...restRequestEvent('GET', path, { Authorization: [authorizationOf()], 'X-Loc': [PLACE] }),
    queryStringParameters: { loc: PLACE },
  }),
  'HTTP 1.0': (path: string) => ({
    ...httpV1Event('GET', path, { authorization: authorizationOf(), 'x-loc': PLACE }),
    queryStringParameters: { loc: PLACE },
  }),
  'HTTP 2.0': (path: string, routeKey = `GET ${path}`) => {
    const event = httpEvent('GET', path, { authorization: authorizationOf(), 'x-loc': PLACE });
    const requestContext = { ...event.requestContext, routeKey };
    return { ...event, routeKey, requestContext, queryStringParameters: { loc: PLACE } };
  },
} as const;
const REST_KEY = ['method.request.header.Authorization'];
const HTTP_KEY = ['$request.header.Authorization'];

describe.each([
  ['REST REQUEST', 'method.request', 'simple', 'allow'],
  // Its event holds one value of several: none is taken.
  ['HTTP 1.0', '$request', 'simple', 'route_unresolved'],
  ['HTTP 2.0', '$request', 'policy', 'allow'],
] as const)('%s, which answers by a policy', (kind, request, HTTP_ANSWER, allowed) => {
  const authorization = `${request}.header.Authorization`;
  const ask = (path: string, identitySources: readonly string[] | undefined) =>
    answerTo(
      authorizerFor(identitySources && { default: { ttl: 300, identitySources } }, { HTTP_ANSWER }),
      KINDS[kind](path),
    );

  test.each(['/by-query', '/by-header'])('%s is refused where the key is the token', async (path) => {
    expect(await ask(path, undefined)).toBe(OUTSIDE);
    expect(await ask(path, [authorization])).toBe(OUTSIDE);
    expect(await ask(path, [authorization, `${request}.header.x-other`])).toBe(OUTSIDE);
  });

  test('it is allowed where the key holds it, and for that alone', async () => {
    expect(await ask('/by-query', [authorization, `${request}.querystring.loc`])).toBe(allowed);
    expect(await ask('/by-header', [authorization, `${request}.querystring.loc`])).toBe(OUTSIDE);
    expect(await ask('/by-header', [authorization, `${request}.header.X-LOC`])).toBe(allowed);
    expect(await ask('/by-query', [authorization, `${request}.querystring.Loc`])).toBe(OUTSIDE);
  });

  test('path, verb and claims need no other key: the policy names the one, the token holds the other', async () => {
    for (const path of ['/plain', HERE, '/by-claim']) {
      expect(await ask(path, undefined)).toBe('allow');
      expect(await ask(path, [authorization])).toBe('allow');
    }
  });

  test('nothing is refused where nothing is cached', async () => {
    const authorizer = authorizerFor({ default: { ttl: 0 } }, { HTTP_ANSWER });
    for (const path of ['/by-query', '/by-header'])
      expect(await answerTo(authorizer, KINDS[kind](path))).toBe(allowed);
    expect(await answerTo(authorizer, KINDS[kind]('/plain'))).toBe('allow');
  });

  test('everything is refused where the token is not in the key', async () => {
    const other = [`${request}.header.x-loc`, `${request}.querystring.loc`];
    for (const path of ['/by-query', '/by-header', '/plain', '/by-claim'])
      expect(await ask(path, other)).toBe(OUTSIDE);
  });
});

describe('HTTP 2.0 with simple answers', () => {
  const ask = (path: string, more: readonly string[] | undefined, routeKey?: string) =>
    answerTo(
      authorizerFor(more && { default: { ttl: 300, identitySources: [...HTTP_KEY, ...more] } }),
      KINDS['HTTP 2.0'](path, routeKey),
    );
  const FOUR = ['$context.routeKey', '$context.path', '$context.httpMethod'];

  test('one verdict would be for every route of the caller', async () => {
    for (const path of ['/plain', HERE, '/by-claim', '/by-query']) {
      expect(await ask(path, undefined)).toBe(OUTSIDE);
      expect(await ask(path, [])).toBe(OUTSIDE);
    }
  });

  test('the route key is enough where it is the request', async () => {
    expect(await ask('/plain', ['$context.routeKey'])).toBe('allow');
    expect(await ask('/by-claim', ['$context.routeKey'])).toBe('allow');
    expect(await ask('/by-query', ['$context.routeKey'])).toBe(OUTSIDE);
    expect(await ask('/by-query', ['$context.routeKey', '$request.querystring.loc'])).toBe('allow');
  });

  test.each(['$default', 'ANY /{proxy+}', 'GET /{page}', 'ANY /plain', 'GET /plain/'])(
    'it is not where it is %s, whatever the route of ours says',
    async (routeKey) => {
      expect(await ask('/plain', ['$context.routeKey'], routeKey)).toBe(OUTSIDE);
      expect(await ask('/plain', FOUR, routeKey)).toBe('allow');
    },
  );

  test('a path with parameters needs path, verb and route key', async () => {
    const routeKey = 'GET /places/{id}';
    expect(await ask(HERE, ['$context.routeKey'], routeKey)).toBe(OUTSIDE);
    for (const lacking of FOUR)
      expect(
        await ask(
          HERE,
          FOUR.filter((source) => source !== lacking),
          routeKey,
        ),
      ).toBe(OUTSIDE);
    expect(await ask(HERE, FOUR, routeKey)).toBe('allow');
  });

  test('an event without a route key says of no path that it is its own', async () => {
    const { requestContext, ...event } = KINDS['HTTP 2.0']('/plain');
    const { routeKey: _, ...rest } = requestContext;
    const identitySources = [...HTTP_KEY, '$context.routeKey'];
    const authorizer = authorizerFor({ default: { ttl: 300, identitySources } });
    expect(await answerTo(authorizer, { ...event, requestContext: rest })).toBe(OUTSIDE);
  });

  test('nothing is refused where nothing is cached', async () => {
    const authorizer = authorizerFor({ default: { ttl: 0 } });
    for (const path of ['/by-query', '/by-header', '/plain', HERE])
      expect(await answerTo(authorizer, KINDS['HTTP 2.0'](path, '$default'))).toBe('allow');
  });
});

test('HTTP 2.0 with policies: an ARN of another path than that of the request names nothing', async () => {
  const env = { HTTP_ANSWER: 'policy' };
  const identitySources = HTTP_KEY;
  const event = KINDS['HTTP 2.0']('/plain');
  const template = { ...event, routeArn: event.routeArn.replace('/GET/plain', '/GET/other') };
  const verb = { ...event, routeArn: event.routeArn.replace('/GET/', '/ANY/') };
  for (const changed of [template, verb]) {
    const cached = authorizerFor({ default: { ttl: 300, identitySources } }, env);
    expect(await answerTo(cached, { ...changed, routeKey: '$default' })).toBe(OUTSIDE);
  }
  expect(await answerTo(authorizerFor({ default: { ttl: 0 } }, env), template)).toBe('allow');
});

test('REST TOKEN: the token is the key, whatever header it comes in', async () => {
  for (const caches of [
    undefined,
    { default: { ttl: 300, identitySources: ['method.request.header.X-Token'] } },
  ]) {
    const authorizer = authorizerFor(caches);
    expect(await answerTo(authorizer, restTokenEvent('GET', HERE, authorizationOf()))).toBe('allow');
    expect(await answerTo(authorizer, restTokenEvent('GET', '/by-query', authorizationOf()))).toBe(OUTSIDE);
  }
});

test('WebSocket and AppSync: nothing is cached, and nothing is refused', async () => {
  const authorizer = authorizerFor(undefined);
  const connect = webSocketEvent({ Authorization: [authorizationOf()] }, { loc: [PLACE] });
  expect(await answerTo(authorizer, connect)).toBe('allow');
  expect(await answerTo(authorizer, appSyncEvent(token, { 'x-loc': PLACE }))).toBe('allow');
});

test('each API has its own cache; one that is not named has the default', async () => {
  const event = KINDS['REST REQUEST']('/by-query');
  const cached = { ttl: 300, identitySources: REST_KEY };
  expect(await answerTo(authorizerFor({ default: cached, abcdef1234: { ttl: 0 } }), event)).toBe('allow');
  expect(await answerTo(authorizerFor({ default: { ttl: 0 }, abcdef1234: cached }), event)).toBe(OUTSIDE);
  expect(await answerTo(authorizerFor({ other: { ttl: 0 } }), event)).toBe(OUTSIDE);
});

describe('a token that stands elsewhere', () => {
  const cookie = (): Record<string, unknown> => {
    const { headers, multiValueHeaders, ...event } = KINDS['REST REQUEST']('/plain');
    return { ...event, headers: { 'x-loc': PLACE, cookie: `session=${token}` } };
  };
  const query = (): Record<string, unknown> => ({
    ...KINDS['REST REQUEST']('/plain'),
    headers: {},
    multiValueHeaders: {},
    queryStringParameters: { access_token: token },
  });
  const ask = (event: unknown, from: string, ...identitySources: readonly string[]) =>
    answerTo(authorizerFor({ default: { ttl: 300, identitySources } }, { CREDENTIALS_FROM: from }), event);

  test('in a cookie: the header of the cookies is to be in the key', async () => {
    expect(await ask(cookie(), 'cookie:session', 'method.request.header.Cookie')).toBe('allow');
    expect(await ask(cookie(), 'cookie:session', 'method.request.header.x-loc')).toBe(OUTSIDE);
    expect(await ask(cookie(), 'cookie:session', ...REST_KEY)).toBe(OUTSIDE);
  });

  test('in the query: the parameter is', async () => {
    expect(await ask(query(), 'query:access_token', 'method.request.querystring.access_token')).toBe('allow');
    expect(await ask(query(), 'query:access_token', 'method.request.querystring.token')).toBe(OUTSIDE);
  });

  // Under `Cookie` alone, whoever has the same cookies and another header would share an answer.
  test('in one place of two: both are', async () => {
    const header = KINDS['REST REQUEST']('/plain');
    const from = 'header,cookie:session';
    expect(await ask(header, from, 'method.request.header.Cookie')).toBe(OUTSIDE);
    expect(await ask(header, from, ...REST_KEY)).toBe(OUTSIDE);
    expect(await ask(header, from, ...REST_KEY, 'method.request.header.Cookie')).toBe('allow');
    expect(await ask(header, 'header,websocket:query:token', ...REST_KEY)).toBe('allow');
  });
});

describe('a policy for the whole API', () => {
  const ask = async (...identitySources: readonly string[]) => {
    const authorizer = authorizerFor({ default: { ttl: 300, identitySources } }, { POLICY_COVERS: 'api' });
    const { context } = (await authorizer(KINDS['REST REQUEST']('/plain'))) as {
      context?: { coverage?: string; reason?: string };
    };
    return [context?.coverage, context?.reason];
  };

  test('is given where the token is in the key, and not where it is not', async () => {
    const { run } = world;
    // With routes by header and query that the caller may use, there is none.
    expect(await ask(...REST_KEY)).toEqual(['route', 'role']);
    const { items } = (await run('route.list', {})) as unknown as { items: { id: string; path: string }[] };
    for (const { id, path } of items) if (path.startsWith('/by-')) await run('route.delete', { id });
    world.settle();
    expect(await ask(...REST_KEY)).toEqual(['api', 'policy']);
    expect(await ask('method.request.header.x-loc')).toEqual(['route', OUTSIDE]);
  });
});
