import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  createIdentityProvider,
  type FindCaller,
  type LocalCaller,
} from '../../local/identity/identity-provider.ts';
import { MAX_EXPIRES_IN_SECONDS } from '../../local/identity/token-request.ts';
import { listen } from '../support/listening.ts';
import { frozenClock } from './support.ts';

const ISSUER = 'http://issuer.test/_dev';
const AUDIENCE = 'gatehouse-local';
const clock = frozenClock();
const now = Math.floor(clock.now() / 1_000);

const users = new Map<string, LocalCaller>([
  ['ann@school.test', { kind: 'user', id: '01USERANN', email: 'ann@school.test' }],
  ['ben', { kind: 'user', id: '01USERBEN' }],
  ['robot', { kind: 'program', apiToken: 'gh1_x', expiresAt: new Date(clock.now() + 90_000).toISOString() }],
]);

type Jwks = Parameters<typeof createLocalJWKSet>[0];

const provider = (findCaller: FindCaller) =>
  createIdentityProvider({ issuer: ISSUER, audience: AUDIENCE, clock: clock.now, findCaller });

/** Shared, because making an RSA key is slow. */
const shared = await provider(async (name) => users.get(name));

interface Answer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly error: string;
  readonly message: string;
}

async function setUp(listener = shared) {
  const origin = await listen(listener);
  const post = async (body: string, path = '/_dev/token') => {
    const response = await fetch(origin + path, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Answer, headers: response.headers };
  };
  const get = async (path: string) => (await fetch(origin + path)).json();
  const jwks = async () => (await get('/_dev/.well-known/jwks.json')) as Jwks;
  return { origin, post, get, jwks };
}

/** Verifies as an authorizer does, at a given time. */
const verify = (token: string, jwks: Jwks, at = now) =>
  jwtVerify(token, createLocalJWKSet(jwks), {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ['RS256'],
    requiredClaims: ['exp'],
    currentDate: new Date(at * 1_000),
  });

describe('POST /_dev/token', () => {
  test('issues a token that the published keys verify', async () => {
    const { post, jwks } = await setUp();
    const answer = await post('{"user":"ann@school.test"}');
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3_600 } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { payload } = await verify(answer.body.access_token, await jwks());
    expect(payload).toEqual({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: '01USERANN',
      email: 'ann@school.test',
      email_verified: true,
      iat: now,
      exp: now + 3_600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('issues a token without an email for a user who is found by another name', async () => {
    const { post, jwks } = await setUp();
    const { body } = await post('{"user":"ben"}');
    const { payload } = await verify(body.access_token, await jwks());
    expect([payload.sub, payload.email, payload.email_verified]).toEqual(['01USERBEN', undefined, undefined]);
  });

  test("answers a program's API token, with what is left of its time", async () => {
    const { post } = await setUp();
    const { status, body } = await post('{"user":"robot"}');
    expect([status, body]).toEqual([200, { access_token: 'gh1_x', token_type: 'Bearer', expires_in: 90 }]);
  });

  test('issues an expired token, for tests of expiry', async () => {
    const { post, jwks } = await setUp();
    const { status, body } = await post('{"user":"ann@school.test","expiresIn":-1}');
    expect([status, body.expires_in]).toEqual([200, -1]);
    const keys = await jwks();
    await expect(verify(body.access_token, keys)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
    expect((await verify(body.access_token, keys, now - 2)).payload.exp).toBe(now - 1);
  });

  test.each([-MAX_EXPIRES_IN_SECONDS, MAX_EXPIRES_IN_SECONDS])(
    'takes a lifetime of %i s',
    async (expiresIn) => {
      const { post } = await setUp();
      expect(await post(JSON.stringify({ user: 'ann@school.test', expiresIn }))).toMatchObject({
        status: 200,
        body: { expires_in: expiresIn },
      });
    },
  );

  test.each([
    ['no body', '', 'body:'],
    ['text that is not JSON', 'user=ann@school.test', 'body:'],
    ['a list', '[]', 'body:'],
    ['null', 'null', 'body:'],
    ['no user', '{}', 'user:'],
    ['an empty user', '{"user":""}', 'user:'],
    ['a number as user', '{"user":7}', 'user:'],
    ['a user longer than any address', JSON.stringify({ user: `${'a'.repeat(246)}@test.test` }), 'user:'],
    ['a lifetime as text', '{"user":"ann@school.test","expiresIn":"60"}', 'expiresIn:'],
    ['groups as a text', '{"user":"ann@school.test","groups":"staff"}', 'groups:'],
    ['an empty group', '{"user":"ann@school.test","groups":[""]}', 'groups:'],
    ['half a second', '{"user":"ann@school.test","expiresIn":0.5}', 'expiresIn:'],
    [
      'a lifetime above a day',
      `{"user":"ann@school.test","expiresIn":${MAX_EXPIRES_IN_SECONDS + 1}}`,
      'expiresIn:',
    ],
    [
      'an expiry of more than a day ago',
      `{"user":"ann@school.test","expiresIn":-${MAX_EXPIRES_IN_SECONDS + 1}}`,
      'expiresIn:',
    ],
    ['a field that it does not know', '{"user":"ann@school.test","expires_in":60}', 'expires_in:'],
  ])('answers 400 to %s and names the field', async (_, sent, field) => {
    const { post } = await setUp();
    const { status, body } = await post(sent);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.message.startsWith(field)).toBe(true);
  });

  test('answers 404 for an unknown user', async () => {
    const { post } = await setUp();
    expect(await post('{"user":"bob@school.test"}')).toMatchObject({
      status: 404,
      body: { error: 'unknown_user', message: 'user: nobody is known as bob@school.test' },
    });
  });

  test('answers 413 to a body longer than any request can be', async () => {
    const { post } = await setUp();
    expect((await post(JSON.stringify({ user: 'x'.repeat(10_240) }))).status).toBe(413);
  });

  test('answers 500 when users cannot be looked up', async () => {
    const { post } = await setUp(await provider(async () => Promise.reject(new Error('no table'))));
    expect(await post('{"user":"ann@school.test"}')).toMatchObject({
      status: 500,
      body: { error: 'server_error', message: 'no table' },
    });
  });
});

describe('the documents', () => {
  test('publish the public half of one key, whose id is its thumbprint', async () => {
    const { post, jwks } = await setUp();
    const { keys } = await jwks();
    expect(keys).toEqual([
      { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: expect.any(String), alg: 'RS256', use: 'sig' },
    ]);
    const { body } = await post('{"user":"ann@school.test"}');
    expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: 'RS256', typ: 'JWT', kid: keys[0]?.kid });
    expect(keys[0]?.kid).toBe(await calculateJwkThumbprint(keys[0] ?? {}));
  });

  test('have the addresses of keys and tokens', async () => {
    const { get } = await setUp();
    expect(await get('/_dev/.well-known/openid-configuration')).toMatchObject({
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      token_endpoint: `${ISSUER}/token`,
      id_token_signing_alg_values_supported: ['RS256'],
    });
  });

  test('differ between two providers: tokens of one are invalid for the other', async () => {
    const one = await setUp();
    const other = await setUp(await provider(async () => undefined));
    const { body } = await one.post('{"user":"ann@school.test"}');
    const foreign = await other.jwks();
    await expect(verify(body.access_token, foreign)).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    });
  });
});

test('other paths and verbs are refused', async () => {
  const { origin, post } = await setUp();
  expect(await post('{}', '/_dev/other')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  const wrongVerb = await fetch(`${origin}/_dev/token`);
  expect([wrongVerb.status, wrongVerb.headers.get('allow')]).toEqual([405, 'POST']);
});
