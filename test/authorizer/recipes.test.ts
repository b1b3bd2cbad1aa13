import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorizer/index.ts';
import { textOf } from '../documents/documents.ts';
import { createWorld } from '../support/world.ts';
import { answerOf, serveFor } from './served.ts';
import { createIssuer, httpEvent } from './support.ts';

/** The recipes of docs/conditions.md for APIs, with the settings that they name. */
const DOCUMENT = textOf('docs/conditions.md');

const OFFICE =
  "cidr('203.0.113.0/24').containsIP(context.ip) || cidr('2001:db8::/32').containsIP(context.ip)";
const STEP_UP = "context.claims.acr == 'mfa'";
const HOURS = `context.time.getDayOfWeek('Europe/Berlin') in [1, 2, 3, 4, 5]
  && context.time.getHours('Europe/Berlin') >= 8
  && context.time.getHours('Europe/Berlin') < 18`;
const CACHES = {
  byAddress: `{"default":{"ttl":300,"identitySources":["$request.header.Authorization","$context.identity.sourceIp"]}}`,
  off: '{"default":{"ttl":0}}',
};

const issuer = await createIssuer();
const user = 'ann';
const GUARDED = { ledger: OFFICE, payments: STEP_UP, till: HOURS };

const world = await createWorld(
  JSON.stringify({
    pages: Object.keys(GUARDED),
    scopes: { Ours: { type: 'tenant', id: 'ours' } },
    roles: {
      clerk: {
        owner: 'Ours',
        allow: Object.entries(GUARDED).map(([permission, when]) => ({ permission, when })),
      },
    },
    users: { ann: { id: user, grants: { Ours: ['clerk'] } } },
    routes: Object.keys(GUARDED).map((permission) => ({
      method: 'GET',
      path: `/${permission}`,
      permission,
      scope: 'tenant:ours',
    })),
  }),
);

const authorizerWith = (RESULT_CACHE: string): Authorizer =>
  serveFor(issuer, world, { RESULT_CACHE, HTTP_ANSWER: 'policy' });

/** `allow`, or why not. */
async function ask(
  authorizer: Authorizer,
  page: string,
  { ip = '203.0.113.9', claims = {} }: { ip?: string; claims?: Record<string, unknown> } = {},
) {
  const token = await issuer.token({ sub: user, exp: world.clock.now() / 1_000 + 600, ...claims });
  const event = httpEvent('GET', `/${page}`, { authorization: `Bearer ${token}` });
  const { http } = event.requestContext;
  const requestContext = { ...event.requestContext, http: { ...http, sourceIp: ip } };
  return (await answerOf(authorizer, { ...event, requestContext })).said;
}

test('the document has each expression and each cache', () => {
  const document = DOCUMENT.replaceAll(/\s+/g, ' ');
  for (const text of [OFFICE, STEP_UP, HOURS, ...Object.values(CACHES)])
    expect(document).toContain(text.replaceAll(/\s+/g, ' '));
});

describe('IP ranges', () => {
  test.each(['byAddress', 'off'] as const)('from the office only: cache %s', async (cache) => {
    const authorizer = authorizerWith(CACHES[cache]);
    expect(await ask(authorizer, 'ledger')).toBe('allow');
    expect(await ask(authorizer, 'ledger', { ip: '2001:db8::7' })).toBe('allow');
    expect(await ask(authorizer, 'ledger', { ip: '203.0.113.9:80' })).toBe('allow');
    for (const ip of ['203.0.114.9', '198.51.100.1', '2001:db9::1', '::1'])
      expect(await ask(authorizer, 'ledger', { ip }), ip).toBe('no_grant');
    for (const ip of ['', 'unknown', 'test-invoke-source-ip', '203.0.113.9, 10.0.0.1'])
      expect(await ask(authorizer, 'ledger', { ip }), ip).toBe('condition_failed');
  });
});

test('step-up: only with a token of a strong sign-in, in any cache that holds the token', async () => {
  for (const cache of Object.values(CACHES)) {
    const authorizer = authorizerWith(cache);
    expect(await ask(authorizer, 'payments', { claims: { acr: 'mfa' } })).toBe('allow');
    for (const acr of ['pwd', 'MFA', '', 1, ['mfa']])
      expect(await ask(authorizer, 'payments', { claims: { acr } }), String(acr)).toBe('no_grant');
    expect(await ask(authorizer, 'payments')).toBe('condition_failed');
  }
});

describe('office hours', () => {
  // 2026-01-16 is a Friday; Berlin is an hour ahead of UTC in January.
  test.each([
    ['2026-01-16T06:59:00.000Z', 'no_grant'],
    ['2026-01-16T07:00:00.000Z', 'allow'],
    ['2026-01-16T16:59:00.000Z', 'allow'],
    ['2026-01-16T17:00:00.000Z', 'no_grant'],
    ['2026-01-17T10:00:00.000Z', 'no_grant'],
    // An hour earlier in UTC, from the end of March on.
    ['2026-07-01T06:00:00.000Z', 'allow'],
    ['2026-07-01T16:00:00.000Z', 'no_grant'],
  ])('with a TTL of 0, at %s: %s', async (instant, outcome) => {
    world.clock.advance(Date.parse(instant) - world.clock.now());
    expect(await ask(authorizerWith(CACHES.off), 'till')).toBe(outcome);
  });
});
