import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** `gatehouse onboard`. What the command itself does is in test/provisioning/onboarding.test.ts. */
afterAll(removeFiles);
let world: World;
let template: string;
beforeAll(async () => {
  world = await createLightWorld();
  for (const name of ['home', 'users']) await world.run('page.create', { name });
  const permissions = [{ permission: 'home', effect: 'ALLOW' }];
  template = (await world.run('role-template.create', { name: 'teacher', permissions })).id;
});
const asked = (...args: readonly string[]) =>
  gatehouse(['onboard', ...args], { env: { TABLE_NAME: world.table, USER: 'ops' } });

test('a tenant of roles, a template and a new administrator', async () => {
  const { code, out, error } = await asked(
    ...['Acme', '--type', 'client', '--email', 'ann@example.com', '--display-name', 'Ann'],
    ...[
      '--role',
      'admin=users,!home',
      '--template',
      `teacher=${template}`,
      '--admin-role',
      'admin',
      '--json',
    ],
  );
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const { scope, users, token } = JSON.parse(out);
  const [admin] = users;
  expect(token).toMatch(/^gh1\./);
  const reason = async (permission: string) =>
    (await world.newEngine().check(`user:${admin.id}`, permission, scope)).reason;
  expect([await reason('users'), await reason('home')]).toEqual(['role', 'denied_by_role']);
  const log = await gatehouse(['log', '--tenant', scope, '--json'], { env: { TABLE_NAME: world.table } });
  expect(JSON.parse(log.out).items).toMatchObject([{ action: 'tenant.onboard', actor: 'ops' }]);
});

test("a single role is the administrator's; a repetition is recognised; a dry run writes nothing", async () => {
  const args = ['One', '--email', 'one@example.com', '--role', 'admin=users', '--operation', 'one'];
  const dry = await asked(...args, '--dry-run');
  expect(dry).toMatchObject({
    code: 0,
    out: expect.stringContaining('would be created; nothing was written'),
  });
  const [first, second] = [await asked(...args), await asked(...args)];
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('one@example.com, a new user') });
  // A token is of the time of its answer.
  const withoutToken = (out: string) => out.replace(/^token gh1\.\S+$/m, 'token');
  expect({ ...second, out: withoutToken(second.out) }).toEqual({ ...first, out: withoutToken(first.out) });
  const other = await asked(...['Two', '--email', 'one@example.com', '--role', 'admin=']);
  expect(other.out).toContain('one@example.com, who exists already');
});

test('from a file', async () => {
  const file = fileOf(
    'roles: { boss: { owner: From file, allow: [home] } }\nusers: { file@example.com: { grants: { From file: [boss] } } }\n',
  );
  expect(await asked('From file', '--input', file)).toMatchObject({ code: 0, error: '' });
});

test.each([
  [
    ['Acme', '--type', 'client', '--email', 'x@example.com', '--role', 'a='],
    'manifest/scopes/Acme: client Acme exists already',
  ],
  [['New', '--email', 'x@example.com'], 'which role does the administrator get? Give --admin-role'],
  [['New', '--role', 'a='], 'who is the administrator? Give --email or --user'],
  [
    ['New', '--email', 'x@example.com', '--role', 'a=nope'],
    'manifest/roles/a/allow/0: there is no page or permission nope',
  ],
  [['New', '--email', 'x@example.com', '--template', 'a'], '--template a is not NAME=TEMPLATE'],
  [
    ['New', '--email', 'x@example.com', '--role', 'admin'],
    '--role admin is not NAME=PERMISSION,…; an existing role is given with --admin-role',
  ],
  [
    ['New', '--email', 'x@example.com', '--template', 'a=b c'],
    '--template b c: no role template has this name',
  ],
])('%j is 2', async (args, message) => {
  const { code, out, error } = await asked(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error.startsWith(`gatehouse onboard: ${message}`), error).toBe(true);
});
