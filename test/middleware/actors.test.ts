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
import { createTokenWorld } from '../authorizer/token-world.ts';

/** Who acts for the caller, in a service that verifies tokens itself, or vouches for it (SPEC section 17). */
const { world, tokenWith, fetch } = await createTokenWorld(`
pages: [vault, lobby]
scopes: { Acme: { id: acme, type: tenant } }
roles:
  keeper: { id: keeper, owner: Acme, allow: [vault, lobby] }
  visitor: { id: visitor, owner: Acme, allow: [lobby] }
users:
  ann: { id: ann, grants: { Acme: [keeper] } }
  ben: { id: ben, grants: { Acme: [visitor] } }
`);

const tokenOf = async (actor?: string): Promise<string> =>
  `Bearer ${await tokenWith(actor === undefined ? {} : { act: { sub: actor } }, 10)}`;
const byToken = (more: object = { actorFrom: { claim: 'act', type: 'user' } }) =>
  bearer({ issuer: ISSUER, audience: AUDIENCE, ...more }, { clock: world.clock, fetch });
const parts = () => ({
  engine: world.newEngine(),
  reader: world.reader,
  now: world.clock.now,
  onFault: () => undefined,
});
const eventOf = (authorization: string) => ({
  version: '2.0',
  rawPath: '/vault',
  headers: { authorization },
  requestContext: { http: { method: 'GET', path: '/vault' } },
});

describe('a guard', () => {
  test('decides with the actor of the token, for its token alone, and tells handlers who acts', async () => {
    const seen: unknown[] = [];
    const guard = lambdaGuard({ ...parts(), who: byToken() });
    const handlerOf = (page: string) =>
      guard(page, 'tenant:acme').wrap(async (event: object) => {
        const { subject, actor } = authorizationOf(event);
        seen.push([subject, actor?.subject]);
        return { statusCode: 204 };
      });
    const [vault, lobby] = [handlerOf('vault'), handlerOf('lobby')];
    const [alone, acting] = [await tokenOf(), await tokenOf('ben')];
    for (let times = 0; times < 2; times++) {
      expect((await vault(eventOf(alone), {})).statusCode).toBe(204);
      expect((await vault(eventOf(acting), {})).statusCode).toBe(403);
      expect((await lobby(eventOf(acting), {})).statusCode).toBe(204);
    }
    expect(seen.slice(0, 2)).toEqual([
      ['user:ann', undefined],
      ['user:ann', 'user:ben'],
    ]);
  });

  test('refuses a token with an actor where the issuer names no claim', async () => {
    const handler = lambdaGuard({ ...parts(), who: byToken({}) })('lobby', 'tenant:acme').wrap(async () => ({
      statusCode: 204,
    }));
    expect((await handler(eventOf(await tokenOf('ben')), {})).statusCode).toBe(401);
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
    const handler = lambdaGuard({ ...parts(), who })('vault', 'tenant:acme').wrap(async () => ({
      statusCode: 204,
    }));
    expect((await handler(eventOf(''), {})).statusCode).toBe(status);
  });
});

test('the permissions of a caller are those of both, until the token ends', async () => {
  const endpoint = createPermissionsEndpoint({ ...parts(), who: byToken() });
  const snapshotFor = async (authorization: string): Promise<Snapshot> => {
    const http = {
      method: 'GET',
      target: '/permissions?scope=tenant:acme',
      header: (name: string) => (name === 'authorization' ? [authorization] : []),
      query: (name: string) => (name === 'scope' ? 'tenant:acme' : undefined),
    };
    const answer = await endpoint({}, http as never, async () => '' as never);
    return JSON.parse(String(answer.body));
  };
  const end = world.clock.now() + 10_000;
  const [alone, acting] = [await tokenOf(), await tokenOf('ben')];
  for (let times = 0; times < 2; times++) {
    expect(await snapshotFor(alone)).toMatchObject({ permissions: ['lobby', 'vault'] });
    expect(await snapshotFor(acting)).toMatchObject({ permissions: ['lobby'], expiresAt: end });
  }
});

test('a session ends with the token of its actor', async () => {
  const until = world.clock.now() + 10_000;
  const actor = { subject: 'user:ben', until };
  const session = await world.newEngine().session('user:ann', 'tenant:acme', {
    permissions: ['vault', 'lobby'],
    actor,
  });
  expect([session.can('vault'), session.can('lobby'), session.expiresAt]).toEqual([false, true, until]);
});
