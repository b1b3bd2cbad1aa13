import { describe, expect, it } from 'vitest';
import { CredentialsError } from '../../authorizer/errors.ts';
import type { VerifiedClaims } from '../../authorizer/index.ts';
import { createAuthorizer } from '../../authorizer/index.ts';
import { NO_LOG } from '../support/log.ts';
import {
  ALICE,
  appSyncEvent,
  createFakeEngine,
  httpV1Event,
  identifyBy,
  NO_API,
  NOW,
  PLACE,
  restTokenEvent,
  rule,
  TENANT,
  webSocketEvent,
} from './support.ts';

/** One event of each kind of API, and what it is answered, to the letter. */
const GOOD = 'Bearer eyJ.good.token';

const RULES = [
  rule('page', 'GET', '/locations/{id}/pages/{page}', '{page}', 'location:{id}'),
  rule('live', 'CONNECT', '/$connect', 'board', 'location:{query:location}'),
  rule('graph', 'GRAPHQL', '/', 'graph', 'location:{header:x-location}'),
  rule('all', 'ANY', '/{proxy+}', 'everything', 'location:{proxy}'),
];

function setUp(roles: readonly string[] = ['R1'], allowed = true) {
  const fake = createFakeEngine({
    decide: async () => (allowed ? { allowed, reason: 'role' } : { allowed, reason: 'no_grant' }),
    roles,
    rules: RULES,
  });
  const authorizer = createAuthorizer({
    ...NO_API,
    identify: identifyBy(async (token) => {
      if (`Bearer ${token}` !== GOOD) throw new CredentialsError('credentials_malformed');
      return {} as VerifiedClaims;
    }),
    subjectOf: () => `user:${ALICE}`,
    engine: fake.engine,
    log: NO_LOG,
    httpAnswer: 'simple',
    outsideKey: () => [],
    now: () => NOW,
  });
  return { authorizer, asked: fake.asked };
}

const contextOf = (route: string, permission: string) => ({
  subject: `user:${ALICE}`,
  tenant: TENANT,
  scope: `location:${PLACE}`,
  permission,
  roles: 'R1',
  reason: 'role',
  route,
  coverage: 'route',
});

const policyFor = (Resource: string, Effect = 'Allow') => ({
  principalId: `user:${ALICE}`,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }],
  },
});

describe('HTTP API, format 1.0', () => {
  const event = httpV1Event('GET', `/locations/${PLACE}/pages/roster`, { Authorization: GOOD });
  const { methodArn } = event;

  it('is answered by a policy, though HTTP APIs of format 2.0 are answered simply', async () => {
    const { asked, authorizer } = setUp();
    expect(await authorizer(event)).toEqual({
      ...policyFor(methodArn),
      context: contextOf('page', 'roster'),
    });
    expect(asked).toEqual([`user:${ALICE} roster location:${PLACE}`]);
    expect(await setUp([], false).authorizer(event)).toMatchObject(policyFor(methodArn, 'Deny'));
  });
});

describe('WebSocket API', () => {
  const event = webSocketEvent({ Authorization: [GOOD] }, { location: [PLACE] });
  const { methodArn } = event;

  it('is answered by a policy for its $connect and nothing else, the scope out of the query', async () => {
    const { asked, authorizer } = setUp();
    expect(await authorizer(event)).toEqual({
      ...policyFor(methodArn),
      context: { ...contextOf('live', 'board'), credential: 'none' },
    });
    expect(asked).toEqual([`user:${ALICE} board location:${PLACE}`]);
    expect(await setUp([], false).authorizer(event)).toMatchObject(policyFor(methodArn, 'Deny'));
  });

  it('may be in the stage $default', async () => {
    const inDefault = methodArn.replace('/default/', '/$default/');
    expect(await setUp().authorizer({ ...event, methodArn: inDefault })).toMatchObject(policyFor(inDefault));
  });

  it.each<[string, unknown, unknown]>([
    ['is missing', null, null],
    ['came twice', { location: 'L2' }, { location: [PLACE, 'L2'] }],
    ['is in one map another than in the other', { location: 'L2' }, { location: [PLACE] }],
    ['holds a wildcard', { location: '*' }, { location: ['*'] }],
  ])('is denied when its query parameter %s', async (_, single, multiple) => {
    const { asked, authorizer } = setUp();
    const answer = await authorizer({
      ...event,
      queryStringParameters: single,
      multiValueQueryStringParameters: multiple,
    });
    expect(answer).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Deny' }] },
      context: { reason: 'route_unresolved' },
    });
    expect(asked).toEqual([]);
  });

  it('is not what a client gets by the verb CONNECT over HTTP', async () => {
    const { asked, authorizer } = setUp();
    const answer = await authorizer(restTokenEvent('CONNECT', '/$connect', GOOD));
    expect(answer).toMatchObject({ context: { reason: 'route_unmapped' } });
    expect(asked).toEqual([]);
  });
});

describe('AppSync', () => {
  const event = appSyncEvent('eyJ.good.token', { 'x-location': PLACE });

  it('is answered in its own form, never cached', async () => {
    const { asked, authorizer } = setUp();
    expect(await authorizer(event)).toEqual({
      isAuthorized: true,
      resolverContext: contextOf('graph', 'graph'),
      ttlOverride: 0,
    });
    expect(asked).toEqual([`user:${ALICE} graph location:${PLACE}`]);
    expect(await setUp([], false).authorizer(event)).toMatchObject({
      isAuthorized: false,
      resolverContext: { reason: 'no_grant' },
      ttlOverride: 0,
    });
  });

  it('gets the same answer whatever the operation is called, or when it has no name', async () => {
    for (const operationName of ['Public', '$connect', null, undefined, '*']) {
      const { asked, authorizer } = setUp();
      await authorizer({ ...event, requestContext: { ...event.requestContext, operationName } });
      expect(asked).toEqual([`user:${ALICE} graph location:${PLACE}`]);
    }
  });

  it('is asked the same when a client connects for its subscriptions, and nothing about channels', async () => {
    const { asked, authorizer } = setUp();
    const { queryString: _, ...context } = event.requestContext;
    const connect = { ...context, queryString: '', operationName: 'DeepDish:Connect' };
    expect(await authorizer({ ...event, requestContext: connect })).toMatchObject({ isAuthorized: true });
    const channel = { ...context, operation: 'EVENT_SUBSCRIBE', channelNamespaceName: 'a', channel: '/a/b' };
    await expect(authorizer({ ...event, requestContext: channel })).rejects.toThrow(/^Internal error$/);
    expect(asked).toEqual([`user:${ALICE} graph location:${PLACE}`]);
  });

  it('is turned away without the right token', async () => {
    for (const authorizationToken of ['', 'eyJ.bad.token', 'Basic eyJ.good.token', undefined]) {
      await expect(setUp().authorizer({ ...event, authorizationToken })).rejects.toThrow(/^Unauthorized$/);
    }
  });
});
