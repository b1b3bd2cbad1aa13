import { describe, expect, it, vi } from 'vitest';
import type { Answer, PolicyAnswer } from '../../authorizer/answer.ts';
import { type AuthorizerParts, createAuthorizer, createSubjectOf } from '../../authorizer/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createFakeEngine, type FakeEngineOptions, TENANT } from '../support/fake-engine.ts';
import { createLogged } from '../support/log.ts';
import { createClock } from '../support/world.ts';
import {
  ALICE,
  ARN,
  appSyncEvent,
  createIssuer,
  httpEvent,
  httpV1Event,
  identifyByIssuer,
  NO_API,
  NOW,
  PLACE,
  restRequestEvent,
  restTokenEvent,
  rule,
  webSocketEvent,
} from './support.ts';

const issuer = await createIssuer();

const RULES = [
  rule('page', 'GET', '/locations/{id}/pages/{page}', '{page}', 'location:{id}'),
  rule('by-header', 'GET', '/here', 'dashboard', 'location:{header:x-location}'),
  rule('by-claim', 'GET', '/mine', 'dashboard', 'tenant:{claim:tenant}'),
  rule('live', 'CONNECT', '/$connect', 'roster', 'location:{query:location}'),
  rule('graph', 'GRAPHQL', '/', 'roster', 'location:{header:x-location}'),
];
const PATH = `/locations/${PLACE}/pages/roster`;

interface SetUp {
  readonly engine?: FakeEngineOptions;
  readonly parts?: Partial<AuthorizerParts>;
}

function setUp({ engine, parts = {} }: SetUp = {}) {
  const clock = createClock();
  const fake = createFakeEngine({ rules: RULES, ...engine });
  const { log, lines } = createLogged();
  const authorizer = createAuthorizer({
    ...NO_API,
    identify: identifyByIssuer(issuer, clock),
    subjectOf: createSubjectOf({ kind: 'claim', name: 'sub' }),
    engine: fake.engine,
    log,
    httpAnswer: 'simple',
    outsideKey: () => [],
    now: () => NOW,
    ...parts,
  });
  return { asked: fake.asked, authorizer, lines };
}

const authorizationWith = async (claims?: Record<string, unknown>, header?: Record<string, unknown>) =>
  `Bearer ${await issuer.token(claims, header)}`;

const CONTEXT = {
  subject: `user:${ALICE}`,
  tenant: TENANT,
  scope: `location:${PLACE}`,
  permission: 'roster',
  roles: '01J8X2W3Y4Z5A6B7C8D9E0F1R1,01J8X2W3Y4Z5A6B7C8D9E0F1R2',
  reason: 'role',
  route: 'page',
  coverage: 'route',
};
const allowPolicy = (Resource: string, more = {}): PolicyAnswer => ({
  principalId: `user:${ALICE}`,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource }],
  },
  context: { ...CONTEXT, ...more },
});

/** A request of each kind of API for the same page of the same place, and what it is answered to the letter. */
type Row = [kind: string, eventOf: (by: string) => object, answer: Answer, parts?: SetUp['parts']];
const KINDS: Row[] = [
  [
    'an HTTP API',
    (authorization) => httpEvent('GET', PATH, { authorization }),
    { isAuthorized: true, context: CONTEXT },
  ],
  [
    'an HTTP API configured for policies',
    (authorization) => httpEvent('GET', PATH, { authorization }),
    allowPolicy(`${ARN}/$default/GET${PATH}`),
    { httpAnswer: 'policy' },
  ],
  [
    'an HTTP API, format 1.0, whatever is configured',
    (Authorization) => httpV1Event('GET', PATH, { Authorization }),
    allowPolicy(`${ARN}/test/GET${PATH}`),
  ],
  [
    'a REST API, whatever is configured',
    (by) => restRequestEvent('GET', PATH, { Authorization: [by] }),
    allowPolicy(`${ARN}/prod/GET${PATH}`),
  ],
  ['its TOKEN authorizer', (by) => restTokenEvent('GET', PATH, by), allowPolicy(`${ARN}/prod/GET${PATH}`)],
  [
    'a WebSocket API, for its $connect and nothing else',
    (by) => webSocketEvent({ Authorization: [by] }, { location: [PLACE] }),
    allowPolicy(`${ARN}/default/$connect`, { route: 'live', credential: 'none' }),
  ],
  [
    'AppSync, never cached',
    (by) => appSyncEvent(by, { 'x-location': PLACE }),
    { isAuthorized: true, resolverContext: { ...CONTEXT, route: 'graph' }, ttlOverride: 0 },
  ],
];

/** The form of the same answer for what is refused. */
const refusing = (answer: Answer): object =>
  'policyDocument' in answer
    ? {
        policyDocument: {
          Statement: [{ Effect: 'Deny', Resource: answer.policyDocument.Statement[0]?.Resource }],
        },
      }
    : { isAuthorized: false, ...('ttlOverride' in answer && { ttlOverride: 0 }) };

describe.each<Row>(KINDS)('the answer to %s', (_, eventOf, answer, parts = {}) => {
  it('an allow', async () => {
    const { asked, authorizer } = setUp({ parts });
    expect(await authorizer(eventOf(await authorizationWith()))).toEqual(answer);
    expect(asked).toEqual([`user:${ALICE} roster location:${PLACE}`]);
  });

  it('a deny', async () => {
    const decide = async () => ({ allowed: false, reason: 'no_grant' }) as const;
    const { authorizer } = setUp({ parts, engine: { decide } });
    expect(await authorizer(eventOf(await authorizationWith()))).toMatchObject(refusing(answer));
  });
});

describe('an allowed request', () => {
  it('may take its scope from a header or a claim', async () => {
    const { asked, authorizer } = setUp();
    await authorizer(
      httpEvent('GET', '/here', { authorization: await authorizationWith(), 'x-location': PLACE }),
    );
    await authorizer(httpEvent('GET', '/mine', { authorization: await authorizationWith({ tenant: 'T1' }) }));
    expect(asked).toEqual([`user:${ALICE} dashboard location:${PLACE}`, `user:${ALICE} dashboard tenant:T1`]);
  });

  it('passes the ancestors in its path to the engine', async () => {
    const rules = [rule('deep', 'GET', '/tenants/{tenant}/locations/{id}', 'doors')];
    const prefetches: unknown[] = [];
    const decide: FakeEngineOptions['decide'] = async ({ prefetch }) => {
      prefetches.push(prefetch);
      return { allowed: true, reason: 'role' };
    };
    const { authorizer } = setUp({ engine: { decide, rules } });
    const authorization = await authorizationWith();
    for (const tenant of [PLACE, 'a:b', '*'])
      expect(
        await authorizer(httpEvent('GET', `/tenants/${tenant}/locations/L1`, { authorization })),
      ).toMatchObject({ isAuthorized: true });
    expect(prefetches).toEqual([[`tenant:${PLACE}`], [], []]);
  });
});

describe('a path that an HTTP API has decoded already', () => {
  const path = '/locations/auth0%7Cabc/pages/roster';
  const withParameters = (id: string, authorization: string) => [
    { ...httpEvent('GET', path, { authorization }), pathParameters: { id } },
    {
      ...httpEvent('GET', path, { authorization }),
      pathParameters: { proxy: `locations/${id}/pages/roster` },
    },
    { ...httpV1Event('GET', path, { authorization }), pathParameters: { id } },
  ];

  it.each([
    ['auth0%7Cabc', 'route_unresolved', undefined],
    ['auth0|abc', 'role', 'location:auth0|abc'],
  ])('counts as encoded once only: with the parameter %s it is %s', async (id, reason, scope) => {
    for (const event of withParameters(id, await authorizationWith())) {
      const { context } = await setUp().authorizer(event);
      expect([context?.reason, context?.scope]).toEqual([reason, scope]);
    }
  });
});

describe('a policy for the whole API', () => {
  const resources = { allow: ['arn:aws:execute-api:*/whole'], deny: [] };
  it.each([
    ['alice', 'api'],
    ['alice@example.org', 'api'],
    ['auth0%7Cabc', 'route'],
    ['auth0|abc', 'route'],
    ['alice%40example.org', 'route'],
  ])('is given for a path of one spelling only: for %s it is %s', async (id, coverage) => {
    const wholePolicy = vi.fn(async () => ({ subject: `user:${ALICE}`, resources }));
    const { authorizer } = setUp({ parts: { wholePolicy } });
    const headers = { Authorization: [await authorizationWith()] };
    const { context } = await authorizer(restRequestEvent('GET', `/locations/${id}/pages/roster`, headers));
    expect(context).toMatchObject({ coverage });
    expect(wholePolicy).toHaveBeenCalledTimes(coverage === 'api' ? 1 : 0);
  });
});

describe('a denied request', () => {
  it('returns the reason of the engine', async () => {
    const decide = async () => ({ allowed: false, reason: 'no_grant' }) as const;
    const { authorizer, lines } = setUp({ engine: { decide } });
    const event = httpEvent('GET', PATH, { authorization: await authorizationWith() });
    const { roles: _, tenant: __, ...rest } = CONTEXT;
    expect(await authorizer(event)).toEqual({
      isAuthorized: false,
      context: { ...rest, reason: 'no_grant' },
    });
    expect(lines).toEqual([]);
  });

  const [subject, coverage] = [`user:${ALICE}`, 'route'];
  it.each<[string, string, object, object]>([
    ['whose token has no subject', PATH, { sub: 'org/alice' }, { reason: 'subject_unknown', coverage }],
    ['that no route covers', `${PATH}/`, {}, { reason: 'route_unmapped', subject, coverage }],
    [
      'whose scope cannot be determined',
      '/here',
      {},
      { reason: 'route_unresolved', subject, route: 'by-header', coverage },
    ],
  ])('is one %s; the engine is not called', async (_, path, claims, context) => {
    const { asked, authorizer, lines } = setUp();
    const event = httpEvent('GET', path, { authorization: await authorizationWith({ ...claims }) });
    expect(await authorizer(event)).toEqual({ isAuthorized: false, context });
    expect([asked, lines]).toEqual([[], []]);
  });
});

describe('bad credentials', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['none', async () => httpEvent('GET', PATH), 'credentials_missing'],
    [
      'two spellings of the header',
      async () => {
        const credentials = await authorizationWith();
        return httpEvent('GET', PATH, { authorization: credentials, Authorization: `${credentials}x` });
      },
      'credentials_ambiguous',
    ],
    [
      'a token that has expired',
      async () => httpEvent('GET', PATH, { authorization: await authorizationWith({ exp: 1 }) }),
      'token_expired',
    ],
  ])("are refused with exactly 'Unauthorized', and nothing is read: %s", async (_, event, code) => {
    let questions = 0;
    const checkAsked = () => {
      questions += 1;
      return Promise.reject(new Error('nothing is to be asked'));
    };
    const { authorizer, lines } = setUp({ parts: { engine: { checkAsked } } });
    const error = await authorizer(await event()).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error('Unauthorized'));
    expect(Object.keys(error as object)).toEqual([]);
    expect(error).not.toHaveProperty('cause');
    expect(questions).toBe(0);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'INFO', message: 'credentials refused', code },
    ]);
  });
});

describe('a fault', () => {
  const down = new GatehouseError('transient', 'BatchGetItem did not get an answer in time', {
    cause: Object.assign(new Error('socket of 10.0.0.7'), { name: 'TimeoutError' }),
  });
  const rejects = () => Promise.reject(down);
  const fails = () => {
    throw down;
  };

  it.each<[string, SetUp]>([
    ['the decision cannot be made', { engine: { decide: rejects } }],
    ['what the question follows from cannot be had', { parts: { engine: { checkAsked: rejects } } }],
    ['the subject cannot be found', { parts: { subjectOf: fails } }],
    ['the keys cannot be had', { parts: { identify: rejects } }],
  ])('denies, has a generic message, and is logged once without token or header: %s', async (_, options) => {
    const { authorizer, lines } = setUp(options);
    const credentials = await authorizationWith();
    const event = httpEvent('GET', PATH, { authorization: credentials, cookie: 'id=s3cret' });
    const error = await authorizer(event).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error('Internal error'));
    expect(error).not.toHaveProperty('cause');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'ERROR',
      message: 'request failed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'test',
      code: 'transient',
      reason: 'BatchGetItem did not get an answer in time',
      causes: ['TimeoutError'],
      requestId: 'JKJaXmPLvHcESHA=',
    });
  });

  it('of an unexpected kind is logged by name only, because its message may quote anything', async () => {
    for (const failure of [
      new TypeError('Bearer eyJ s3cret'),
      'eyJ s3cret',
      undefined,
      { code: 'eyJ s3cret' },
    ]) {
      const { authorizer, lines } = setUp({ engine: { decide: () => Promise.reject(failure) } });
      const event = httpEvent('GET', PATH, { authorization: await authorizationWith() });
      await expect(authorizer(event)).rejects.toThrow(/^Internal error$/);
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toMatch(/eyJ|s3cret/);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'ERROR', message: 'request failed' });
      expect(JSON.parse(lines[0] ?? '')).not.toHaveProperty('reason');
    }
  });

  it("that calls itself 'Unauthorized' is a fault all the same", async () => {
    const decide = () => Promise.reject(new Error('Unauthorized'));
    const { authorizer } = setUp({ engine: { decide } });
    const event = httpEvent('GET', PATH, { authorization: await authorizationWith() });
    await expect(authorizer(event)).rejects.toThrow(/^Internal error$/);
  });

  it('results from a malformed event; the log contains the request id', async () => {
    const { authorizer, lines } = setUp();
    await expect(authorizer({}, { awsRequestId: 'invocation-1' })).rejects.toThrow(/^Internal error$/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      code: 'event_unsupported',
      requestId: 'invocation-1',
    });
  });
});
