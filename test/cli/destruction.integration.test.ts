import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** Commands that take access away: what they say, what they ask, and what they do without an answer. */
let world: World;
let ids: Readonly<Record<'role' | 'user' | 'other' | 'group' | 'scope', string>>;
beforeEach(async () => {
  world = await createLightWorld();
  await world.run('page.create', { name: 'home' });
  const scope = `tenant:${(await world.run('tenant.create', { name: 'Acme' })).id}`;
  const { id: role } = await world.run('role.create', { name: 'member', scope });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  const { id: group } = await world.run('group.create', { name: 'staff', scope });
  await world.run('group-role.create', { group, role });
  const { id: user } = await world.run('user.create', { email: 'ann@x.example', displayName: 'Ann Arbor' });
  const { id: other } = await world.run('user.create', { email: 'ben@x.example' });
  for (const each of [user, other]) await world.run('membership.create', { user: each, group });
  ids = { role, user, other, group, scope };
});

const env = () => ({ TABLE_NAME: world.table });
const run = (...args: readonly string[]) => gatehouse(args, { env: env() });

/** Runs it at a terminal, where this is typed at the question. */
async function runAt(typed: string, ...args: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let asked = '';
  output.on('data', (chunk) => {
    const isNew = !asked.includes('[y/N]');
    asked += chunk;
    if (isNew && asked.includes('[y/N]')) input.write(typed);
  });
  const ran = await gatehouse(args, { env: env(), isTerminal: true, terminal: { input, output } });
  return { ...ran, asked };
}

/** Each with who loses what, and the undo that it names. */
const CASES = (): readonly (readonly [string, readonly string[], string, RegExp])[] => {
  const { role, user, other, group, scope } = ids;
  const ann = `Ann Arbor <ann@x.example> (user:${user})`;
  const both = `${ann}, ben@x.example (user:${other}) lose home at Acme (${scope})`;
  const one = `${ann} loses home at Acme (${scope})`;
  return [
    [
      'role.delete',
      ['command', 'role.delete', `id=${role}`],
      both,
      /undo of role\.delete: none: role\.create .*gatehouse export/,
    ],
    ['group.delete', ['command', 'group.delete', `id=${group}`], both, /undo of group\.delete: none: /],
    ['user.delete', ['command', 'user.delete', `id=${user}`], one, /undo of user\.delete: none: /],
    [
      'membership.delete',
      ['command', 'membership.delete', `user=${user}`, `group=${group}`],
      one,
      /: membership\.create with the same/,
    ],
    ['page.delete', ['command', 'page.delete', 'name=home'], both, /undo of page\.delete: none: /],
    [
      'scope.delete-tree',
      ['command', 'scope.delete-tree', `scope=${scope}`],
      both,
      /undo of scope\.delete-tree: none: /,
    ],
    [
      'a closing update',
      ['command', 'tenant.update', `id=${scope.slice(7)}`, 'status=suspended'],
      both,
      /: tenant\.update with status=active/,
    ],
    [
      'an end in the past',
      ['command', 'user.update', `id=${user}`, 'endsAt=2020-01-01'],
      one,
      /: user\.update with status=active, or with the values that it had/,
    ],
    [
      'a transaction',
      [
        'command',
        'transaction.write',
        `commands:=${JSON.stringify([{ command: 'role.delete', input: { id: role } }])}`,
      ],
      both,
      /undo of role\.delete: none: /,
    ],
    ['suspend-tenant', ['suspend-tenant', scope], both, /: tenant\.update with status=active/],
    ['revoke-user', ['revoke-user', 'ann@x.example'], one, /: user\.update with status=active/],
  ];
};
const NAMES = [
  'role.delete',
  'group.delete',
  'user.delete',
  'membership.delete',
  'page.delete',
  'scope.delete-tree',
];
const ALL = [
  ...NAMES,
  'a closing update',
  'an end in the past',
  'a transaction',
  'suspend-tenant',
  'revoke-user',
];

test('a change that might take access away, and takes none, is done without a question', async () => {
  const { code, error } = await run('command', 'user.update', `id=${ids.user}`, 'endsAt=2999-01-01');
  expect({ code, error }).toEqual({ code: 0, error: '' });
});

describe.each(ALL.map((name, position) => [name, position] as const))('%s', (_, position) => {
  const caseOf = () => CASES()[position] as ReturnType<typeof CASES>[number];
  const mayStill = async () => (await world.newEngine().check(`user:${ids.user}`, 'home', ids.scope)).allowed;

  test('says who loses what and its undo; without a terminal and --yes it does nothing', async () => {
    const [, args, losers, undo] = caseOf();
    const { code, out, error } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(error).toContain(losers);
    expect(error).toMatch(undo);
    expect(error).toMatch(/gatehouse \S+: nothing was done: nobody can be asked: give --yes to do it\n$/);
    world.settle();
    expect(await mayStill()).toBe(true);
  });

  test('asks at a terminal, and does what is agreed to', async () => {
    const [, args, losers, undo] = caseOf();
    const refused = await runAt('n\n', ...args);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain(losers);
    expect(refused.out).toMatch(undo);
    expect(refused.asked).toContain('Do this? [y/N]');
    expect(refused.error).toMatch(/nothing was done: the answer was not yes\n$/);
    world.settle();
    expect(await mayStill()).toBe(true);
    expect((await runAt('y\n', ...args)).code).toBe(0);
    world.settle();
    expect(await mayStill()).toBe(false);
  });
});

test('--yes does not ask, and a program gets who loses what as data', async () => {
  const { code, out, error } = await run('command', 'role.delete', `id=${ids.role}`, '--yes', '--json');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    access: { loses: { people: 2, more: false, rows: [{ permissions: ['home'] }] }, gains: { people: 0 } },
    undo: [expect.stringMatching(/^role\.delete: none: /)],
  });
});

test('what takes nothing away is not asked about; neither is a dry run', async () => {
  expect(await run('command', 'user.update', `id=${ids.user}`, 'displayName=Ann')).toMatchObject({
    code: 0,
    error: '',
  });
  expect(await run('command', 'role.delete', `id=${ids.role}`, '--dry-run')).toMatchObject({
    code: 0,
    error: '',
  });
});

test('what would be refused is refused before anybody is asked', async () => {
  const { code, error } = await run('command', 'tenant.delete', `id=${ids.scope.slice(7)}`);
  expect(code).toBe(1);
  expect(error).toMatch(/^gatehouse command tenant\.delete: .*dependent.* \(conflict, not retryable\)\n$/);
});

test('with --yes a deletion can be repeated under its operation', async () => {
  const args = ['command', 'role.delete', `id=${ids.role}`, '--yes', '--operation', 'mine'];
  expect((await run(...args)).code).toBe(0);
  expect((await run(...args)).code).toBe(0);
  expect((await run('command', 'role.delete', `id=${ids.role}`, '--yes')).code).toBe(2);
});

describe('what is taken away is named, with its reference beside', () => {
  test.each<[string, () => readonly string[], () => readonly string[]]>([
    ['user.erase', () => [`id=${ids.user}`], () => [`  id Ann Arbor <ann@x.example> (user:${ids.user})`]],
    ['group.delete', () => ['id=Acme/staff'], () => [`  id staff (group:${ids.group})`]],
    ['tenant.update', () => ['id=Acme', 'status=suspended'], () => [`  id Acme (${ids.scope})`]],
    [
      'membership.delete',
      () => ['user=ann@x.example', 'group=staff'],
      () => [`  user Ann Arbor <ann@x.example> (user:${ids.user})`, `  group staff (group:${ids.group})`],
    ],
    [
      'transaction.write',
      () => [`commands:=${JSON.stringify([{ command: 'role.delete', input: { id: ids.role } }])}`],
      () => [`  id member (role:${ids.role})`],
    ],
  ])('%s, before and after', async (command, fields, lines) => {
    const { error } = await run('command', command, ...fields());
    for (const line of lines()) expect(error.split('\n')).toContain(line);
    const { code, out } = await run('command', command, ...fields(), '--yes');
    expect(code).toBe(0);
    for (const line of lines()) expect(out.split('\n')).toContain(line.trim());
  });

  test('a route that stays without its scope, before and after', async () => {
    const { scope } = ids;
    const { id } = await world.run('tenant.create', { name: 'Gone' });
    await world.run('route.create', {
      method: 'GET',
      path: '/menu',
      permission: 'home',
      scope: `tenant:${id}`,
    });
    await world.run('resource-type.create', { name: 'kept', scope });
    const left = `from then on, and goes to whoever creates that id again:\n  GET /menu of the API default at tenant:${id}\n`;
    const { code, out, error } = await run('command', 'tenant.delete', 'id=Gone', '--yes');
    expect(code).toBe(0);
    expect(error).toContain(left);
    expect(out).toContain(left);
    const tree = await run('command', 'scope.delete-tree', `scope=${scope}`, '--yes');
    expect(tree.out).toContain(`\n  resource type kept at ${scope}\n`);
  });

  test('in receipts of revocations', async () => {
    expect((await run('revoke-user', 'ann@x.example', '--yes')).out).toContain(
      `Ann Arbor <ann@x.example> (user:${ids.user}) is disabled`,
    );
    expect((await run('suspend-tenant', 'Acme', '--yes')).out).toContain(`Acme (${ids.scope}) is suspended`);
  });

  test('up to ten people, then a count, in one read', async () => {
    for (let n = 0; n < 11; n++) {
      const { id } = await world.run('user.create', { email: `p${n}@x.example`, displayName: `P ${n}` });
      await world.run('membership.create', { user: id, group: ids.group });
    }
    const { error } = await run('command', 'group.delete', 'id=staff');
    const [, row = ''] = /\n {2}(.* lose home at Acme .*)\n/.exec(error) ?? [];
    expect(row.match(/<p\d+@x\.example> \(user:/g)?.length).toBeGreaterThanOrEqual(8);
    expect(row.match(/\(user:/g)).toHaveLength(10);
    expect(row).toContain(' and 3 more lose home at Acme');
  });
});
