import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse route add`, `list`, `remove` and `test`, on the table of this file; each test has an API of its own. */
let world: World;
let user: string;
let project: string;
beforeAll(async () => {
  world = await createLightWorld();
  await world.run('module.create', { name: 'task' });
  await world.run('permission.create', { name: 'task:list:project' });
  const { id: client } = await world.run('client.create', { name: 'Acme' });
  project = (await world.run('project.create', { name: 'Bridge', parent: `client:${client}` })).id;
  const { id } = await world.run('user.create', { displayName: 'Ada' });
  user = `user:${id}`;
  const { id: role } = await world.run('role.create', { name: 'reader', scope: 'tenant' });
  await world.run('role-permission.create', { role, permission: 'task:list:project', effect: 'ALLOW' });
  await world.run('assignment.create', { user: id, scope: `project:${project}`, role });
});

let api: string;
let apis = 0;
beforeEach(() => {
  api = `api-${++apis}`;
});

const route = (args: readonly string[], env: Record<string, string> = {}) =>
  gatehouse(['route', ...args, '--api', api], { env: { TABLE_NAME: world.table, ...env } });
const add = (method: string, path: string, permission: string, scope: string, ...more: string[]) =>
  route(['add', method, path, '--permission', permission, '--scope', scope, ...more]);
/** Adds a route that must be fine, and returns its id. */
async function added(method: string, path: string, permission = 'admin', scope = 'tenant:{claim:tenant}') {
  const { code, out, error } = await add(method, path, permission, scope, '--json');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return (JSON.parse(out) as { id: string }).id;
}
const tried = async (...args: readonly string[]): Promise<{ code: number; [field: string]: unknown }> => {
  const { code, out, error } = await route(['test', ...args, '--json']);
  expect(error).toBe('');
  return { code, ...(JSON.parse(out) as Record<string, unknown>) };
};

describe('add, list, remove', () => {
  test('an added route is listed, and a removed one is not', async () => {
    const id = await added('GET', '/projects/{project}/tasks', 'task:list:project', 'project:{project}');
    await added('ANY', '/{rest+}');
    expect((await route(['list'])).out).toMatch(
      new RegExp(`^GET +/projects/\\{project\\}/tasks +task:list:project +project:\\{project\\} +${id}\n`),
    );
    expect(JSON.parse((await route(['list', '--json'])).out)).toMatchObject([{ id }, { path: '/{rest+}' }]);
    const removed = await route(['remove', id, '--yes']);
    expect(removed).toEqual({
      code: 0,
      out: `removed GET /projects/{project}/tasks of the API ${api} (route:${id})\n`,
      error: expect.stringMatching(
        /^this removes GET \S+tasks of the API \S+ \(route:\S+\): [\s\S]*undo of route.delete: route.create with the same fields/,
      ),
    });
    expect((await route(['list'])).out).not.toContain(id);
    expect(await route(['remove', id])).toMatchObject({
      code: 2,
      error: 'gatehouse route remove: this route does not exist\n',
    });
  });

  test('scopes that the path names above the scope are shown, and change no decision', async () => {
    const id = await added(
      'GET',
      '/clients/{clientId}/projects/{project}/tasks',
      'task:list:project',
      'project:{project}',
    );
    const asked = (client: string) => `/clients/${client}/projects/${project}/tasks`;
    expect((await route(['test', 'GET', asked(id)])).out).toContain(
      `scope       project:${project}\nprefetched  client:${id}\n`,
    );
    expect(await tried('GET', asked(id), '--subject', user)).toMatchObject({
      ...{ code: 0, allowed: true, prefetched: [`client:${id}`] },
    });
    const other = await tried('GET', asked('a:b'), '--subject', user);
    expect(other).toMatchObject({ code: 0, allowed: true });
    expect(other).not.toHaveProperty('prefetched');
  });

  test('an API without routes refuses everything, with a message', async () => {
    expect(await route(['list'])).toMatchObject({
      code: 0,
      out: `no routes in the API ${api}: every request to it is refused\n`,
    });
  });

  test('the audit log names the actor: --actor, otherwise the user of the system', async () => {
    const actorOf = async (id: string) => {
      const items = (await world.run('audit.list', { limit: 1000 })).items as Record<string, unknown>[];
      return items.find(({ entityId }) => entityId === id)?.actor;
    };
    const one = await add('GET', '/a', 'admin', 'tenant:{claim:tenant}', '--json', '--actor', 'pipeline');
    expect(await actorOf(JSON.parse(one.out).id)).toBe('pipeline');
    const args = ['add', 'GET', '/b', '--permission', 'admin', '--scope', 'tenant:{claim:tenant}', '--json'];
    const other = await route(args, { USER: 'ada' });
    expect(await actorOf(JSON.parse(other.out).id)).toBe('ada');
  });

  test('the verb is read in any case', async () => {
    const { out } = await add('get', '/lower', 'task:list:project', 'tenant:{claim:tenant}');
    expect(out).toMatch(/^added GET \/lower /);
  });

  test('an unregistered permission gets a note', async () => {
    const { code, out } = await add('GET', '/x', 'task:lst:project', 'tenant:{claim:tenant}');
    expect(code).toBe(0);
    expect(out).toContain('note: task:lst:project is not a registered permission');
  });

  test('a second route of one shape is refused, and names the first', async () => {
    const id = await added('GET', '/projects/{id}');
    const { code, error } = await add('GET', '/projects/{project}', 'admin', 'tenant:{claim:tenant}');
    expect(code).toBe(2);
    expect(error).toContain('GET /projects/{project} is covered in this API already');
    expect(error).toContain(id);
  });

  test('remove with --api leaves the route of another API alone', async () => {
    const id = await added('GET', '/mine');
    const { code, error } = await gatehouse([
      'route',
      'remove',
      id,
      '--api',
      'other',
      '--table',
      world.table,
    ]);
    expect(code).toBe(2);
    expect(error).toBe(`gatehouse route remove: this route is one of the API ${api}, not of other\n`);
  });

  test.each<[string, readonly string[], string]>([
    ['no verb', ['gte', '/a', 'p', 'tenant:{x}'], 'METHOD gte is not a method: did you mean GET?'],
    ['a path without its slash', ['GET', 'a', 'p', 'tenant:{x}'], 'PATH a does not begin with /'],
    ['a slash at the end', ['GET', '/a/', 'p', 'tenant:{x}'], 'PATH /a/ ends in a slash'],
    [
      'a dash in a name',
      ['GET', '/{a-b}', 'p', 'tenant:{x}'],
      'PATH /{a-b} has the parameter {a-b}: names hold letters, digits and _ and begin with a letter, as {a_b}',
    ],
    [
      'half a parameter',
      ['GET', '/{a}.pdf', 'p', 'tenant:{x}'],
      'PATH /{a}.pdf has the segment {a}.pdf: one is',
    ],
    [
      'a permission of two parts',
      ['GET', '/a', 'task:list', 'tenant:{claim:x}'],
      '--permission task:list: task:list is neither a page nor',
    ],
    [
      'a pattern',
      ['GET', '/a', 'task:*:project', 'tenant:{claim:x}'],
      '--permission task:*:project: holds characters',
    ],
    [
      'a scope without a type',
      ['GET', '/a', 'p', '{claim:x}'],
      '--scope {claim:x}: does not begin with a scope type',
    ],
    [
      'a name that the path has not',
      ['GET', '/{a}', 'p', 'tenant:{b}'],
      '--scope tenant:{b} names {b}, which /{a} does not have',
    ],
    [
      'a scope type that is not there',
      ['GET', '/{a}', 'p', 'castle:{a}'],
      'scope has an unknown scope type: castle',
    ],
  ])(
    '%s is refused in one line',
    async (_, [method = '', path = '', permission = '', scope = ''], message) => {
      const { code, out, error } = await add(method, path, permission, scope);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(error.startsWith(`gatehouse route add: ${message}`), error).toBe(true);
      expect(error.indexOf('\n')).toBe(error.length - 1);
      expect(JSON.parse((await route(['list', '--json'])).out)).toEqual([]);
    },
  );
});

describe('test', () => {
  beforeEach(async () => {
    await added('GET', '/projects/{project}/tasks', 'task:list:project', 'project:{project}');
    await added('POST', '/projects/{project}/tasks', 'task:create:project', 'project:{project}');
    await added('ANY', '/reports/{rest+}', 'reports', 'tenant:{claim:tenant}');
    await added('GET', '/reports/{report}', '{report}', 'location:{header:x-place}');
    await added('GET', '/reports/daily', 'reports', 'tenant:{claim:tenant}');
  });

  test('the route, its parameters, permission and scope', async () => {
    const { code, out } = await route(['test', 'GET', '/projects/7/tasks?page=2']);
    expect(code).toBe(0);
    expect(out.replace(/\([0-9A-Z]{26}\)/, '(ID)')).toBe(`MATCHED
request     GET /projects/7/tasks
route       GET /projects/{project}/tasks (ID)
parameters  project = 7
permission  task:list:project
scope       project:7
`);
  });

  test('other routes that match, in the order of precedence', async () => {
    const { others, ...found } = await tried('GET', '/reports/daily', '--claim', 'tenant=T1');
    expect(found).toMatchObject({
      ...{ code: 0, matched: true, permission: 'reports', scope: 'tenant:T1' },
      route: { path: '/reports/daily' },
    });
    expect((others as { path: string }[]).map(({ path }) => path)).toEqual([
      '/reports/{report}',
      '/reports/{rest+}',
    ]);
  });

  test('missing, repeated and invalid values', async () => {
    expect(await tried('GET', '/reports/daily')).toMatchObject({
      ...{ code: 1, matched: true, reason: 'route_unresolved' },
      missing: ['{claim:tenant} has no value: give one with --claim tenant=VALUE'],
    });
    const header = (...values: string[]) =>
      tried('GET', '/reports/sales', ...values.flatMap((value) => ['--header', `X-Place=${value}`]));
    expect(await header('A', 'A')).toMatchObject({ code: 0, permission: 'sales', scope: 'location:A' });
    expect(await header('A', 'B')).toMatchObject({
      ...{ code: 1, missing: ['{header:x-place} has several values: A, B'] },
    });
    expect(await header('a b')).toMatchObject({
      code: 1,
      missing: [expect.stringContaining('is a b, which is not a')],
    });
  });

  test('with a subject, the decision', async () => {
    const mine = `/projects/${project}/tasks`;
    expect(await tried('GET', mine, '--subject', user)).toMatchObject({
      code: 0,
      allowed: true,
      reason: 'role',
    });
    expect(await tried('POST', mine, '--subject', user)).toMatchObject({
      ...{ code: 1, allowed: false, reason: 'permission_unknown' },
    });
    expect(await tried('GET', '/projects/7/tasks', '--subject', user)).toMatchObject({
      code: 1,
      allowed: false,
    });
    const { code, out } = await route(['test', 'GET', mine, '--subject', user]);
    expect(code).toBe(0);
    expect(out).toContain(`subject     ${user}\ndecision    ALLOWED (role)\n`);
  });

  test.each<[string, string, string, string]>([
    ['another verb', 'PUT', '/projects/7/tasks', 'the same path with GET'],
    ['a slash at the end', 'GET', '/projects/7/tasks/', 'the path ends in a slash'],
    ['a double slash', 'GET', '//projects/7/tasks', 'the path holds a double slash'],
    ['encoding', 'GET', '/projects/7/t%61sks', 'the path is percent-encoded, and nothing is decoded'],
    ['upper case', 'GET', '/Projects/7/TASKS', 'upper and lower case differ'],
    ['a verb in lower case', 'get', '/projects/7/tasks', 'the verb is not in upper case'],
    ['two of them', 'get', '/projects/7/tasks/', 'the path ends in a slash; the verb is not in upper case'],
    ['a value that is none', 'GET', '/projects/a:b/tasks', '{project} is a:b: values are letters'],
    ['no value', 'GET', '/projects//tasks', '{project} is empty: values are'],
    ['a typo', 'GET', '/project/7/tasks', 'a similar path'],
  ])('%s matches no route, and the route meant is suggested', async (_, method, path, why) => {
    const { code, matched, reason, suggestions } = await tried(method, path);
    expect({ code, matched, reason }).toEqual({ code: 1, matched: false, reason: 'route_unmapped' });
    expect(suggestions).toMatchObject([
      { route: { path: '/projects/{project}/tasks' } },
      ...(suggestions as []).slice(1),
    ]);
    expect((suggestions as { why: string }[])[0]?.why).toContain(why);
  });

  test('a base path that one side lacks is named', async () => {
    const begun = await added('GET', '/api/v1/rooms/{room}', 'reports', 'tenant:{claim:tenant}');
    const missed = async (path: string) => (await tried('GET', path)).suggestions;
    expect(await missed('/rooms/7')).toEqual([
      { why: 'the path lacks the base path /api/v1', route: expect.objectContaining({ id: begun }) },
    ]);
    expect(await missed('/v1/rooms/7')).toMatchObject([{ why: 'the path lacks the base path /api' }]);
    expect(await missed('/prod/projects/7/tasks')).toMatchObject([
      {
        why: 'the path begins with /prod, a stage or base path that the route lacks',
        route: { path: '/projects/{project}/tasks' },
      },
    ]);
    // A route of parameters alone would match whatever is left.
    await added('GET', '/v2/{any}', 'reports', 'tenant:{claim:tenant}');
    expect(await missed('/elsewhere')).toEqual([]);
  });

  test('no similar route, and no route at all', async () => {
    expect((await route(['test', 'GET', '/'])).out).toContain(
      'none of 5 routes is similar: see gatehouse route list',
    );
    api = 'empty';
    const { code, out } = await route(['test', 'GET', '/projects/7/tasks']);
    expect(code).toBe(1);
    expect(out).toContain('NO ROUTE (route_unmapped)');
    expect(out).toContain('the API empty has no routes');
  });
});

describe('a usage error is 2, with one line', () => {
  test.each<[string, readonly string[], string]>([
    ['an unknown subcommand', ['tset'], 'gatehouse route: there is no subcommand tset: did you mean test?'],
    [
      'too few arguments',
      ['test', 'GET'],
      'gatehouse route test: <path> is missing. Usage: gatehouse route test',
    ],
    [
      'no permission',
      ['add', 'GET', '/a', '--scope', 'tenant:{claim:x}'],
      'gatehouse route add: --permission <template> is missing.',
    ],
    ['no path', ['test', 'GET', 'a'], 'gatehouse route test: PATH a does not begin with /'],
    [
      'half a header',
      ['test', 'GET', '/a', '--header', 'x'],
      'gatehouse route test: --header x is not of the form',
    ],
    [
      'a claim twice',
      ['test', 'GET', '/a', '--claim', 'a=1', '--claim', 'a=2'],
      'gatehouse route test: --claim a is',
    ],
    [
      'no subject',
      ['test', 'GET', '/a', '--subject', 'ada'],
      'gatehouse route test: --subject ada: no user or other subject has this name',
    ],
    ['no id', ['remove', '/7'], 'gatehouse route remove: ID /7 is not an id'],
  ])('%s', async (_, args, message) => {
    const { code, out, error } = await gatehouse(['route', ...args], { env: { TABLE_NAME: world.table } });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.startsWith(message), error).toBe(true);
    expect(error.indexOf('\n')).toBe(error.length - 1);
  });

  test('an API whose name is malformed', async () => {
    const { code, error } = await gatehouse(['route', 'list', '--api', 'a b'], {
      env: { TABLE_NAME: world.table },
    });
    expect({ code, error }).toMatchObject({
      code: 2,
      error: expect.stringContaining('--api a b is not a name'),
    });
  });
});
