import { describe, expect, test } from 'vitest';
import { bearer, createPermissionsEndpoint, lambdaGuard, type Snapshot } from '../../middleware/index.ts';
import { AUDIENCE, ISSUER } from '../authorizer/support.ts';
import { createTokenWorld } from '../authorizer/token-world.ts';
import { mean } from '../support/external-groups.ts';

/** Groups in a token, in a service that verifies it itself. */
const {
  world,
  fetch,
  tokenWith: signed,
} = await createTokenWorld(`
pages: [vault, lobby]
scopes: { Acme: { id: acme, type: tenant } }
roles:
  keeper: { id: keeper, owner: Acme, allow: [vault] }
  visitor: { id: visitor, owner: Acme, allow: [lobby] }
groups: { Keepers: { id: keepers, scope: Acme, roles: [keeper] } }
users: { ann: { id: ann, grants: { Acme: [visitor] } } }
`);
await mean(world, 'tenant:acme', ISSUER, { staff: ['keepers', 'tenant:acme'] });
world.settle();

const tokenWith = async (claims: Record<string, unknown>): Promise<string> =>
  `Bearer ${await signed(claims, 10)}`;
const parts = () => ({
  engine: world.newEngine(),
  reader: world.reader,
  now: world.clock.now,
  who: bearer({ issuer: ISSUER, audience: AUDIENCE, groupsFrom: 'roles' }, { clock: world.clock, fetch }),
});

test('a guard allows by them, for their token alone', async () => {
  const handler = lambdaGuard(parts())('vault', 'tenant:acme').wrap(async () => ({ statusCode: 204 }));
  const statusFor = async (authorization: string, headers = {}) => {
    const request = { http: { method: 'GET', path: '/vault' } };
    const event = {
      version: '2.0',
      rawPath: '/vault',
      headers: { authorization, ...headers },
      requestContext: request,
    };
    return (await handler(event, {})).statusCode;
  };
  const [having, lacking] = [await tokenWith({ roles: ['staff'] }), await tokenWith({ groups: ['staff'] })];
  for (let times = 0; times < 2; times++) {
    expect(await statusFor(having)).toBe(204);
    expect(await statusFor(lacking, { roles: 'staff' })).toBe(403);
  }
});

describe('the permissions of a caller', () => {
  const snapshotFor = async (authorization: string): Promise<Snapshot> => {
    const http = {
      method: 'GET',
      target: '/permissions?scope=tenant:acme',
      header: (name: string) => (name === 'authorization' ? [authorization] : []),
      query: (name: string) => (name === 'scope' ? 'tenant:acme' : undefined),
    };
    const answer = await createPermissionsEndpoint(parts())({}, http as never, async () => '' as never);
    return JSON.parse(String(answer.body));
  };

  test('hold what a group of the token gives, until the token ends', async () => {
    const end = world.clock.now() + 10_000;
    expect(await snapshotFor(await tokenWith({ roles: ['staff'] }))).toMatchObject({
      permissions: ['lobby', 'vault'],
      expiresAt: end,
    });
    expect(await snapshotFor(await tokenWith({}))).toMatchObject({ permissions: ['lobby'] });
  });
});
