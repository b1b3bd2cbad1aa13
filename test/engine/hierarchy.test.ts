import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../support/world.ts';

/** Grants flow down the tree of scopes and nowhere else (SPEC section 1), in at most two reads. */
let world: World;
const permission = 'doors:open:door';
const MANIFEST = `
permissions: ["doors:open:door"]
roles: { porter: { id: porter, allow: ["doors:open:door"] } }
scopes:
  client: { id: client, type: client }
  project: { id: project, type: project, parent: client }
  building: { id: building, type: building, parent: project }
  floor: { id: floor, type: zone, parent: building }
  room: { id: room, type: zone, parent: floor }
  desk: { id: desk, type: zone, parent: room }
  lamp: { id: lamp, type: device, parent: desk }
  other project: { id: other-project, type: project, parent: client }
  other building: { id: other-building, type: building, parent: other project }
  other client: { id: other-client, type: client }
  enterprise: { id: enterprise, type: enterprise }
groups: { porters: { id: porters, scope: project, roles: [porter] } }
`;
const TYPES: Readonly<Record<string, string>> = { floor: 'zone', room: 'zone', desk: 'zone', lamp: 'device' };
const refOf = (name: string) => `${TYPES[name] ?? name.split(' ').at(-1)}:${name.replace(' ', '-')}`;

async function userWithRoleAt(name: string): Promise<string> {
  const user = (await world.run('user.create', {})).id;
  await world.run('assignment.create', { user, role: 'porter', scope: refOf(name) });
  return `user:${user}`;
}

const allowedAt = async (user: string, names: readonly string[]) => {
  const engine = world.newEngine();
  const answers = await Promise.all(names.map((name) => engine.check(user, permission, refOf(name))));
  return names.filter((_, position) => answers[position]?.allowed);
};

const TREE = [
  ...['client', 'project', 'building', 'floor', 'room', 'desk', 'lamp', 'other project', 'other building'],
];

beforeAll(async () => {
  world = await createWorld(MANIFEST);
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
    const user = (await world.run('user.create', {})).id;
    await world.run('membership.create', { user, group: 'porters' });
    expect(await allowedAt(`user:${user}`, ['client', 'project', 'lamp', 'other building'])).toEqual([
      'project',
      'lamp',
    ]);
  });
});

test('what is suspended, completed or inactive closes all below it and nothing else', async () => {
  const user = await userWithRoleAt('client');
  await world.run('project.update', { id: 'project', status: 'on-hold' });
  expect(await allowedAt(user, TREE)).toEqual(['client', 'other project', 'other building']);
  await world.run('project.update', { id: 'project', status: 'active' });
  expect(await allowedAt(user, TREE)).toEqual(TREE);
});

test('seven levels cost two reads when cold, none when warm', async () => {
  const user = await userWithRoleAt('client');
  world.settle();
  const engine = world.newEngine();
  world.calls.length = 0;
  expect(await engine.check(user, permission, refOf('lamp'))).toMatchObject({ allowed: true });
  expect(world.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchGetItem']);
  expect(await engine.check(user, permission, refOf('lamp'))).toMatchObject({ allowed: true });
  expect(world.calls).toHaveLength(2);
});

test.each([
  ['project.create', 'other client', 'building'],
  ['building.create', 'client', 'client'],
  ['device.create', 'project', 'project'],
  ['workstream.create', 'client', 'client'],
])('%s under a wrong parent is refused on its field', async (command, _, parent) => {
  const enterprise = command.startsWith('workstream') ? { enterprise: refOf('enterprise') } : {};
  expect(await world.refused(command, { name: 'lost', parent: refOf(parent), ...enterprise })).toMatchObject({
    code: 'invalid',
    field: 'parent',
  });
});

test('a building lists all its zones, those within zones too; a zone lists its own', async () => {
  const names = async (parent: string) => {
    const { items } = await world.run('zone.list', { parent: refOf(parent) });
    return (items as { name: string }[]).map(({ name }) => name).sort();
  };
  expect(await names('building')).toEqual(['desk', 'floor', 'room']);
  expect(await names('floor')).toEqual(['room']);
});
