import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLists, type Lists } from '../../../engine/index.ts';
import { createWorld, type World } from '../../support/world.ts';

/** Subject search for one type. */
let world: World;
let lists: Lists;
const SCOPE = 'tenant:acme';

beforeAll(async () => {
  world = await createWorld();
  const { run } = world;
  for (const name of ['home', 'plans', 'open']) await run('page.create', { name });
  await run('tenant.create', { id: 'acme', name: 'Acme' });
  await run('account.create', { id: 'own', name: 'Own' });
  for (const name of ['device', 'device-pool']) await run('subject-type.create', { name });
  for (const [id, permission] of [
    ['reader', 'home'],
    ['guest', 'open'],
    ['planner', 'plans'],
  ]) {
    await run('role.create', { id, name: id, scope: 'tenant' });
    await run('role-permission.create', { role: id, permission, effect: 'ALLOW' });
  }
  await run('role.create', { id: 'everywhere', name: 'everywhere', scope: 'global' });
  await run('role-permission.create', { role: 'everywhere', permission: 'home', effect: 'ALLOW' });
  await run('group.create', { id: 'all', scope: SCOPE, name: 'all', everyone: true });
  await run('group-role.create', { group: 'all', role: 'guest' });
  await run('group.create', { id: 'some', scope: SCOPE, name: 'some' });
  await run('group-role.create', { group: 'some', role: 'reader' });
  // Of each type one subject for each way to hold a role.
  for (const how of ['member', 'assigned', 'granted', 'global', 'admin', 'guest']) {
    await run('user.create', { id: how });
    await run('technical-user.create', { id: how, name: how, account: 'account:own' });
    await run('subject.create', { type: 'device', id: how });
    await run('subject.create', { type: 'device-pool', id: how });
    for (const user of [
      how,
      ...['technical-user', 'device', 'device-pool'].map((type) => `${type}:${how}`),
    ]) {
      if (how === 'member') await run('membership.create', { user, group: 'some' });
      if (how === 'assigned') await run('assignment.create', { user, scope: SCOPE, role: 'reader' });
      if (how === 'granted') await run('grant.create', { user, scope: SCOPE, roles: ['reader'] });
      if (how === 'global') await run('global-role.create', { user, role: 'everywhere' });
      if (how === 'admin') await run('admin.create', { user });
    }
  }
  world.settle();
});
beforeEach(() => {
  world.calls.length = 0;
  lists = createLists({ reader: world.reader, engine: world.newEngine(), clock: world.clock });
});

async function all(permission: string, type: string, limit: number) {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await lists.listSubjects(permission, SCOPE, { type, limit, cursor });
    // Pages are full: a candidate of another type takes no place in them.
    if (page.cursor !== undefined) expect(page.items).toHaveLength(limit);
    found.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return found.sort();
  }
}

describe.each(['user', 'technical-user', 'device', 'device-pool'])('of the type %s', (type) => {
  test.each([1, 2, 100])('finds all by any grant, in pages of %i', async (limit) => {
    const named = (...names: readonly string[]) => names.map((name) => `${type}:${name}`);
    expect(await all('home', type, limit)).toEqual(named('admin', 'assigned', 'global', 'granted', 'member'));
    expect(await all('plans', type, limit)).toEqual(named('admin'));
    expect(await all('open', type, limit)).toEqual(
      named('admin', 'assigned', 'global', 'granted', 'guest', 'member'),
    );
  });
});

test('looks at subjects of that type only, where everyone may', async () => {
  const { items } = await lists.listSubjects('open', SCOPE, { type: 'device' });
  expect(items).toHaveLength(6);
  const read = world.calls.flatMap(({ keys }) => keys).reduce((sum, keys) => sum + keys, 0);
  await lists.listSubjects('open', SCOPE);
  const readOfAll = world.calls.flatMap(({ keys }) => keys).reduce((sum, keys) => sum + keys, 0) - read;
  expect(read).toBeLessThan(readOfAll);
});

test('a type that there cannot be has no subjects; a cursor is for its type only', async () => {
  for (const type of ['Device', 'role', 'gadget', 'device:admin'])
    expect(await lists.listSubjects('open', SCOPE, { type })).toEqual({ items: [] });
  const { cursor } = await lists.listSubjects('open', SCOPE, { type: 'device', limit: 1 });
  const other = lists.listSubjects('open', SCOPE, { type: 'user', cursor });
  await expect(other).rejects.toMatchObject({ code: 'invalid', field: 'cursor' });
  const wrong = lists.listSubjects('open', SCOPE, { type: 7 as unknown as string });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid', field: 'type' });
});
