import { beforeAll, describe, expect, test } from 'vitest';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { modelOf } from '../proof/oracle/model-of-items.ts';
import { judge } from '../proof/oracle/oracle.ts';
import { createLedgerWorld, type Input } from './support.ts';
import { expectWhole } from './whole.ts';

/** Scope types are data: those that operators add are as good as those that come with the table. */
const world = await createLedgerWorld();
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
    expect(await world.outcome('scope-type.create', { name, root: true })).toBe('invalid name');
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
    expect(await world.outcome('scope.create', input)).toBe('invalid type');
    const scope = 'never:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
    expect(await world.outcome('group.create', { scope, name: 'g' })).toBe('invalid scope');
    const { reason } = await world.newEngine().check('user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C', 'home', scope);
    expect(reason).toBe('subject_unknown');
  });

  test('a type that names an unknown one is refused', async () => {
    for (const field of ['parents', 'children']) {
      expect(await world.outcome('scope-type.create', { name: 'lost', [field]: ['nowhere'] })).toBe(
        `invalid ${field}`,
      );
    }
  });
});

/**
 * A root of its own with regions in regions, and a client's campus between project and building. Each has a group of its
 * name with a user of its name; who is at the region is forbidden in the inner one.
 */
const TREE = {
  holding: { type: 'holding', combination: 'deny-overrides' },
  region: { type: 'region', parent: 'holding' },
  inner: { type: 'region', parent: 'region' },
  client: { type: 'client' },
  project: { type: 'project', parent: 'client' },
  campus: { type: 'campus', parent: 'project' },
  house: { type: 'building', parent: 'campus' },
  floor: { type: 'zone', parent: 'house' },
  wing: { type: 'wing', parent: 'floor' },
  sensor: { type: 'sensor', parent: 'wing' },
};
const PLACES = Object.keys(TREE);
const IN_HOLDING = ['holding', 'region', 'inner'];

describe('types that were added', () => {
  const scopes = { ...TREE, second: { type: 'project', parent: 'client' } };
  const at = Object.fromEntries(Object.entries(scopes).map(([name, { type }]) => [name, `${type}:${name}`]));
  const named = (of: (name: string) => object, names = PLACES) =>
    Object.fromEntries(names.map((name) => [name, { id: name, ...of(name) }]));

  beforeAll(async () => {
    const manifest = {
      pages: ['home'],
      scopeTypes: {
        holding: { root: true },
        region: { parents: ['holding', 'region'] },
        campus: { parents: ['project'], children: ['building'] },
        wing: { parents: ['zone'] },
        sensor: { parents: ['wing', 'region'] },
      },
      scopes: named((name) => scopes[name as keyof typeof scopes], Object.keys(scopes)),
      roles: {
        'holding ALLOW': { owner: 'holding', allow: ['home'] },
        'holding DENY': { owner: 'holding', deny: ['home'] },
        'client ALLOW': { owner: 'client', allow: ['home'] },
      },
      groups: named((scope) => {
        const roles = [IN_HOLDING.includes(scope) ? 'holding ALLOW' : 'client ALLOW'];
        return { scope, roles, name: 'staff' };
      }),
      users: {
        ...named((name) => ({ groups: [name] })),
        region: {
          id: 'region',
          groups: ['region'],
          assignments: [{ role: 'holding DENY', scope: 'inner' }],
        },
        inner: { id: 'inner', groups: ['inner'], grants: { holding: ['holding ALLOW'] } },
      },
    };
    await world.run('tenant.apply', { manifest });
  });

  /** What fresh engines say to everybody everywhere, which is what nodes and edges say. */
  const ask = async () => {
    const items = await expectWhole(world);
    const asked = PLACES.flatMap((who) =>
      PLACES.map((where) => ({ subject: `user:${who}`, permission: 'home', scope: at[where] ?? '' })),
    );
    const { decisions } = await world.newEngine().checkMany(asked);
    const model = modelOf(items);
    expect(decisions.map(({ reason }) => reason)).toEqual(
      asked.map((question) => judge(model, { ...question, at: world.clock.now() }).reason),
    );
    const may: Record<string, string[]> = {};
    for (const [i, { allowed }] of decisions.entries()) {
      const [who = '', where = ''] = [PLACES[Math.floor(i / PLACES.length)], PLACES[i % PLACES.length]];
      if (allowed) may[who] = [...(may[who] ?? []), where];
    }
    return may;
  };

  test('decisions flow down through them, and combine as their root says', async () => {
    expect(await ask()).toEqual({
      holding: ['holding', 'region', 'inner'],
      region: ['region'],
      inner: ['holding', 'region', 'inner'],
      client: PLACES.slice(3),
      project: PLACES.slice(4),
      campus: PLACES.slice(5),
      house: PLACES.slice(6),
      floor: PLACES.slice(7),
      wing: PLACES.slice(8),
      sensor: PLACES.slice(9),
    });
  });

  test.each([
    ['region', undefined],
    ['campus', 'client'],
    ['holding', 'holding'],
    ['wing', 'house'],
    ['region', 'project'],
    // Nor does a built-in type where nobody says so.
    ['zone', 'campus'],
    ['device', 'wing'],
    ['project', 'campus'],
  ])('a %s does not stand under %s', async (type, above) => {
    const command = Object.hasOwn(SCOPE_TYPES, type) ? `${type}.create` : 'scope.create';
    const input = { name: 'x', parent: above && at[above], ...(command === 'scope.create' ? { type } : {}) };
    expect(await world.outcome(command, input)).toBe('invalid parent');
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
    const grants = await world.listed('grant.list', { user: 'inner' });
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
    expect(await world.run('scope.read', { scope: at.sensor })).toMatchObject({
      ancestors: [at.wing, at.floor, at.house, at.campus, at.second, at.client],
    });
    await world.run('scope.move', { scope: at.campus, parent: at.project });
    await world.run('scope.move', { scope: at.inner, parent: at.holding });
    expect((await ask()).region).toEqual(['region']);
    await world.run('scope.move', { scope: at.inner, parent: at.region });
    const wrong = { sensor: 'floor', campus: 'client', region: 'inner', holding: 'region' };
    for (const [scope, parent] of Object.entries(wrong)) {
      const input = { scope: at[scope], parent: at[parent] };
      expect((await world.refused('scope.move', input)).code, scope).toBe('invalid');
    }
  });

  test('a type with scopes is not deleted; one whose scopes are gone is, and is none from then on', async () => {
    for (const name of ['holding', 'region', 'campus', 'wing', 'sensor']) {
      expect(await world.outcome('scope-type.delete', { name })).toBe('conflict name');
    }
    await world.run('scope.delete-tree', { scope: at.holding });
    await world.run('scope.delete-tree', { scope: at.client });
    await expectWhole(world);
    for (const name of ['holding', 'region', 'campus', 'wing', 'sensor']) {
      await world.run('scope-type.delete', { name });
      expect(await world.outcome('scope.create', { type: name, name: 'x' })).toBe('invalid type');
    }
    expect(await world.listed('scope-type.list', {})).toEqual([]);
    await expectWhole(world);
  });
});
