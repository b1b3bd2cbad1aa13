import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../support/world.ts';
import { answerOf, serveFor } from './served.ts';
import { createIssuer, httpEvent, settle } from './support.ts';

/**
 * What an authorizer keeps, through its events: the composed handler, real provisioning, the embedded DynamoDB engine. No
 * answer may mix states that were never true together, and none outlives what it rests on (SPEC sections 2 and 10).
 */
const issuer = await createIssuer();

let world: World;
const place = 'location:place';
beforeEach(async () => {
  world = await createWorld(`
pages: [reports, payroll]
scopes: { Place: { id: place, type: location } }
roles: { reader: { id: reader, allow: [reports] } }
`);
});

const user = async (input: Record<string, unknown> = {}) => (await world.run('user.create', input)).id;
const give = (who: string) => world.run('grant.create', { user: who, scope: place, roles: ['reader'] });
const map = (permission = 'reports', path = '/reports') =>
  world.run('route.create', { method: 'GET', path, permission, scope: place });

/** The authorizer, asked at seconds from now on: `Allow`, `Deny`, or the message of an error. */
function open(env: Record<string, string> = {}) {
  const handler = serveFor(issuer, world, { CACHE_TTL_SECONDS: '60', JWKS_STALE_SECONDS: '86400', ...env });
  const start = world.clock.now();
  return {
    at: async (second: number) => {
      world.clock.advance(start + second * 1_000 - world.clock.now());
      await settle();
    },
    ask: async (claims: Record<string, unknown>, path = '/reports', stage = '$default'): Promise<string> => {
      const seconds = Math.floor(world.clock.now() / 1_000);
      const token = await issuer.token({ iat: seconds, exp: seconds + 600, ...claims });
      const event = httpEvent('GET', path, { authorization: `Bearer ${token}` }, stage);
      const { said, coverage } = await answerOf(handler, event);
      if (coverage === undefined) return said;
      return said === 'allow' ? 'Allow' : 'Deny';
    },
  };
}

describe('states that were never true together', () => {
  test.each([
    ['asks for more by now', 'route.update', { permission: 'payroll' }],
    ['was deleted', 'route.delete', {}],
  ])('a route that %s, beside a right that was given since', async (_, command, changes) => {
    const route = (await map()).id;
    const [eve, somebody] = [await user(), await user()];
    world.settle();
    const { at, ask } = open();
    await ask({ sub: somebody });
    await at(10);
    await world.run(command, { id: route, ...changes });
    await at(20);
    await give(eve);
    await at(29);
    expect(await ask({ sub: eve })).toBe('Deny');
  });

  test('an address that is of somebody else by now, beside a right that its old owner was given since', async () => {
    await map();
    const first = await user({ email: 'post@example.com' });
    world.settle();
    const { at, ask } = open({ SUBJECT_FROM: 'email' });
    const claims = { email: 'post@example.com', email_verified: true };
    await ask(claims, '/elsewhere');
    await at(10);
    await world.run('user.update', { id: first, email: 'first@example.com' });
    await user({ email: 'post@example.com' });
    await at(20);
    await give(first);
    await at(55);
    expect(await ask(claims)).toBe('Deny');
  });

  test.each(['api', 'route'])(
    'a session that was revoked before the right was given: POLICY_COVERS=%s',
    async (covers) => {
      await map();
      const eve = await user();
      const [home, stolen] = [
        (await world.run('session.create', { user: eve })).id,
        (await world.run('session.create', { user: eve })).id,
      ];
      world.settle();
      const { at, ask } = open({ REVOCATION: 'session:sid', HTTP_ANSWER: 'policy', POLICY_COVERS: covers });
      await ask({ sub: eve, sid: home });
      await at(30);
      await ask({ sub: eve, sid: stolen });
      await at(40);
      await world.run('session.update', { id: stolen, status: 'revoked' });
      await at(50);
      await give(eve);
      await at(61);
      await ask({ sub: eve, sid: home });
      expect(await ask({ sub: eve, sid: stolen })).not.toBe('Allow');
    },
  );
});
