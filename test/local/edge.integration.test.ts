import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { ANSWER_SOURCE_HEADER, createGateway } from '../../local/gateway/gateway.ts';
import { createWorld, type World } from '../support/world.ts';
import { request, restApi } from './support.ts';

/**
 * The whole edge: a gateway that caches as AWS does, under the token alone and for five minutes, the
 * authorizer, and a real DynamoDB engine; and people who try to get further than they may.
 */
const ISSUER = 'https://issuer.example';
let world: World;
let sign: (subject: string, claims?: Record<string, unknown>) => Promise<string>;
let gateway: ReturnType<typeof createGateway>;
/** A gateway with these identity sources, and an authorizer configured with them. */
let newGateway: (identitySources?: readonly string[]) => typeof gateway;
const id: Record<string, string> = {};

const ROUTES = [
  ['GET', '/places/{place}/news', 'news', 'location:{place}'],
  ['DELETE', '/places/{place}/news', 'secret', 'location:{place}'],
  ['GET', '/places/{place}/notes/{note}', 'notes', 'location:{place}'],
  ['GET', '/places/{place}/notes/secret', 'secret', 'location:{place}'],
  ['GET', '/mine', 'news', 'tenant:{claim:tenant}'],
  ['GET', '/there', 'paper', 'location:{query:at}'],
] as const;

beforeAll(async () => {
  world = await createWorld();
  const make = async (command: string, input: Record<string, unknown>) =>
    (await world.run(command, input)).id;
  for (const name of ['news', 'notes', 'secret', 'paper']) await make('page.create', { name });
  const reader = await make('role.create', { name: 'reader', scope: 'tenant' });
  for (const permission of ['news', 'notes'])
    await world.run('role-permission.create', { role: reader, permission, effect: 'ALLOW' });
  for (const [who, name] of [
    ['ann', 'ours'],
    ['bob', 'theirs'],
  ] as const) {
    const tenant = await make('tenant.create', { name });
    id[name] = tenant;
    id[`${name} place`] = await make('location.create', { name, parent: `tenant:${tenant}` });
    id[who] = await make('user.create', {});
    await world.run('grant.create', { user: id[who], scope: `tenant:${tenant}`, roles: [reader] });
  }
  for (const [method, path, permission, scope] of ROUTES)
    await world.run('route.create', { api: 'edge', method, path, permission, scope });
  world.settle();

  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
  sign = (subject, claims = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setSubject(subject)
      .setIssuer(ISSUER)
      .setAudience('edge')
      .setExpirationTime(new Date(world.clock.now() + 3_600_000))
      .sign(privateKey);
  newGateway = (identitySources = ['method.request.header.Authorization']) => {
    const invoke = createHandlerFrom(
      {
        TABLE_NAME: world.table,
        TOKEN_ISSUER: ISSUER,
        TOKEN_AUDIENCE: 'edge',
        API_NAME: 'edge',
        HTTP_ANSWER: 'policy',
        RESULT_CACHE: JSON.stringify({ default: { ttl: 300, identitySources } }),
      },
      {
        reader: world.reader,
        clock: world.clock,
        wait: world.clock.wait,
        fetch: async () => new Response(JSON.stringify({ keys: [jwk] })),
        log: () => undefined,
      },
    );
    const api = restApi({
      routes: [{ key: 'ANY /{proxy+}', integration: async () => ({ statusCode: 200, body: 'reached' }) }],
      authorizer: { invoke, identitySources, resultTtlSeconds: 300 },
    });
    return createGateway({ apis: [api], clock: world.clock.now });
  };
});
beforeEach(() => {
  world.settle();
  gateway = newGateway();
});

/** The status and the source of the answer. */
async function ask(line: string, token: string, more: Record<string, string> = {}): Promise<string> {
  const headers = Object.entries({ Authorization: `Bearer ${token}`, ...more });
  const { statusCode, headers: answered } = await gateway(request(line, headers));
  return `${statusCode} ${answered[ANSWER_SOURCE_HEADER]}`;
}
const at = (place: string, rest: string): string => `/places/${id[place]}/${rest}`;

describe('one cached answer', () => {
  test('allows exactly what the caller may use, whatever request came first', async () => {
    const asked = [
      [`GET ${at('ours place', 'news')}`, 200],
      [`DELETE ${at('ours place', 'news')}`, 403],
      [`GET ${at('ours place', 'notes/7')}`, 200],
      [`GET ${at('theirs place', 'news')}`, 403],
      [`GET ${at('theirs place', 'notes/7')}`, 403],
      ['GET /elsewhere', 403],
    ] as const;
    for (const first of asked) {
      gateway = newGateway();
      const token = await sign(id.ann ?? '');
      expect(await ask(first[0], token)).toBe(`${first[1]} miss`);
      for (const [line, status] of asked) expect(await ask(line, token)).toBe(`${status} hit`);
    }
  });

  test('refuses what a wildcard would allow: a Deny overrides an Allow', async () => {
    const token = await sign(id.ann ?? '');
    expect(await ask(`GET ${at('ours place', 'notes/public')}`, token)).toBe('200 miss');
    expect(await ask(`GET ${at('ours place', 'notes/secret')}`, token)).toBe('403 hit');
  });

  test.each([
    ['a deeper path', 'notes/7/more'],
    ['a trailing slash', 'notes/7/'],
    ['a doubled slash', 'notes//7'],
    ['an encoded slash', 'notes/7%2Fsecret'],
    ['an encoded name of what is secret', 'notes/%73ecret'],
    ['a dot segment', 'notes/..'],
    ['an encoded dot segment', 'notes/%2e%2e/secret'],
    ['a path parameter', 'notes/secret;v=1'],
    ['another case', 'Notes/7'],
    ['a wildcard in place of the resource', '*'],
  ])('refuses %s, though it was made for a wildcard', async (_, rest) => {
    const token = await sign(id.ann ?? '');
    expect(await ask(`GET ${at('ours place', 'notes/7')}`, token)).toBe('200 miss');
    expect(await ask(`GET ${at('ours place', rest)}`, token)).toBe('403 hit');
  });

  test('is never given to another caller', async () => {
    const [ann, bob] = [await sign(id.ann ?? ''), await sign(id.bob ?? '')];
    expect(await ask(`GET ${at('ours place', 'news')}`, ann)).toBe('200 miss');
    expect(await ask(`GET ${at('ours place', 'news')}`, bob)).toBe('403 miss');
    expect(await ask(`GET ${at('theirs place', 'news')}`, bob)).toBe('200 hit');
    expect(await ask(`GET ${at('ours place', 'news')}`, ann)).toBe('200 hit');
  });

  test('is not shared by tokens with different claims', async () => {
    const ours = await sign(id.ann ?? '', { tenant: id.ours });
    const theirs = await sign(id.ann ?? '', { tenant: id.theirs });
    expect(await ask('GET /mine', ours)).toBe('200 miss');
    expect(await ask('GET /mine', theirs)).toBe('403 miss');
  });
});

describe('data from the request', () => {
  test('the verb is the one that API Gateway calls, also with an override', async () => {
    const token = await sign(id.ann ?? '');
    const line = at('ours place', 'news');
    expect(await ask(`GET ${line}`, token, { 'X-HTTP-Method-Override': 'DELETE' })).toBe('403 miss');
    expect(await ask(`GET ${line}`, token)).toBe('200 hit');
  });

  test('another place in a header grants nothing', async () => {
    const token = await sign(id.ann ?? '');
    const headers = { 'x-location': id['ours place'] ?? '', 'X-Original-URL': at('ours place', 'news') };
    expect(await ask(`GET ${at('theirs place', 'news')}`, token, headers)).toBe('403 miss');
  });

  test.each(['*', '?', 'ours*', 'tenant:x', '../x', '', '\u0024{aws:username}'])(
    'a claim that would be more than a name opens nothing: %s',
    async (tenant) => {
      expect(await ask('GET /mine', await sign(id.ann ?? '', { tenant }))).toBe('403 miss');
    },
  );

  test.each(['*', '?'.repeat(26), '%2a', '\u0024{*}'])('nor does a place in the path: %s', async (place) => {
    const token = await sign(id.ann ?? '');
    expect(await ask(`GET /places/${place}/news`, token)).toBe('403 miss');
    expect(await ask(`GET ${at('ours place', 'news')}`, token)).toBe('200 hit');
  });

  test('two tokens are refused', async () => {
    const [ann, bob] = [await sign(id.ann ?? ''), await sign(id.bob ?? '')];
    const line = `GET ${at('ours place', 'news')}`;
    const both = [
      ['Authorization', `Bearer ${bob}`],
      ['authorization', `Bearer ${ann}`],
    ] as const;
    expect((await gateway(request(line, both))).statusCode).toBe(401);
  });
});

test('a removed permission ends with the cached answer', async () => {
  const token = await sign(id.bob ?? '');
  const line = `GET ${at('theirs place', 'news')}`;
  expect(await ask(line, token)).toBe('200 miss');
  await world.run('grant.delete', { user: id.bob, scope: `tenant:${id.theirs}` });
  world.clock.advance(299_000);
  expect(await ask(line, token)).toBe('200 hit');
  world.clock.advance(1_000);
  expect(await ask(line, token)).toBe('403 miss');
});

/** A caller with a route by query has no policy for the whole API: answers are for one route each. */
describe('a place in the query', () => {
  beforeAll(async () => {
    const role = (await world.run('role.create', { name: 'paper', scope: 'tenant' })).id;
    await world.run('role-permission.create', { role, permission: 'paper', effect: 'ALLOW' });
    id.cat = (await world.run('user.create', {})).id;
    await world.run('grant.create', { user: id.cat, scope: `tenant:${id.ours}`, roles: [role] });
    world.settle();
  });
  const there = (place: string): string => `GET /there?at=${id[place]}`;

  test('under a key without it: refused, the first time and from the cache', async () => {
    const token = await sign(id.cat ?? '');
    expect(await ask(there('ours place'), token)).toBe('403 miss');
    expect(await ask(there('theirs place'), token)).toBe('403 hit');
    expect(await ask(there('ours place'), token)).toBe('403 hit');
  });

  test('under a key with it: an answer for each place', async () => {
    gateway = newGateway(['method.request.header.Authorization', 'method.request.querystring.at']);
    const token = await sign(id.cat ?? '');
    expect(await ask(there('ours place'), token)).toBe('200 miss');
    expect(await ask(there('theirs place'), token)).toBe('403 miss');
    expect(await ask(there('ours place'), token)).toBe('200 hit');
    expect(await ask(there('theirs place'), token)).toBe('403 hit');
  });
});
