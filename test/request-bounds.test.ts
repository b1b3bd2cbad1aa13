import { beforeEach, describe, expect, test } from 'vitest';
import { createHandlerFrom } from '../authorizer/index.ts';
import { createExplainer, createLists, type Engine, type Lists } from '../engine/index.ts';
import {
  AUDIENCE,
  appSyncEvent,
  createIssuer,
  httpEvent,
  httpV1Event,
  ISSUER,
  restRequestEvent,
  restTokenEvent,
  TTL_0,
  webSocketEvent,
} from './authorizer/support.ts';
import { createLightWorld } from './support/world.ts';

/**
 * What one request of each kind may cost at most (docs/limits.md): calls to DynamoDB, keys of a call, bytes of an
 * answer. The table is as unfavourable as it may be: the longest path of scopes, the deepest inheritance, and a
 * subject with many groups, assignments and roles.
 */
const LEVELS = 16;
const MANY = 60;

const issuer = await createIssuer();
let engine: Engine;
let lists: Lists;
const email = 'crowded@example.com';

const world = await createLightWorld();
const make = async (command: string, input: Record<string, unknown>) => (await world.run(command, input)).id;
await world.run('page.create', { name: 'home' });
for (let n = 0; n < MANY; n++) await world.run('page.create', { name: `page-${n}` });
const top = `client:${await make('client.create', { name: 'Top' })}`;
let bottom = `project:${await make('project.create', { name: 'Project', parent: top })}`;
bottom = `building:${await make('building.create', { name: 'Building', parent: bottom })}`;
for (let level = 3; level <= LEVELS; level++)
  bottom = `zone:${await make('zone.create', { name: `Zone ${level}`, parent: bottom })}`;
const user = await make('user.create', { email });
const subject = `user:${user}`;
let parent: string | undefined;
for (let level = 0; level < LEVELS; level++) {
  parent = await make('role.create', { name: `role ${level}`, scope: top, ...(parent && { parent }) });
  await world.run('role-permission.create', { role: parent, permission: `page-${level}`, effect: 'ALLOW' });
}
const shared = parent ?? '';
let own = '';
for (let n = 0; n < MANY; n++) {
  const group = await make('group.create', { scope: bottom, name: `group ${n}` });
  await world.run('group-role.create', { group, role: parent });
  await world.run('membership.create', { user, group });
  const role = await make('role.create', { name: `own ${n}`, scope: top });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  await world.run('assignment.create', { user, scope: bottom, role });
  own = role;
}
const session = await make('session.create', { user });
const routes = [
  ['GET', '/zones/{zone}/pages/{page}', '{page}', 'zone:{zone}'],
  ['CONNECT', '/$connect', 'home', 'zone:{query:zone}'],
  ['GRAPHQL', '/', 'home', bottom],
  ['ANY', '/{rest+}', 'home', bottom],
];
for (const [method, path, permission, scope] of routes)
  await world.run('route.create', { api: 'default', method, path, permission, scope });

beforeEach(() => {
  world.settle();
  engine = world.newEngine();
  lists = createLists({ reader: world.reader, engine, clock: world.clock });
  world.calls.length = 0;
});

/** How many calls the request made; none of them has more keys than one BatchGetItem takes. */
async function callsOf(request: Promise<unknown>): Promise<number> {
  await request;
  for (const { keys } of world.calls) expect(keys).toBeLessThanOrEqual(100);
  return world.calls.splice(0).length;
}

describe('of the engine, with nothing cached', () => {
  test.each<[string, number, () => Promise<unknown>]>([
    ['a check', 2, () => engine.check(subject, 'home', bottom)],
    ['a strong check', 2, () => engine.check(subject, 'home', bottom, { consistency: 'strong' })],
    ['its roles', 2, () => engine.checkWithRoles(subject, 'home', bottom)],
    ['effective roles', 2, () => engine.effectiveRoles(subject, bottom)],
    [
      'a thousand checks at scopes that do not exist: four items each',
      40,
      () =>
        engine.checkMany(
          Array.from({ length: 1_000 }, (_, n) => ({
            subject: `user:01J8Z0E2Z8D2A3J7A7Y2${100_000 + n}`,
            permission: `nothing-${n}`,
            scope: `zone:01J8Z0E2Z8D2A3J7A7Y2${100_000 + n}`,
          })),
        ),
    ],
    [
      'a session of a thousand permissions',
      22,
      () =>
        engine.session(subject, bottom, {
          permissions: Array.from({ length: 1_000 }, (_, n) => `page-${n}`),
        }),
    ],
    ['an explanation', 7, () => createExplainer(world).explain(subject, 'page-59', bottom)],
    ['a page of permissions', 12, () => lists.listPermissions(subject, bottom)],
    ['a page of scopes', 8, () => lists.listScopes(subject, 'home')],
    ['a page of subjects', 30, () => lists.listSubjects('home', bottom)],
  ])('%s takes at most %i calls', async (_, most, request) => {
    expect(await callsOf(request())).toBeLessThanOrEqual(most);
  });
});

/** The subject is found by its email, and the token belongs to a session that may have been revoked. */
const ENV = {
  TABLE_NAME: 'memory',
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: AUDIENCE,
  SUBJECT_FROM: 'email',
  REVOCATION: 'session:sid',
  RESULT_CACHE: TTL_0,
};

describe('of the authorizer, with nothing cached', () => {
  async function ask(event: (token: string) => unknown, env: Readonly<Record<string, string>>) {
    const seconds = Math.floor(world.clock.now() / 1_000);
    const claims = { email, email_verified: true, sid: session, iat: seconds, exp: seconds + 600 };
    const token = await issuer.token(claims);
    const authorizer = createHandlerFrom(
      { ...ENV, ...env },
      {
        reader: world.reader,
        clock: world.clock,
        random: () => 0,
        wait: world.clock.wait,
        log: () => {},
        fetch: async () => new Response(JSON.stringify({ keys: [issuer.jwk] })),
      },
    );
    const answer = await authorizer(event(token) as never);
    return { answer, calls: await callsOf(authorizer(event(token) as never)) };
  }
  const path = () => `/zones/${bottom.slice('zone:'.length)}/pages/page-3`;
  const authorization = (token: string) => ({ authorization: `Bearer ${token}` });
  const WHOLE = { POLICY_COVERS: 'api', HTTP_ANSWER: 'policy' };
  const ONE = { POLICY_COVERS: 'route', HTTP_ANSWER: 'policy' };

  test.each<[string, number, (token: string) => unknown, Readonly<Record<string, string>>]>([
    ['HTTP API', 6, (token) => httpEvent('GET', path(), authorization(token)), { HTTP_ANSWER: 'simple' }],
    ['HTTP API, a policy', 6, (token) => httpEvent('GET', path(), authorization(token)), ONE],
    ['HTTP API, format 1.0', 6, (token) => httpV1Event('GET', path(), authorization(token)), ONE],
    [
      'REST API, REQUEST',
      7,
      (token) => restRequestEvent('GET', path(), { Authorization: [`Bearer ${token}`] }),
      ONE,
    ],
    ['REST API, TOKEN', 6, (token) => restTokenEvent('GET', path(), `Bearer ${token}`), ONE],
    [
      'WebSocket API',
      6,
      (token) =>
        webSocketEvent({ Authorization: [`Bearer ${token}`] }, { zone: [bottom.slice('zone:'.length)] }),
      {},
    ],
    ['AppSync', 6, (token) => appSyncEvent(`Bearer ${token}`), {}],
    ['REST API, the whole API', 330, (token) => restTokenEvent('GET', path(), `Bearer ${token}`), WHOLE],
  ])('%s takes at most %i calls, and its answer 8 KB', async (_, most, event, env) => {
    const { answer, calls } = await ask(event, env);
    expect(JSON.stringify(answer)).toMatch(/"(Effect":"Allow"|isAuthorized":true)/);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(8_192);
    expect(calls).toBeLessThanOrEqual(most);
  });
});

describe('of provisioning, in this table', () => {
  const command = async (name: string, input: Record<string, unknown>) => {
    const answer = await world.provision({ command: name, input, dryRun: true });
    expect(answer).toMatchObject({ ok: true });
    return answer;
  };
  const manifest = () => ({
    pages: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`planned-${n}`, {}])),
  });

  test.each<[string, number, () => Promise<unknown>]>([
    ['a look-up', 1, () => command('user.find', { email })],
    ['a page of a list', 17, () => command('user.list', { limit: 1_000 })],
    ['a page of what gives a user access', 9, () => command('user.access', { id: subject.slice(5) })],
    ['a write of a node', 4, () => command('zone.update', { id: bottom.slice(5), name: 'Other' })],
    [
      'a write below the longest path',
      20,
      () => command('assignment.delete', { user: subject.slice(5), scope: bottom, role: own }),
    ],
    ['the first step of a deletion', 6, () => command('user.delete', { id: subject.slice(5) })],
    [
      'a plan of a hundred new entries: four for each',
      412,
      () => command('tenant.plan', { manifest: manifest() }),
    ],
    [
      'who loses what with a role of sixty groups',
      150,
      () => command('access.compare', { commands: [{ command: 'role.delete', input: { id: shared } }] }),
    ],
  ])('%s takes at most %i calls', async (_, most, request) => {
    expect(await callsOf(request())).toBeLessThanOrEqual(most);
  });
});
