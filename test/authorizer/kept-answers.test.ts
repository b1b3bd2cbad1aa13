import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { createWorld, type World } from '../support/world.ts';
import { AUDIENCE, createIssuer, httpEvent, ISSUER, type Issuer, settle, TTL_0 } from './support.ts';

/**
 * What an authorizer keeps, through its events: the composed handler, real provisioning, the embedded DynamoDB engine. No
 * answer may mix states that were never true together, and none outlives what it rests on (SPEC sections 2 and 10).
 */
let issuer: Issuer;
beforeAll(async () => {
  issuer = await createIssuer();
});

let world: World;
let place: string;
let role: string;
beforeEach(async () => {
  world = await createWorld();
  for (const name of ['reports', 'payroll']) await world.run('page.create', { name });
  place = `location:${(await world.run('location.create', { name: 'Place' })).id}`;
  role = (await world.run('role.create', { name: 'reader', scope: 'tenant' })).id;
  await world.run('role-permission.create', { role, permission: 'reports', effect: 'ALLOW' });
  world.settle();
});

const user = async (input: Record<string, unknown> = {}) => (await world.run('user.create', input)).id;
const give = (who: string) => world.run('grant.create', { user: who, scope: place, roles: [role] });
const map = (permission = 'reports', path = '/reports') =>
  world.run('route.create', { method: 'GET', path, permission, scope: place });

/** The authorizer, asked at seconds from now on: `Allow`, `Deny`, or the message of an error. */
function open(env: Record<string, string> = {}) {
  const handler = createHandlerFrom(
    {
      TABLE_NAME: world.table,
      TOKEN_ISSUER: ISSUER,
      TOKEN_AUDIENCE: AUDIENCE,
      CACHE_TTL_SECONDS: '60',
      JWKS_STALE_SECONDS: '86400',
      RESULT_CACHE: TTL_0,
      ...env,
    },
    {
      reader: world.reader,
      clock: world.clock,
      wait: world.clock.wait,
      random: () => 0,
      fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
      log: () => {},
    },
  );
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
      // biome-ignore lint/suspicious/noExplicitAny: each form of answer is looked at.
      const answer = (await handler(event).catch((error: Error) => error.message)) as any;
      if (typeof answer === 'string') return answer;
      if (!answer.policyDocument) return answer.isAuthorized ? 'Allow' : 'Deny';
      const effects = answer.policyDocument.Statement.map(({ Effect }: { Effect: string }) => Effect);
      return effects.includes('Allow') ? 'Allow' : 'Deny';
    },
  };
}

describe('states that were never true together', () => {
  test('a route that asks for more by now, beside a right that was given since', async () => {
    const route = (await map()).id;
    const [eve, somebody] = [await user(), await user()];
    world.settle();
    const { at, ask } = open();
    await ask({ sub: somebody });
    await at(10);
    await world.run('route.update', { id: route, permission: 'payroll' });
    await at(20);
    await give(eve);
    await at(29);
    expect(await ask({ sub: eve })).toBe('Deny');
  });

  test('a route that was deleted, beside a right that was given since', async () => {
    const route = (await map()).id;
    const [eve, somebody] = [await user(), await user()];
    world.settle();
    const { at, ask } = open();
    await ask({ sub: somebody });
    await at(10);
    await world.run('route.delete', { id: route });
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

describe('an end that is known', () => {
  test.each([
    ['api', 'policy'],
    ['route', 'policy'],
    ['route', 'simple'],
  ])('an assignment that ends: POLICY_COVERS=%s, HTTP_ANSWER=%s', async (covers, form) => {
    await map();
    const eve = await user();
    const end = new Date(world.clock.now() + 65_000 + 60_000).toISOString();
    await world.run('assignment.create', { user: eve, scope: place, role, endsAt: end });
    world.settle();
    const { at, ask } = open({ POLICY_COVERS: covers, HTTP_ANSWER: form });
    const effects: string[] = [];
    for (const second of [40, 64, 66, 100]) {
      await at(second);
      effects.push(await ask({ sub: eve }));
    }
    expect(effects).toEqual(['Allow', 'Allow', 'Deny', 'Deny']);
  });

  test.each([
    ['the user ends', (eve: string, end: string) => world.run('user.update', { id: eve, endsAt: end })],
  ])('%s, and a policy for the whole API with it', async (_, limit) => {
    await map();
    const eve = await user();
    await give(eve);
    await limit(eve, new Date(world.clock.now() + 60_000 + 65_000).toISOString());
    world.settle();
    const { at, ask } = open({ HTTP_ANSWER: 'policy' });
    const effects: string[] = [];
    for (const second of [60, 64, 66]) {
      await at(second);
      effects.push(await ask({ sub: eve }));
    }
    expect(effects).toEqual(['Allow', 'Allow', 'Deny']);
  });

  test('an assignment that begins shows in a policy for the whole API at once', async () => {
    await map();
    const eve = await user();
    const startsAt = new Date(world.clock.now() + 60_000 + 20_000).toISOString();
    await world.run('assignment.create', { user: eve, scope: place, role, startsAt });
    world.settle();
    const { at, ask } = open({ HTTP_ANSWER: 'policy' });
    await at(10);
    expect(await ask({ sub: eve })).toBe('Deny');
    await at(21);
    expect(await ask({ sub: eve })).toBe('Allow');
  });
});
