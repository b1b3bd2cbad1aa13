import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import { REVOCATION_DEFAULTS, revocationBound } from '../../provisioning/revocation-bound.ts';
import { createLightWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse revoke-user`, `suspend-tenant`, `revoke-session`, `revoke-token`. */
let world: World;
beforeAll(async () => {
  world = await createLightWorld();
  await world.run('page.create', { name: 'home' });
});
const NOW = Date.parse('2026-03-01T00:00:00Z');
const asked = (...args: readonly string[]) =>
  gatehouse([...args, '--yes'], { env: { TABLE_NAME: world.table, USER: 'ops' }, now: () => NOW });

/** A tenant with a user who may do all that there is. */
async function someone(name: string) {
  const scope = `tenant:${(await world.run('tenant.create', { name })).id}`;
  const { id: role } = await world.run('role.create', { name: 'member', scope });
  const { id: everywhere } = await world.run('role.create', { name: `all ${name}`, scope: 'global' });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  const { id: user } = await world.run('user.create', { email: `${name.toLowerCase()}@example.com` });
  const { id: group } = await world.run('group.create', { name: 'staff', scope });
  await world.run('grant.create', { user, scope, roles: [role] });
  await world.run('assignment.create', { user, scope, role });
  await world.run('membership.create', { user, group });
  await world.run('global-role.create', { user, role: everywhere });
  await world.run('admin.create', { user });
  return { scope, user, role };
}
const check = (user: string, scope: string) => world.newEngine().check(`user:${user}`, 'home', scope);

describe('revoke-user', () => {
  test('disables the user at once, and says how long caches may still allow', async () => {
    const { scope, user } = await someone('Ann');
    const { code, out, error } = await asked(
      'revoke-user',
      'ann@example.com',
      '--result-ttl',
      '300',
      '--json',
    );
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({
      revoked: `user:${user}`,
      before: false,
      token: expect.stringMatching(/^gh1\./),
      at: '2026-03-01T00:00:00.000Z',
      atMost: { request: 360, webSocket: 7_260 },
      until: { request: '2026-03-01T00:06:00.000Z', webSocket: '2026-03-01T02:01:00.000Z' },
    });
    expect(
      answer.layers.map(({ layer, adds, atMost }: Record<string, unknown>) => [layer, adds, atMost]),
    ).toEqual([
      ['engine cache', 60, 60],
      ['API Gateway result cache', 300, 360],
      ['open WebSocket', 7_200, 7_260],
    ]);
    expect(await check(user, scope)).toMatchObject({ allowed: false, reason: 'subject_inactive' });
    // Who waits for the token sees it, whatever is cached.
    const engine = world.newEngine();
    expect(
      await engine.check(`user:${user}`, 'home', scope, { consistency: { atLeast: answer.token } }),
    ).toMatchObject({
      allowed: false,
    });
    const again = await asked('revoke-user', `user:${user}`);
    expect(again.code).toBe(0);
    expect(again.out).toContain(`(user:${user}) is disabled (it was disabled)\ntoken gh1.`);
    expect(again.out).toContain('the last request is allowed before 2026-03-01T00:01:00.000Z, 60 s from now');
  });

  test('--strip removes every grant, and can be repeated', async () => {
    const { scope, user } = await someone('Ben');
    const done = await asked('revoke-user', `user:${user}`, '--strip', '--json');
    expect(JSON.parse(done.out)).toMatchObject({ stripped: 5 });
    await world.run('user.update', { id: user, status: 'active' });
    world.settle();
    expect(await check(user, scope)).toMatchObject({ allowed: false, reason: 'no_grant' });
    for (const kind of ['grant', 'assignment', 'membership', 'global-role'])
      expect((await world.run(`${kind}.list`, { user })).items).toEqual([]);
    expect(JSON.parse((await asked('revoke-user', user, '--strip', '--json')).out)).toMatchObject({
      stripped: 0,
    });
  });

  test('a technical user', async () => {
    const account = `account:${(await world.run('account.create', { name: 'A' })).id}`;
    const { id } = await world.run('technical-user.create', { account, name: 'robot' });
    const { code, out } = await asked('revoke-user', `technical-user:${id}`, '--strip');
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining(`(technical-user:${id}) is inactive;`),
    });
  });
});

describe('suspend-tenant', () => {
  test('closes all scopes below it', async () => {
    const { scope, user } = await someone('Cyd');
    await world.run('admin.delete', { user });
    expect((await check(user, scope)).allowed).toBe(true);
    expect(await asked('suspend-tenant', scope)).toMatchObject({
      code: 0,
      error: expect.stringMatching(/ loses? home at Cyd \(tenant:.*\n\nundo of tenant\.update: /),
      out: expect.stringContaining(`(${scope}) is suspended, with all scopes below it\ntoken `),
    });
    world.settle();
    expect(await check(user, scope)).toMatchObject({ allowed: false, reason: 'scope_inactive' });
  });

  test('of every type of root', async () => {
    await world.run('scope-type.create', { name: 'campus', root: true });
    for (const type of ['client', 'account', 'location', 'enterprise']) {
      const { id } = await world.run(`${type}.create`, { name: `One ${type}` });
      expect(await asked('suspend-tenant', `${type}:${id}`), type).toMatchObject({ code: 0 });
    }
    const { id } = await world.run('scope.create', { type: 'campus', name: 'North' });
    expect(await asked('suspend-tenant', `campus:${id}`)).toMatchObject({ code: 0 });
  });

  test('a scope that is no root is refused, with advice', async () => {
    const tenant = `tenant:${(await world.run('tenant.create', { name: 'Root' })).id}`;
    const { id } = await world.run('location.create', { parent: tenant, name: 'P' });
    const { code, error } = await asked('suspend-tenant', `location:${id}`);
    expect({ code, error }).toEqual({
      code: 2,
      error: expect.stringContaining(
        `its root is ${tenant}. To close only what is below it: gatehouse command location.update id=${id} status=`,
      ),
    });
  });
});

test('revoke-session and revoke-token, and a JWT that no authorizer looks up', async () => {
  const email = `lou-${Date.now()}@mercy.example`;
  const { id: user } = await world.run('user.create', { email, displayName: 'Lou Park' });
  const lou = `Lou Park <${email}> (user:${user})`;
  const { id: session } = await world.run('session.create', { user });
  const { id: other } = await world.run('session.create', { user });
  const { id: token } = await world.run('token.create', { user, tokenType: 'api' });
  const ended = await asked('revoke-session', session, '--jwt-life', '900', '--result-ttl', '60', '--json');
  expect(JSON.parse(ended.out)).toMatchObject({ revoked: `session:${session}`, atMost: { request: 960 } });
  expect(await world.run('session.read', { id: session })).toMatchObject({ status: 'revoked' });
  expect(await asked('revoke-session', other)).toMatchObject({
    error: expect.stringContaining(`this ends session:${other} of ${lou}\n`),
    out: expect.stringContaining(`session:${other} of ${lou} is revoked\n`),
  });
  const revoked = await asked('revoke-token', token, '--cache-ttl', '10');
  expect(revoked).toMatchObject({
    code: 0,
    error: expect.stringContaining(`this ends token:${token} of ${lou}\n`),
    out: expect.stringMatching(/^token:.* is revoked\ntoken gh1[\s\S]*, 10 s from now\n$/),
  });
  expect(revoked.out).toContain(`token:${token} of ${lou} is revoked`);
  expect(await asked('revoke-token', token)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`token:${token} of ${lou} was revoked before\n\n`),
  });
});

describe('the arithmetic', () => {
  test('matches the document and the defaults', () => {
    const document = readFileSync(new URL('../../docs/freshness.md', import.meta.url), 'utf8');
    expect(REVOCATION_DEFAULTS.cacheTtl * 1_000).toBe(DEFAULT_TTL_MS);
    expect(document).toContain(`\`CACHE_TTL_SECONDS\`, ${REVOCATION_DEFAULTS.cacheTtl} unless set`);
    const aws = revocationBound({ ...REVOCATION_DEFAULTS, resultTtl: 300 });
    expect(document).toContain(
      `${REVOCATION_DEFAULTS.cacheTtl} s + 300 s. With the stack as shipped, whose result cache is off: ${revocationBound(REVOCATION_DEFAULTS).request} s.`,
    );
    expect(aws.request).toBe(360);
    expect(document).toContain('an open WebSocket | 2 h:');
    expect(aws.webSocket).toBe(60 + 2 * 3_600);
  });

  test('stale answers of an outage overlap with the cache TTL, they do not add to it', () => {
    expect(revocationBound({ ...REVOCATION_DEFAULTS, outageTtl: 600 }).request).toBe(600);
    expect(revocationBound({ ...REVOCATION_DEFAULTS, outageTtl: 30 }).request).toBe(60);
    expect(revocationBound({ cacheTtl: 0, outageTtl: 0, resultTtl: 0, webSocket: 0 })).toMatchObject({
      request: 0,
      webSocket: 0,
    });
  });
});

test.each([
  ['revoke-token', 'gh1_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0'],
  ['revoke-token', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0'],
  ['revoke-token', 'not an id'],
  ['revoke-session', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0'],
])('%s does not repeat what it was given: %s', async (command, credential) => {
  for (const more of [[], ['--json'], ['too many']]) {
    const { code, out, error } = await asked(command, credential, ...more);
    expect(code).toBe(2);
    expect(out + error).not.toContain(credential.slice(0, 8));
  }
});

const ID = '01M7YAMYCAWSND2TZ7F47P6DYF';
test.each([
  [['revoke-user', 'Ann B.'], 'USER Ann B.: no user or other subject has this name'],
  [['revoke-user', `user:${ID}`], 'this user does not exist'],
  [['revoke-user', `role:${ID}`], `USER role:${ID}: no user or other subject has this name`],
  [['revoke-user', 'nobody@example.com'], 'USER nobody@example.com: no user or other subject has this name'],
  [['suspend-tenant', 'nowhere'], 'TENANT nowhere: no scope has this name'],
  [['suspend-tenant', `role:${ID}`], `TENANT role:${ID}`],
  [['revoke-session', 'x'], 'there is no session with this id: give the id, not the credential itself'],
  [['revoke-token', ID], 'there is no token with this id: give the id, not the credential itself'],
  [['revoke-user', ID, '--cache-ttl', '1m'], '--cache-ttl 1m is not a whole number of seconds'],
])('%j is 2', async (args, message) => {
  const { code, out, error } = await asked(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error.startsWith(`gatehouse ${args[0]}: ${message}`), error).toBe(true);
});
