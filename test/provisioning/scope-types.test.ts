import { beforeAll, describe, expect, test } from 'vitest';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { parseKey } from '../../table/keys.ts';
import { modelOf } from '../proof/oracle/model-of-items.ts';
import { judge } from '../proof/oracle/oracle.ts';
import { findingsIn } from './findings.ts';
import { decisionsOf, rebuild } from './rebuild.ts';
import { createLedgerWorld, type Input } from './support.ts';
import { faultsOf } from './verify.ts';

/** Scope types are data: those that operators add are as good as those that come with the table. */
const world = await createLedgerWorld();
const expectWhole = async () => {
  const items = await world.everything();
  expect(faultsOf(items)).toEqual([]);
  expect(await findingsIn(items, world.clock)).toEqual([]);
  expect(decisionsOf(items)).toEqual(rebuild(items));
  return items;
};
const asType = (kind: string) => kind.toLowerCase().replaceAll('_', '-');

describe('names that stand for something else are no scope types', () => {
  const entities = Object.keys(ENTITIES).filter((type) => !Object.hasOwn(SCOPE_TYPES, type));
  const guards = Object.values<Entity>(ENTITIES).flatMap((entity) =>
    entity.guards.map(({ kind }) => asType(kind)),
  );
  /** Words at the head of keys, of sort keys and of indexes. */
  const words = ['grant', 'assignment', 'audit', 'operation', 'global', 'api', 'decision', 'meta', 'setting'];
  const lists = ['list', 'names', 'status'];
  const formless = ['', 'Campus', 'my campus', 'a_b', 'a:b', 'a#b', '-a', 'a-', '1a', 'x'.repeat(33), 'ä'];

  test.each([...new Set([...entities, ...guards, ...words, ...lists, ...formless])])('%s', async (name) => {
    const count = world.transactions.length;
    expect(await world.refused('scope-type.create', { name, root: true })).toMatchObject({
      code: 'invalid',
      field: 'name',
    });
    expect(await world.refused('scope.create', { type: name, name: 'x' })).toMatchObject({ code: 'invalid' });
    expect(world.transactions.length).toBe(count);
  });

  test.each(Object.keys(SCOPE_TYPES))('nor can %s be defined anew', async (name) => {
    expect(await world.refused('scope-type.create', { name, root: true })).toMatchObject({
      code: expect.stringMatching(/^(?:invalid|conflict)$/),
      field: 'name',
    });
    expect(await world.refused('scope.create', { type: name, name: 'x' })).toMatchObject({ code: 'invalid' });
  });

  test('every head of a key that this table has ever seen is taken, or is that of a scope', async () => {
    const heads = new Set((await world.everything()).map(({ PK }) => asType(PK.split('#')[0] ?? '')));
    for (const name of heads) {
      expect((await world.provision({ command: 'scope-type.create', input: { name } })).ok, name).toBe(false);
    }
  });

  test('a type that is never added is none', async () => {
    const input = { type: 'never', name: 'x' };
    expect(await world.refused('scope.create', input)).toMatchObject({ code: 'invalid', field: 'type' });
    const scope = 'never:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
    expect(await world.refused('group.create', { scope, name: 'g' })).toMatchObject({
      code: 'invalid',
      field: 'scope',
    });
    const { reason } = await world.newEngine().check('user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C', 'home', scope);
    expect(reason).toBe('subject_unknown');
  });

  test('a type that names an unknown one is refused', async () => {
    for (const field of ['parents', 'children']) {
      expect(await world.refused('scope-type.create', { name: 'lost', [field]: ['nowhere'] })).toMatchObject({
        code: 'invalid',
        field,
      });
    }
  });
});

describe('types that were added', () => {
  const at: Record<string, string> = {};
  const idOf = (name: string) => String(at[name]).split(':')[1];
  const add = async (type: string, name: string, input: Input) => {
    at[name] = `${type}:${(await world.run('scope.create', { type, name, ...input })).id}`;
  };
  const build = async (type: string, name: string, input: Input) => {
    at[name] = `${type}:${(await world.run(`${type}.create`, { name, ...input })).id}`;
  };
  const users: Record<string, string> = {};
  const TREE = [
    'holding',
    'region',
    'inner',
    'client',
    'project',
    'campus',
    'house',
    'floor',
    'wing',
    'sensor',
  ];

  beforeAll(async () => {
    // A root of its own with regions in regions, and a client's campus between project and building.
    await world.run('scope-type.create', { name: 'holding', root: true });
    await world.run('scope-type.create', { name: 'region', parents: ['holding', 'region'] });
    await world.run('scope-type.create', { name: 'campus', parents: ['project'], children: ['building'] });
    await world.run('scope-type.create', { name: 'wing', parents: ['zone'] });
    await world.run('scope-type.create', { name: 'sensor', parents: ['wing', 'region'] });
    await add('holding', 'holding', { combination: 'deny-overrides' });
    await add('region', 'region', { parent: at.holding });
    await add('region', 'inner', { parent: at.region });
    await build('client', 'client', {});
    await build('project', 'project', { parent: at.client });
    await build('project', 'second', { parent: at.client });
    await add('campus', 'campus', { parent: at.project });
    await build('building', 'house', { parent: at.campus });
    await build('zone', 'floor', { parent: at.house });
    await add('wing', 'wing', { parent: at.floor });
    await add('sensor', 'sensor', { parent: at.wing });
    await world.run('page.create', { name: 'home' });
    for (const [root, effect] of [
      ['holding', 'ALLOW'],
      ['client', 'ALLOW'],
      ['holding', 'DENY'],
    ] as const) {
      const name = `${root} ${effect}`;
      at[name] = (await world.run('role.create', { name, scope: at[root] })).id;
      await world.run('role-permission.create', { role: at[name], permission: 'home', effect });
    }
    for (const name of TREE) {
      const user = (await world.run('user.create', { username: name })).id;
      users[name] = user;
      const role = at[['holding', 'region', 'inner'].includes(name) ? 'holding ALLOW' : 'client ALLOW'];
      const group = (await world.run('group.create', { name: 'staff', scope: at[name] })).id;
      await world.run('group-role.create', { group, role });
      await world.run('membership.create', { user, group });
    }
    // Who is at the region is forbidden in the inner one: the holding's own combination says who wins.
    await world.run('assignment.create', { user: users.region, role: at['holding DENY'], scope: at.inner });
    await world.run('grant.create', { user: users.inner, roles: [at['holding ALLOW']], scope: at.holding });
  });

  /** What fresh engines say to everybody everywhere, which is what nodes and edges say. */
  const ask = async () => {
    const items = await expectWhole();
    const asked = TREE.flatMap((who) =>
      TREE.map((where) => ({ subject: `user:${users[who]}`, permission: 'home', scope: at[where] ?? '' })),
    );
    const { decisions } = await world.newEngine().checkMany(asked);
    const model = modelOf(items);
    expect(decisions.map(({ reason }) => reason)).toEqual(
      asked.map((question) => judge(model, { ...question, at: world.clock.now() }).reason),
    );
    const may: Record<string, string[]> = {};
    for (const [i, { allowed }] of decisions.entries()) {
      const [who = '', where = ''] = [TREE[Math.floor(i / TREE.length)], TREE[i % TREE.length]];
      if (allowed) may[who] = [...(may[who] ?? []), where];
    }
    return may;
  };

  test('decisions flow down through them, and combine as their root says', async () => {
    expect(await ask()).toEqual({
      holding: ['holding', 'region', 'inner'],
      region: ['region'],
      inner: ['holding', 'region', 'inner'],
      client: TREE.slice(3),
      project: TREE.slice(4),
      campus: TREE.slice(5),
      house: TREE.slice(6),
      floor: TREE.slice(7),
      wing: TREE.slice(8),
      sensor: TREE.slice(9),
    });
  });

  test('a check is one call for a root of an added type, and two below', async () => {
    world.settle();
    for (const [scope, calls] of [
      ['holding', 1],
      ['inner', 2],
      ['sensor', 2],
    ] as const) {
      const before = world.calls.length;
      await world.newEngine().check(`user:${users.holding}`, 'home', at[scope] ?? '');
      expect(world.calls.length - before, scope).toBe(calls);
    }
  });

  test.each([
    ['region', undefined, 'a region alone'],
    ['campus', 'client', 'a campus under a client'],
    ['holding', 'holding', 'a holding under a holding'],
    ['wing', 'house', 'a wing under a building'],
    ['region', 'project', 'a region under a project'],
  ])('%s does not stand under %s: %s', async (type, parent, _) => {
    const error = await world.refused('scope.create', { type, name: 'x', parent: parent && at[parent] });
    expect(error).toMatchObject({ code: 'invalid', field: 'parent' });
  });

  test('nor does a built-in type where nobody says so', async () => {
    for (const [type, parent] of [
      ['zone', 'campus'],
      ['device', 'wing'],
      ['project', 'campus'],
    ]) {
      expect(await world.refused(`${type}.create`, { name: 'x', parent: at[parent ?? ''] })).toMatchObject({
        code: 'invalid',
        field: 'parent',
      });
    }
  });

  test('lists: of a type, of a parent, of a built-in type under an added one', async () => {
    const names = async (command: string, by: Input) =>
      (await world.listed(command, by)).map(({ name }) => String(name)).sort();
    expect(await names('scope.list', { type: 'region' })).toEqual(['inner', 'region']);
    expect(await names('scope.list', { type: 'region', parent: at.region })).toEqual(['inner']);
    expect(await names('scope.list', { type: 'campus', parent: at.project })).toEqual(['campus']);
    expect(await names('building.list', { parent: at.campus })).toEqual(['house']);
    expect(await names('scope-type.list', {})).toEqual(['campus', 'holding', 'region', 'sensor', 'wing']);
    expect(await names('group.list', { scope: at.inner })).toEqual(['staff']);
    expect(await names('role.list', { scope: at.holding })).toEqual(['holding ALLOW', 'holding DENY']);
    const grants = await world.listed('grant.list', { user: users.inner });
    expect(grants.map(({ scope }) => scope)).toEqual([at.holding]);
  });

  test('move through them, in both directions', async () => {
    await world.run('scope.move', { scope: at.house, parent: at.second });
    const may = await ask();
    expect(may.campus).toEqual(['campus']);
    expect(may.project).toEqual(['project', 'campus']);
    await world.run('scope.move', { scope: at.house, parent: at.campus });
    await world.run('scope.move', { scope: at.campus, parent: at.second });
    expect((await ask()).project).toEqual(['project']);
    expect(await world.run('scope.read', { scope: `sensor:${idOf('sensor')}` })).toMatchObject({
      ancestors: [at.wing, at.floor, at.house, at.campus, at.second, at.client],
    });
    await world.run('scope.move', { scope: at.campus, parent: at.project });
    await world.run('scope.move', { scope: at.inner, parent: at.holding });
    expect((await ask()).region).toEqual(['region']);
    await world.run('scope.move', { scope: at.inner, parent: at.region });
    for (const [scope, parent] of [
      ['sensor', 'floor'],
      ['campus', 'client'],
      ['region', 'inner'],
      ['holding', 'region'],
    ]) {
      const input = { scope: at[scope ?? ''], parent: at[parent ?? ''] };
      expect((await world.refused('scope.move', input)).code, scope).toBe('invalid');
    }
  });

  test('parsing their keys gives the type back', async () => {
    const nodes = (await world.everything()).filter(({ SK, Type }) => SK === 'META' && Type === 'Scope');
    expect(nodes.length).toBe(6);
    for (const node of nodes) expect(parseKey(node)).toMatchObject({ form: 'node', type: node.type });
  });

  test('a type with scopes is not deleted; one whose scopes are gone is, and is none from then on', async () => {
    for (const name of ['holding', 'region', 'campus', 'wing', 'sensor']) {
      expect(await world.refused('scope-type.delete', { name })).toMatchObject({
        code: 'conflict',
        field: 'name',
      });
    }
    await world.run('scope.delete-tree', { scope: at.holding });
    await world.run('scope.delete-tree', { scope: at.client });
    await expectWhole();
    for (const name of ['holding', 'region', 'campus', 'wing', 'sensor']) {
      await world.run('scope-type.delete', { name });
      expect(await world.refused('scope.create', { type: name, name: 'x' })).toMatchObject({
        code: 'invalid',
        field: 'type',
      });
    }
    expect(await world.listed('scope-type.list', {})).toEqual([]);
    await expectWhole();
  });
});
