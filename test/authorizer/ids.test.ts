import { describe, expect, it, vi } from 'vitest';
import type { AuthorizerParts } from '../../authorizer/authorizer.ts';
import { createAuthorizer, type VerifiedClaims } from '../../authorizer/index.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { NO_LOG } from '../support/log.ts';
import {
  ALICE,
  createFakeEngine,
  httpEvent,
  httpV1Event,
  identifyBy,
  NO_API,
  NOW,
  restRequestEvent,
  restTokenEvent,
  rule,
} from './support.ts';

/** Ids in paths, claims, headers and queries of requests of every kind (ADR 0004). */
const TOKEN = 'Bearer eyJ.good.token';
const RULES = [
  rule('record', 'GET', '/records/{id}', 'read', 'record:{id}'),
  rule('mine', 'GET', '/mine', 'read', 'record:{claim:sub}'),
  rule('header', 'GET', '/at/header', 'read', 'record:{header:x-record}'),
  rule('action', 'GET', '/{action}/of/{id}', 'records:{action}:record', 'record:{id}'),
  rule('user', 'GET', '/users/{user}', 'users', 'tenant:acme'),
];

function setUp(sub = 'nobody', parts: Partial<AuthorizerParts> = {}) {
  const fake = createFakeEngine({
    decide: async () => ({ allowed: true, reason: 'role' }),
    roles: ['R1'],
    rules: RULES,
  });
  const authorizer = createAuthorizer({
    ...NO_API,
    identify: identifyBy(async () => ({ sub }) as unknown as VerifiedClaims),
    subjectOf: () => `user:${ALICE}`,
    engine: fake.engine,
    log: NO_LOG,
    httpAnswer: 'policy',
    outsideKey: () => [],
    now: () => NOW,
    ...parts,
  });
  return { authorizer, asked: fake.asked };
}

const KINDS = {
  'HTTP API, format 2.0': (path: string) => httpEvent('GET', path, { authorization: TOKEN }),
  'HTTP API, format 1.0': (path: string) => httpV1Event('GET', path, { authorization: TOKEN }),
  'REST, REQUEST': (path: string) => restRequestEvent('GET', path, { Authorization: [TOKEN] }),
  'REST, TOKEN': (path: string) => restTokenEvent('GET', path, TOKEN),
};
type Policy = { policyDocument: { Statement: readonly { Effect: string; Resource: unknown }[] } };
const effectOf = (answer: unknown) => (answer as Policy).policyDocument.Statement[0]?.Effect;
const contextOf = (answer: unknown) => (answer as { context: Record<string, string> }).context;

describe.each(Object.entries(KINDS))('%s', (_kind, event) => {
  it.each(SAMPLE_ROWS)('decides about the id in its path, %s: %s', async (_what, id) => {
    const { authorizer } = setUp();
    // As it was sent, and as a kind hands it over that decodes paths.
    for (const given of [encodeURIComponent(id), id]) {
      const answer = await authorizer(event(`/records/${given}`));
      expect(effectOf(answer)).toBe('Allow');
      expect(contextOf(answer)).toMatchObject({ scope: `record:${id}`, route: 'record', coverage: 'route' });
    }
  });

  it.each(SAMPLE_ROWS)('takes it where the decision does not look, %s: %s', async (_what, id) => {
    const answer = await setUp().authorizer(event(`/users/${encodeURIComponent(id)}`));
    expect(effectOf(answer)).toBe('Allow');
  });

  it.each(['auth0%2Fabc', 'auth0%00abc', 'auth0%257Cabc', 'auth0%7', 'auth0%zz', '%2e%2e', 'a%3Ab', 'a%2A'])(
    'refuses %s',
    async (given) => {
      const { authorizer } = setUp();
      for (const path of [`/records/${given}`, `/users/${given}`])
        expect(effectOf(await authorizer(event(path)))).toBe('Deny');
    },
  );
});

describe('a path that an HTTP API has decoded already', () => {
  const withParameters = (id: string) => [
    { ...httpEvent('GET', '/records/auth0%7Cabc', { authorization: TOKEN }), pathParameters: { id } },
    {
      ...httpEvent('GET', '/records/auth0%7Cabc', { authorization: TOKEN }),
      pathParameters: { proxy: `records/${id}` },
    },
    { ...httpV1Event('GET', '/records/auth0%7Cabc', { authorization: TOKEN }), pathParameters: { id } },
  ];

  it('is refused if its id was encoded twice', async () => {
    for (const event of withParameters('auth0%7Cabc')) {
      const answer = await setUp().authorizer(event);
      expect(effectOf(answer)).toBe('Deny');
      expect(contextOf(answer)).toMatchObject({ reason: 'route_unresolved' });
    }
  });

  it('is decided if its parameters say that it was encoded once', async () => {
    for (const event of withParameters('auth0|abc'))
      expect(contextOf(await setUp().authorizer(event))).toMatchObject({ scope: 'record:auth0|abc' });
  });
});

describe('an id', () => {
  it.each(SAMPLE_ROWS)('comes from a claim as it is, %s: %s', async (_what, id) => {
    const answer = await setUp(id).authorizer(KINDS['REST, REQUEST']('/mine'));
    expect(contextOf(answer)).toMatchObject({ scope: `record:${id}` });
  });

  it.each(SAMPLE_ROWS)('comes from a header as it is, %s: %s', async (_what, id) => {
    const event = httpEvent('GET', '/at/header', { authorization: TOKEN, 'x-record': id });
    expect(contextOf(await setUp().authorizer(event))).toMatchObject({ scope: `record:${id}` });
  });

  it('is not decoded in a claim or a header', async () => {
    const refused = { reason: 'route_unresolved' };
    expect(contextOf(await setUp('auth0%7Cabc').authorizer(KINDS['REST, REQUEST']('/mine')))).toMatchObject(
      refused,
    );
    const event = httpEvent('GET', '/at/header', { authorization: TOKEN, 'x-record': 'auth0%7Cabc' });
    expect(contextOf(await setUp().authorizer(event))).toMatchObject(refused);
  });

  it('is no part of a permission unless it is a name', async () => {
    const answer = await setUp().authorizer(KINDS['REST, REQUEST']('/read%7Cwrite/of/x'));
    expect(effectOf(answer)).toBe('Deny');
    expect(contextOf(answer)).toMatchObject({ reason: 'route_unresolved' });
  });
});

describe('a policy for the whole API', () => {
  const resources = { allow: ['arn:aws:execute-api:*/whole'], deny: [] };
  it.each([
    ['/records/alice', 'api'],
    ['/records/alice@example.org', 'api'],
    ['/records/auth0%7Cabc', 'route'],
    ['/records/auth0|abc', 'route'],
    ['/records/alice%40example.org', 'route'],
    ['/nowhere/auth0%7Cabc', 'route'],
  ])('answers a request for %s: %s', async (path, coverage) => {
    const wholePolicy = vi.fn(async () => ({ subject: `user:${ALICE}`, resources }));
    const { authorizer } = setUp('nobody', { wholePolicy });
    expect(contextOf(await authorizer(KINDS['REST, REQUEST'](path)))).toMatchObject({ coverage });
    expect(wholePolicy).toHaveBeenCalledTimes(coverage === 'api' ? 1 : 0);
  });
});
