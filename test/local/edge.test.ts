import { beforeEach, describe, expect, test } from 'vitest';
import { ANSWER_SOURCE_HEADER, createGateway } from '../../local/gateway/gateway.ts';
import { serveFor } from '../authorizer/served.ts';
import { createIssuer } from '../authorizer/support.ts';
import { createMemoryWorld } from '../support/world.ts';
import { request, restApi } from './support.ts';

/**
 * The whole edge: a gateway that caches as AWS does, under the token alone and for five minutes, and the authorizer;
 * and people who try to get further than they may.
 */
const issuer = await createIssuer();
const world = createMemoryWorld();
await world.apply(`
pages: [news, notes, secret, paper]
scopes:
  ours: { id: ours, type: tenant }
  theirs: { id: theirs, type: tenant }
  our place: { id: our-place, type: location, parent: ours }
  their place: { id: their-place, type: location, parent: theirs }
roles:
  reader: { allow: [news, notes] }
  paper: { allow: [paper] }
users:
  ann: { id: ann, grants: { ours: [reader] } }
  cat: { id: cat, grants: { ours: [paper] } }
routes:
  - { api: edge, method: GET, path: "/places/{place}/news", permission: news, scope: "location:{place}" }
  - { api: edge, method: DELETE, path: "/places/{place}/news", permission: secret, scope: "location:{place}" }
  - { api: edge, method: GET, path: "/places/{place}/notes/{note}", permission: notes, scope: "location:{place}" }
  - { api: edge, method: GET, path: "/places/{place}/notes/secret", permission: secret, scope: "location:{place}" }
  - { api: edge, method: GET, path: /mine, permission: news, scope: "tenant:{claim:tenant}" }
  - { api: edge, method: GET, path: /there, permission: paper, scope: "location:{query:at}" }
`);

/** A token of an hour. */
function sign(sub: string, claims: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(world.clock.now() / 1_000);
  return issuer.token({ iat: now, exp: now + 3_600, sub, ...claims });
}

/** A gateway with these identity sources, and an authorizer configured with them. */
function newGateway(identitySources: readonly string[] = ['method.request.header.Authorization']) {
  const RESULT_CACHE = JSON.stringify({ default: { ttl: 300, identitySources } });
  const invoke = serveFor(issuer, world, { API_NAME: 'edge', HTTP_ANSWER: 'policy', RESULT_CACHE });
  const api = restApi({
    routes: [{ key: 'ANY /{proxy+}', integration: async () => ({ statusCode: 200, body: 'reached' }) }],
    authorizer: { invoke, identitySources, resultTtlSeconds: 300 },
  });
  return createGateway({ apis: [api], clock: world.clock.now });
}

let gateway: ReturnType<typeof createGateway>;
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

describe('one cached answer', () => {
  test('allows exactly what the caller may use, whatever request came first', async () => {
    const asked = [
      ['GET /places/our-place/news', 200],
      ['DELETE /places/our-place/news', 403],
      ['GET /places/our-place/notes/7', 200],
      ['GET /places/their-place/news', 403],
      ['GET /places/their-place/notes/7', 403],
      ['GET /elsewhere', 403],
    ] as const;
    for (const first of asked) {
      gateway = newGateway();
      const token = await sign('ann');
      expect(await ask(first[0], token)).toBe(`${first[1]} miss`);
      for (const [line, status] of asked) expect(await ask(line, token)).toBe(`${status} hit`);
    }
  });

  test('refuses what a wildcard would allow: a Deny overrides an Allow', async () => {
    const token = await sign('ann');
    expect(await ask('GET /places/our-place/notes/public', token)).toBe('200 miss');
    expect(await ask('GET /places/our-place/notes/secret', token)).toBe('403 hit');
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
    const token = await sign('ann');
    expect(await ask('GET /places/our-place/notes/7', token)).toBe('200 miss');
    expect(await ask(`GET /places/our-place/${rest}`, token)).toBe('403 hit');
  });

  test('is not shared by tokens with different claims', async () => {
    const ours = await sign('ann', { tenant: 'ours' });
    const theirs = await sign('ann', { tenant: 'theirs' });
    expect(await ask('GET /mine', ours)).toBe('200 miss');
    expect(await ask('GET /mine', theirs)).toBe('403 miss');
  });
});

describe('data from the request', () => {
  test('another place in a header grants nothing', async () => {
    const token = await sign('ann');
    const headers = { 'x-location': 'our-place', 'X-Original-URL': '/places/our-place/news' };
    expect(await ask('GET /places/their-place/news', token, headers)).toBe('403 miss');
  });

  test.each(['*', '?', 'ours*', 'tenant:x', '../x', '', '\u0024{aws:username}'])(
    'a claim that would be more than a name opens nothing: %s',
    async (tenant) => {
      expect(await ask('GET /mine', await sign('ann', { tenant }))).toBe('403 miss');
    },
  );

  test.each(['*', '?'.repeat('our-place'.length), '%2a', '\u0024{*}'])(
    'nor does a place in the path: %s',
    async (place) => {
      const token = await sign('ann');
      expect(await ask(`GET /places/${place}/news`, token)).toBe('403 miss');
      expect(await ask('GET /places/our-place/news', token)).toBe('200 hit');
    },
  );
});

/** A caller with a route by query has no policy for the whole API: answers are for one route each. */
describe('a place in the query', () => {
  const there = (place: string): string => `GET /there?at=${place}`;

  test('under a key with it: an answer for each place', async () => {
    gateway = newGateway(['method.request.header.Authorization', 'method.request.querystring.at']);
    const token = await sign('cat');
    expect(await ask(there('our-place'), token)).toBe('200 miss');
    expect(await ask(there('their-place'), token)).toBe('403 miss');
    expect(await ask(there('our-place'), token)).toBe('200 hit');
    expect(await ask(there('their-place'), token)).toBe('403 hit');
  });
});
