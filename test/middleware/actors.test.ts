import { describe, expect, test } from 'vitest';
import {
  authorizationOf,
  bearer,
  type Caller,
  createPermissionsEndpoint,
  lambdaGuard,
  type Snapshot,
} from '../../middleware/index.ts';
import { AUDIENCE, ISSUER } from '../authorizer/support.ts';
import { createAcme } from '../authorizer/token-world.ts';

/** Who acts for the caller, and the groups of the caller, in a service that verifies tokens itself, or vouches for it. */
const { world, tokenWith, fetch } = await createAcme();

const tokenOf = async (claims: object = {}): Promise<string> =>
  `Bearer ${await tokenWith({ ...claims }, 10)}`;
const BEN_ACTS = { act: { sub: 'ben' } };
const byToken = (more: object = { actorFrom: { claim: 'act', type: 'user' }, groupsFrom: 'roles' }) =>
  bearer({ issuer: ISSUER, audience: AUDIENCE, ...more }, { clock: world.clock, fetch });
const parts = () => ({
  engine: world.newEngine(),
  reader: world.reader,
  now: world.clock.now,
  onFault: () => undefined,
});

/** The status of a request for a page. */
const statusOf = (guard: ReturnType<typeof lambdaGuard>, page: string, seen: unknown[] = []) => {
  const handler = guard(page, 'tenant:acme').wrap(async (event: object) => {
    const { subject, actor } = authorizationOf(event);
    seen.push([subject, actor?.subject]);
    return { statusCode: 204 };
  });
  return async (authorization: string) => (await handler({ headers: { authorization } }, {})).statusCode;
};

describe('a guard', () => {
  test('tells handlers who acts, by the token alone', async () => {
    const seen: unknown[] = [];
    const lobby = statusOf(lambdaGuard({ ...parts(), who: byToken() }), 'lobby', seen);
    for (const claims of [{}, BEN_ACTS, {}]) expect(await lobby(await tokenOf(claims))).toBe(204);
    expect(seen).toEqual([undefined, 'user:ben', undefined].map((actor) => ['user:ann', actor]));
  });

  test('refuses a token with an actor where the issuer names no claim', async () => {
    const lobby = statusOf(lambdaGuard({ ...parts(), who: byToken({}) }), 'lobby');
    expect(await lobby(await tokenOf(BEN_ACTS))).toBe(401);
  });

  test.each<[string, unknown, number]>([
    ['one that may', { subject: 'user:ann' }, 204],
    ['one that may not', { subject: 'user:ben' }, 403],
    ['one whose token is over', { subject: 'user:ann', until: 0 }, 401],
    ['none', null, 503],
    ['a text', 'user:ben', 503],
    ['one without a subject', { mandate: 'mandate:m1' }, 503],
    ['one whose mandate is no text', { subject: 'user:ann', mandate: 7 }, 503],
  ])('takes an actor from the application: %s', async (_, actor, status) => {
    const who = () => ({ subject: 'user:ann', actor }) as Caller;
    expect(await statusOf(lambdaGuard({ ...parts(), who }), 'vault')('')).toBe(status);
  });
});

test('the permissions of a caller are those of both, with what groups give, until the token ends', async () => {
  const endpoint = createPermissionsEndpoint({ ...parts(), who: byToken() });
  const snapshotFor = async (claims?: object): Promise<Snapshot> => {
    const authorization = await tokenOf(claims);
    const http = {
      method: 'GET',
      target: '/permissions?scope=tenant:acme',
      header: (name: string) => (name === 'authorization' ? [authorization] : []),
      query: (name: string) => (name === 'scope' ? 'tenant:acme' : undefined),
    };
    const answer = await endpoint({}, http as never, async () => '' as never);
    return JSON.parse(String(answer.body));
  };
  const expiresAt = world.clock.now() + 10_000;
  const [lobby, both] = [['lobby'], ['lobby', 'vault']];
  for (let times = 0; times < 2; times++) {
    expect(await snapshotFor()).toMatchObject({ permissions: both });
    expect(await snapshotFor(BEN_ACTS)).toMatchObject({ permissions: lobby, expiresAt });
    expect(await snapshotFor({ sub: 'ben', roles: ['key staff'] })).toMatchObject({
      permissions: both,
      expiresAt,
    });
    expect(await snapshotFor({ sub: 'ben' })).toMatchObject({ permissions: lobby });
  }
});

test('a session ends with the token of its actor', async () => {
  const until = world.clock.now() + 10_000;
  const [actor, permissions] = [{ subject: 'user:ben', until }, ['vault', 'lobby']];
  const session = await world.newEngine().session('user:ann', 'tenant:acme', { permissions, actor });
  expect([session.can('vault'), session.can('lobby'), session.expiresAt]).toEqual([false, true, until]);
});
