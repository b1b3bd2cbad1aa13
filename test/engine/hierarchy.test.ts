import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../support/world.ts';

/** Grants flow down the tree of scopes and nowhere else (SPEC section 1), in at most two reads. */
let world: World;
const ref: Record<string, string> = {};
let role: string;
const permission = 'doors:open:door';

async function place(name: string, type: string, parent?: string): Promise<void> {
  const input = { name, ...(parent === undefined ? {} : { parent: ref[parent] }) };
  ref[name] = `${type}:${(await world.run(`${type}.create`, input)).id}`;
}

async function userWithRoleAt(name: string): Promise<string> {
  const user = (await world.run('user.create', {})).id;
  await world.run('assignment.create', { user, role, scope: ref[name] });
  return `user:${user}`;
}

const allowedAt = async (user: string, names: readonly string[]) => {
  const engine = world.newEngine();
  const answers = await Promise.all(names.map((name) => engine.check(user, permission, String(ref[name]))));
  return names.filter((_, position) => answers[position]?.allowed);
};

const TREE = [
  'client',
  'project',
  'building',
  'floor',
  'room',
  'desk',
  'lamp',
  'other project',
  'other building',
];

beforeAll(async () => {
  world = await createWorld();
  await world.run('permission.create', { name: permission });
  role = (await world.run('role.create', { name: 'porter', scope: 'tenant' })).id;
  await world.run('role-permission.create', { role, permission, effect: 'ALLOW' });
  await place('client', 'client');
  await place('project', 'project', 'client');
  await place('building', 'building', 'project');
  await place('floor', 'zone', 'building');
  await place('room', 'zone', 'floor');
  await place('desk', 'zone', 'room');
  await place('lamp', 'device', 'desk');
  await place('other project', 'project', 'client');
  await place('other building', 'building', 'other project');
  await place('other client', 'client');
  await place('enterprise', 'enterprise');
});

describe('where an assignment counts', () => {
  test.each([
    ['client', TREE],
    ['project', ['project', 'building', 'floor', 'room', 'desk', 'lamp']],
    ['floor', ['floor', 'room', 'desk', 'lamp']],
    ['lamp', ['lamp']],
    ['other project', ['other project', 'other building']],
  ])('made at the %s', async (name, expected) => {
    expect(await allowedAt(await userWithRoleAt(name), [...TREE, 'other client'])).toEqual(expected);
  });

  test('a group counts below its scope as well, with the roles it carries', async () => {
    const group = (await world.run('group.create', { scope: ref.project, name: 'porters' })).id;
    await world.run('group-role.create', { group, role });
    const user = (await world.run('user.create', {})).id;
    await world.run('membership.create', { user, group });
    expect(await allowedAt(`user:${user}`, ['client', 'project', 'lamp', 'other building'])).toEqual([
      'project',
      'lamp',
    ]);
  });
});

test('what is suspended, completed or inactive closes all below it and nothing else', async () => {
  const user = await userWithRoleAt('client');
  await world.run('project.update', { id: ref.project?.slice('project:'.length), status: 'on-hold' });
  expect(await allowedAt(user, TREE)).toEqual(['client', 'other project', 'other building']);
  await world.run('project.update', { id: ref.project?.slice('project:'.length), status: 'active' });
  expect(await allowedAt(user, TREE)).toEqual(TREE);
});

test('seven levels cost two reads when cold, none when warm', async () => {
  const user = await userWithRoleAt('client');
  world.settle();
  const engine = world.newEngine();
  world.calls.length = 0;
  expect(await engine.check(user, permission, String(ref.lamp))).toMatchObject({ allowed: true });
  expect(world.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchGetItem']);
  expect(await engine.check(user, permission, String(ref.lamp))).toMatchObject({ allowed: true });
  expect(world.calls).toHaveLength(2);
});

test.each([
  ['project.create', 'other client', 'building'],
  ['building.create', 'client', 'client'],
  ['device.create', 'project', 'project'],
  ['workstream.create', 'client', 'client'],
])('%s under a wrong parent is refused on its field', async (command, _, parent) => {
  const enterprise = command.startsWith('workstream') ? { enterprise: ref.enterprise } : {};
  expect(await world.refused(command, { name: 'lost', parent: ref[parent], ...enterprise })).toMatchObject({
    code: 'invalid',
    field: 'parent',
  });
});

test('a building lists all its zones, those within zones too; a zone lists its own', async () => {
  const names = async (parent: string) => {
    const { items } = await world.run('zone.list', { parent: ref[parent] });
    return (items as { name: string }[]).map(({ name }) => name).sort();
  };
  expect(await names('building')).toEqual(['desk', 'floor', 'room']);
  expect(await names('floor')).toEqual(['room']);
});
