import { describe, expect, it } from 'vitest';
import { CredentialsError } from '../../authorizer/errors.ts';
import type { VerifiedClaims } from '../../authorizer/index.ts';
import { createAuthorizer } from '../../authorizer/index.ts';
import { NO_LOG } from '../support/log.ts';
import { ALICE, createFakeEngine, identifyBy, NO_API, NOW, PLACE, rule, TENANT } from './support.ts';

/** Events as AWS's documents show them, one of each kind of API, and what each is answered, to the letter. */
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

describe('HTTP API, format 1.0 (AG http-api-lambda-authorizer)', () => {
  const methodArn = `arn:aws:execute-api:us-east-1:123456789012:abcdef123/test/GET/locations/${PLACE}/pages/roster`;
  const event = {
    version: '1.0',
    type: 'REQUEST',
    methodArn,
    identitySource: `${GOOD},123`,
    authorizationToken: `${GOOD},123`,
    resource: '/locations/{locationId}/pages/{page}',
    path: `/locations/${PLACE}/pages/roster`,
    httpMethod: 'GET',
    headers: {
      'X-AMZ-Date': '20170718T062915Z',
      Accept: '*/*',
      Authorization: GOOD,
      'CloudFront-Viewer-Country': 'US',
      'CloudFront-Forwarded-Proto': 'https',
      'User-Agent': '...',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-For': '...',
    },
    queryStringParameters: { QueryString1: 'queryValue1' },
    pathParameters: {},
    stageVariables: { StageVar1: 'stageValue1' },
    requestContext: {
      path: '/request',
      accountId: '123456789012',
      resourceId: '05c7jb',
      stage: 'test',
      requestId: '...',
      identity: {
        apiKey: '...',
        sourceIp: '...',
        clientCert: {
          clientCertPem: 'CERT_CONTENT',
          subjectDN: 'www.example.com',
          issuerDN: 'Example issuer',
          serialNumber: 'a1:a1:a1:a1:a1:a1:a1:a1:a1:a1:a1:a1:a1:a1:a1:a1',
          validity: { notBefore: 'May 28 12:30:02 2019 GMT', notAfter: 'Aug  5 09:36:04 2021 GMT' },
        },
      },
      resourcePath: '/request',
      httpMethod: 'GET',
      apiId: 'abcdef123',
    },
  };

  it('is answered by a policy, though HTTP APIs of format 2.0 are answered simply', async () => {
    const { asked, authorizer } = setUp();
    expect(await authorizer(event)).toEqual({
      ...policyFor(methodArn),
      context: contextOf('page', 'roster'),
    });
    expect(asked).toEqual([`user:${ALICE} roster location:${PLACE}`]);
    expect(await setUp([], false).authorizer(event)).toMatchObject(policyFor(methodArn, 'Deny'));
  });

  it('does not take its credentials from the identity source: API Gateway joins what it is told to', async () => {
    const { Authorization: _, ...headers } = event.headers;
    await expect(setUp().authorizer({ ...event, identitySource: GOOD, headers })).rejects.toThrow(
      /^Unauthorized$/,
    );
  });
});

describe('WebSocket API (AG apigateway-websocket-api-lambda-auth)', () => {
  const methodArn = 'arn:aws:execute-api:us-east-1:123456789012:abcdef123/default/$connect';
  const event = {
    type: 'REQUEST',
    methodArn,
    headers: {
      Connection: 'upgrade',
      'content-length': '0',
      Authorization: GOOD,
      Host: 'abcdef123.execute-api.us-east-1.amazonaws.com',
      'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits',
      'Sec-WebSocket-Key': '...',
      'Sec-WebSocket-Version': '13',
      Upgrade: 'websocket',
      'X-Amzn-Trace-Id': '...',
      'X-Forwarded-For': '...',
      'X-Forwarded-Port': '443',
      'X-Forwarded-Proto': 'https',
    },
    multiValueHeaders: {
      Connection: ['upgrade'],
      'content-length': ['0'],
      Authorization: [GOOD],
      Host: ['abcdef123.execute-api.us-east-1.amazonaws.com'],
      'Sec-WebSocket-Extensions': ['permessage-deflate; client_max_window_bits'],
      'Sec-WebSocket-Key': ['...'],
      'Sec-WebSocket-Version': ['13'],
      Upgrade: ['websocket'],
      'X-Amzn-Trace-Id': ['...'],
      'X-Forwarded-For': ['...'],
      'X-Forwarded-Port': ['443'],
      'X-Forwarded-Proto': ['https'],
    },
    queryStringParameters: { location: PLACE },
    multiValueQueryStringParameters: { location: [PLACE] },
    stageVariables: {},
    requestContext: {
      routeKey: '$connect',
      eventType: 'CONNECT',
      extendedRequestId: '...',
      requestTime: '19/Jan/2023:21:13:26 +0000',
      messageDirection: 'IN',
      stage: 'default',
      connectedAt: 1674162806344,
      requestTimeEpoch: 1674162806345,
      identity: { sourceIp: '...' },
      requestId: '...',
      domainName: 'abcdef123.execute-api.us-east-1.amazonaws.com',
      connectionId: '...',
      apiId: 'abcdef123',
    },
  };

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

  it.each([0, 1, 100, 220, 230, 5_000])('answers in at most 8 KB, also with %i roles', async (count) => {
    const roles = Array.from({ length: count }, (_, number) => `01J8X2W3Y4Z5A6B7C8D9${100_000 + number}`);
    const answer = await setUp(roles).authorizer(event);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(8_192);
    expect(answer).toMatchObject(policyFor(methodArn));
    if (count <= 220) expect(answer.context).toMatchObject({ roles: roles.join(',') });
    else expect(answer.context).toMatchObject({ rolesLeftOut: 'true', subject: `user:${ALICE}` });
    expect(Object.hasOwn(answer.context ?? {}, 'roles')).toBe(count <= 220);
  });

  it('is not what a client gets by the verb CONNECT over HTTP', async () => {
    const arn = 'arn:aws:execute-api:us-east-1:123456789012:abcdef123/default/CONNECT/$connect';
    const { asked, authorizer } = setUp();
    const answer = await authorizer({ type: 'TOKEN', authorizationToken: GOOD, methodArn: arn });
    expect(answer).toMatchObject({ context: { reason: 'route_unmapped' } });
    expect(asked).toEqual([]);
  });
});

describe('AppSync (AppSync security-authz)', () => {
  const event = {
    authorizationToken: 'eyJ.good.token',
    requestContext: {
      apiId: 'aaaaaa123123123example123',
      accountId: '111122223333',
      requestId: 'f4081827-1111-4444-5555-5cf4695f339f',
      queryString: 'mutation CreateEvent {...}\n\nquery MyQuery {...}\n',
      operationName: 'MyQuery',
      variables: {},
    },
    requestHeaders: { 'x-location': PLACE },
  };

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
