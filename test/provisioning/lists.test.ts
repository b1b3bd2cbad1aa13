import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { eventually } from '../support/eventually.ts';
import { createInputs } from './kinds.ts';
import { createLedgerWorld, type Input, NOBODY, type Result } from './support.ts';

/** Lists in pages: nothing is shown twice or left out, and a cursor is good for its own list only. */
const LISTS = [...COMMANDS.keys()].filter((name) => name.endsWith('.list'));
const COUNT = 12;

/** Ids of one of each: a group with many members, a role that many hold, and so on. */
const one: Record<string, string> = {};
/** An input of each list command, without page fields. */
const inputs: Record<string, Input> = {};

const world = await createLedgerWorld();
const { run } = world;
one.tenant = (await run('tenant.create', { name: 'Many' })).id;
const tenant = `tenant:${one.tenant}`;
one.group = (await run('group.create', { scope: tenant, name: 'all' })).id;
one.role = (await run('role.create', { name: 'reader', scope: 'global' })).id;
for (let i = 0; i < COUNT; i++) {
  const user = (await run('user.create', {})).id;
  await run('membership.create', { user, group: one.group });
  await run('assignment.create', { user, scope: tenant, role: one.role });
  await run('grant.create', { user, scope: tenant, roles: [one.role] });
  await run('global-role.create', { user, role: one.role });
  await run('admin.create', { user });
  await run('role.create', { name: `role ${i}`, scope: tenant });
  await run('location.create', { name: 'Place', parent: tenant });
  await run('route.create', { method: 'GET', path: `/p${i}`, permission: 'p', scope: 'tenant:{claim:t}' });
  // Pages and permissions of a role are two stretches of its partition.
  const permission = i % 2 === 0 ? `leaf-${i}` : `a:b:${i}`;
  await run(i % 2 === 0 ? 'page.create' : 'permission.create', { name: permission });
  await run('role-permission.create', { role: one.role, permission, effect: 'ALLOW' });
}
const inputOf = createInputs(world);
for (const list of LISTS) inputs[list] = await inputOf(list);

describe('pages', () => {
  const scope = () => `tenant:${one.tenant}`;
  const cases: readonly [string, () => Input][] = [
    ['user.list', () => ({})],
    ['location.list', () => ({ parent: scope() })],
    ['role.list', () => ({ scope: scope() })],
    ['membership.list', () => ({ group: one.group })],
    ['assignment.list', () => ({ scope: scope() })],
    ['assignment.list', () => ({ role: one.role })],
    ['grant.list', () => ({ scope: scope() })],
    ['grant.list', () => ({ role: one.role })],
    ['global-role.list', () => ({ role: one.role })],
    ['admin.list', () => ({})],
    ['route.list', () => ({})],
    ['role-permission.list', () => ({ role: one.role })],
  ];

  test.each(cases)('%s comes in full pages, each row once, and ends without a cursor', async (list, by) => {
    // An index follows the table by a moment: only then is its list complete.
    const whole = await eventually(async () => {
      const page = await world.run(list, { ...by(), limit: 1_000 });
      expect((page.items as readonly Result[]).length).toBeGreaterThanOrEqual(COUNT);
      return page;
    });
    expect(whole).not.toHaveProperty('cursor');
    const rows = whole.items as readonly Result[];
    for (const limit of [5, rows.length - 1, rows.length]) {
      const pages: Result[][] = [];
      let cursor: unknown;
      do {
        const page = await world.run(list, { ...by(), limit, ...(cursor ? { cursor } : {}) });
        pages.push(page.items as Result[]);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(pages.flat()).toEqual(rows);
      for (const page of pages.slice(0, -1)) expect(page.length).toBe(limit);
    }
  });

  test('a list without a limit has one', async () => {
    const api = 'crowded';
    const route = { api, method: 'GET', permission: 'p', scope: 'tenant:{claim:t}' };
    const paths = Array.from({ length: 101 }, (_, i) => `/${i}`);
    await Promise.all(paths.map((path) => world.run('route.create', { ...route, path })));
    const first = await world.run('route.list', { api });
    expect((first.items as unknown[]).length).toBe(100);
    const second = await world.run('route.list', { api, cursor: first.cursor });
    expect((second.items as unknown[]).length).toBe(1);
  });

  test('what nothing is in is an empty list, not an error', async () => {
    expect(await world.run('membership.list', { user: NOBODY })).toEqual({ items: [] });
    expect(await world.run('role.list', { scope: `tenant:${NOBODY}` })).toEqual({ items: [] });
  });
});

test.each(LISTS)('%s refuses limits and cursors that are none', async (list) => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const wrong = {
    limit: [0, -1, 1_001, 1.5, '10', null, true],
    cursor: [
      ...['', 7, '%%%', Buffer.from('{').toString('base64url'), encoded({})],
      // Of another list, and too long.
      ...[encoded(['x', 0, null]), 'A'.repeat(2_049)],
    ],
  };
  for (const [field, values] of Object.entries(wrong))
    for (const value of values)
      expect(await world.refused(list, { ...inputs[list], [field]: value }), `${value}`).toMatchObject({
        code: 'invalid',
        field,
        retryable: false,
      });
});

describe('a cursor', () => {
  const cursorOf = async (list: string, by: Input): Promise<string> =>
    String((await world.run(list, { ...by, limit: 1 })).cursor);
  const forge = (cursor: string, change: (parts: [unknown, unknown, unknown]) => unknown): string => {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown, unknown];
    return Buffer.from(JSON.stringify(change(parts))).toString('base64url');
  };

  test('of another list of the same kind is refused', async () => {
    const cursor = await cursorOf('membership.list', { group: one.group });
    const other = await world.run('group.create', { scope: `tenant:${one.tenant}`, name: 'other' });
    expect(await world.outcome('membership.list', { group: other.id, cursor })).toBe('invalid cursor');
    expect(await world.refused('user.list', { cursor })).toMatchObject({ field: 'cursor' });
  });

  test.each([
    ['a range that the list has not', (p: unknown[]) => [p[0], 99, p[2]]],
    ['a range that is no number', (p: unknown[]) => [p[0], '0', p[2]]],
    ['a key that is no object', (p: unknown[]) => [p[0], p[1], 'META']],
    ['a key that is a list', (p: unknown[]) => [p[0], p[1], ['META']]],
    ['a key without its parts', (p: unknown[]) => [p[0], p[1], {}]],
    ['a key with a part that is no text', (p: unknown[]) => [p[0], p[1], { PK: 1, SK: 'x' }]],
    ['a key of another partition', (p: unknown[]) => [p[0], p[1], { PK: 'GLOBAL#GATEHOUSE', SK: 'x' }]],
    ['more than three parts', (p: unknown[]) => [...p, 1]],
  ])('with %s is refused', async (_, change) => {
    const by = { group: one.group };
    const cursor = forge(await cursorOf('membership.list', by), change);
    expect(await world.outcome('membership.list', { ...by, cursor })).toBe('invalid cursor');
  });
});

test('names come along when they are asked for, as they are now', async () => {
  const { run } = world;
  const place = (await run('location.create', { name: 'North', code: 'NAMES1' })).id;
  const user = (await run('user.create', { displayName: 'Ann', userType: 'LEAD' })).id;
  const group = (await run('group.create', { scope: `location:${place}`, name: 'old', groupType: 'TEACHER' }))
    .id;
  await run('membership.create', { user, group });
  await run('grant.create', { user, scope: `location:${place}` });
  await run('group.update', { id: group, name: 'new' });
  const first = async (command: string, by: Record<string, unknown>) =>
    ((await run(command, { ...by, withNames: true })).items as unknown[])[0];
  expect(await first('membership.list', { user })).toMatchObject({ groupName: 'new', groupType: 'TEACHER' });
  const names = { userDisplayName: 'Ann', userType: 'LEAD' };
  expect(await first('membership.list', { group })).toMatchObject(names);
  expect(await first('grant.list', { scope: `location:${place}` })).toMatchObject(names);
  expect(await first('grant.list', { user })).toMatchObject({
    locationCode: 'NAMES1',
    locationName: 'North',
  });
  expect(((await run('membership.list', { user })).items as unknown[])[0]).not.toHaveProperty('groupName');
});
