import { describe, expect, test } from 'vitest';
import { type LambdaEvent, lambdaGuard, powertoolsGuard } from '../../middleware/index.ts';
import { createFakeEngine } from '../support/fake-engine.ts';

/**
 * What a guard takes from events as AWS makes them: each value decoded once, and none that two readings
 * differ in.
 */
const ID = 'auth0|1';

const restOf = (id: string, more: Partial<LambdaEvent> = {}): LambdaEvent => ({
  resource: '/locations/{id}',
  path: `/locations/${id}`,
  httpMethod: 'GET',
  headers: { Host: 'api.example' },
  multiValueHeaders: { Host: ['api.example'] },
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  pathParameters: { id },
  requestContext: { stage: 'prod', httpMethod: 'GET', identity: { sourceIp: '203.0.113.9' } },
  ...more,
});
const http2Of = (id: string, more: Partial<LambdaEvent> = {}): LambdaEvent => ({
  version: '2.0',
  routeKey: 'GET /locations/{id}',
  rawPath: `/prod/locations/${id}`,
  rawQueryString: '',
  headers: { host: 'api.example' },
  pathParameters: { id },
  requestContext: { stage: 'prod', http: { method: 'GET', sourceIp: '203.0.113.9' } },
  ...more,
});
const http1Of = (id: string, more: Partial<LambdaEvent> = {}): LambdaEvent => ({
  ...restOf(id, { path: `/prod/locations/${id}` }),
  version: '1.0',
  ...more,
});
const balancerOf = (more: Partial<LambdaEvent>): LambdaEvent => ({
  httpMethod: 'GET',
  path: '/locations',
  headers: { host: 'lb.example' },
  requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/t/1' } },
  ...more,
});

function noting() {
  const asked: { scope: string | undefined; path: unknown; method: unknown }[] = [];
  const { engine } = createFakeEngine({
    decide: async ({ scope, ...question }) => {
      const { context } = (question as { given: { context: Record<string, unknown> } }).given;
      asked.push({ scope, path: context.path, method: context.method });
      return { allowed: true, reason: 'role' };
    },
  });
  return { options: { engine, who: () => 'user:ann' }, asked };
}

async function decidedOn(event: LambdaEvent, where = 'location:{id}') {
  const { options, asked } = noting();
  const handle = lambdaGuard(options)('grades', where).wrap(async () => 'served');
  await handle(event, {});
  return asked[0];
}
const scopeOf = async (event: LambdaEvent, where?: string) => (await decidedOn(event, where))?.scope;

describe('path parameters', () => {
  test.each<[string, LambdaEvent]>([
    ['a REST API, as they were sent', restOf('auth0%7C1')],
    ['a REST API with lower-case escapes', restOf('auth0%7c1')],
    ['a REST API under the path of a domain', restOf('auth0%7C1', { path: '/v1/locations/auth0%7C1/' })],
    ['an HTTP API, decoded', http2Of(ID)],
    ['an HTTP API whose path is not decoded', http2Of(ID, { rawPath: '/prod/locations/auth0%7C1' })],
    ['an HTTP API with format 1.0, decoded', http1Of(ID)],
  ])('of %s', async (_, event) => {
    expect(await decidedOn(event)).toEqual({
      scope: `location:${ID}`,
      path: `/locations/${ID}`,
      method: 'GET',
    });
  });

  test.each<[string, LambdaEvent]>([
    ['do not decode', restOf('%zz')],
    ['are no UTF-8', restOf('%ff')],
    ['are encoded twice', restOf('auth0%257C1')],
    ['hold a slash', restOf('a%2Fb')],
    ['are encoded where they come decoded', http2Of('auth0%7C1')],
    ['are others than the path of a REST API', restOf('south', { path: '/locations/north' })],
    ['are others than the path of an HTTP API', http2Of('south', { rawPath: '/prod/locations/north' })],
  ])('are no value if they %s', async (_, event) => {
    expect(await decidedOn(event)).toBeUndefined();
    const fixed = await decidedOn(event, 'location:fixed');
    expect([fixed?.scope, fixed?.path]).toEqual(['location:fixed', undefined]);
  });
});

describe('a query parameter', () => {
  const where = 'location:{query:at}';
  /** Of an HTTP API, as it was sent and as AWS reads it. */
  const http2 = (rawQueryString: string, queryStringParameters: Record<string, string>, id = 'n') =>
    http2Of(id, { rawQueryString, queryStringParameters });
  const both = (single: object | null, multi: object | null) =>
    ({ queryStringParameters: single, multiValueQueryStringParameters: multi }) as Partial<LambdaEvent>;

  test.each<[string, LambdaEvent]>([
    ['a REST API', restOf('n', both({ at: ID }, { at: [ID] }))],
    ['an HTTP API', http2('at=auth0%7C1&x', { at: ID, x: '' })],
    ['an HTTP API with format 1.0', http1Of('n', both({ at: ID }, { at: [ID] }))],
    ['a load balancer, as it was sent', balancerOf({ queryStringParameters: { at: 'auth0%7C1' } })],
    ['a load balancer with lists', balancerOf({ multiValueQueryStringParameters: { at: ['auth0%7C1'] } })],
  ])('of %s', async (_, event) => {
    expect(await scopeOf(event, where)).toBe(`location:${ID}`);
  });

  test.each<[string, LambdaEvent]>([
    ['comes twice', restOf('n', both({ at: 'S' }, { at: ['N', 'S'] }))],
    ['comes twice alike', http2('at=N&at=N', { at: 'N,N' })],
    ['differs between its forms', restOf('n', both({ at: 'S' }, { at: ['N'] }))],
    ['is in one form only', restOf('n', both({ at: 'N' }, {}))],
    ['is in the other form only', restOf('n', both(null, { x: ['1'] }))],
    ['differs from what was sent', http2('at=N', { at: 'S' })],
    ['was sent under another name', http2('?at=N', { at: 'N' })],
    ['was not sent', http2('', { at: 'N' })],
    ['is encoded twice', balancerOf({ queryStringParameters: { at: 'auth0%257C1' } })],
    ['does not decode', balancerOf({ queryStringParameters: { at: '%zz' } })],
    ['is a plus or a space', balancerOf({ queryStringParameters: { at: 'a+b' } })],
    ['comes under two spellings', balancerOf({ queryStringParameters: { at: 'N', '%61t': 'S' } })],
    ['may begin in the path', http2('at=N', { at: 'N' }, 'n?at=S&x=')],
    ['is not there', balancerOf({ queryStringParameters: {} })],
  ])('is no value if it %s', async (_, event) => {
    expect(await decidedOn(event, where)).toBeUndefined();
  });
});

test.each<[string, LambdaEvent, unknown, unknown]>([
  [
    'a greedy route',
    restOf('', { resource: '/{proxy+}', path: '/a/b%7C', pathParameters: { proxy: 'a/b%7C' } }),
    '/a/b|',
    'GET',
  ],
  [
    'a rest with a slash in it',
    restOf('', { resource: '/{p+}', path: '/a%2Fb', pathParameters: { p: 'a%2Fb' } }),
    undefined,
    'GET',
  ],
  [
    'a rest that goes up',
    http2Of('', { routeKey: 'ANY /{p+}', rawPath: '/prod/a/../b', pathParameters: { p: 'a/../b' } }),
    undefined,
    'GET',
  ],
  [
    '$default without a stage',
    http2Of('', {
      routeKey: '$default',
      rawPath: '/a/b',
      requestContext: { stage: '$default', http: { method: 'HEAD' } },
    }),
    '/a/b',
    'HEAD',
  ],
  ['$default under a stage', http2Of('', { routeKey: '$default', rawPath: '/prod/a' }), undefined, 'GET'],
  ['a load balancer', balancerOf({ path: '/a/b' }), '/a/b', 'GET'],
  ['a load balancer, escaped', balancerOf({ path: '/%61/b' }), undefined, 'GET'],
  ['a load balancer, with a slash at the end', balancerOf({ path: '/a/' }), undefined, 'GET'],
  ['two methods', restOf('n', { httpMethod: 'DELETE' }), '/locations/n', undefined],
])('the route of %s', async (_, event, path, method) => {
  expect(await decidedOn(event, 'location:fixed')).toEqual({ scope: 'location:fixed', path, method });
});

test("in Powertools the route and its parameters are the event handler's", async () => {
  const { options, asked } = noting();
  const guarded = powertoolsGuard(options)('grades', 'location:{id}');
  const event = http2Of('', { routeKey: '$default', rawPath: '/prod/x/n', pathParameters: undefined });
  for (const route of ['GET /x/:id', null, undefined])
    await guarded({ reqCtx: { event, params: { id: 'n' }, route } as never, next: async () => undefined });
  expect(asked.map(({ path }) => path)).toEqual(['/x/n', undefined, undefined]);
  expect(asked.map(({ scope }) => scope)).toEqual(Array(3).fill('location:n'));
});
