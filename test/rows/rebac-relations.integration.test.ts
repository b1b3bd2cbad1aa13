import { expect } from 'vitest';
import { row } from './row.ts';
import {
  BAD_CURSOR,
  create,
  NOBODY,
  newGroup,
  newLocation,
  newRole,
  newUser,
  setPage,
  several,
  sorted,
  valuesOf,
} from './setup.ts';

/** Seed 003, relationships: who is where, in which group, with which roles and pages. */
row('RB-08', async ({ world, reads, pages }) => {
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const places = await several(3, () => newLocation(world));
  const elsewhere = await newLocation(world);
  for (const at of places) await world.run('grant.create', { user: ann, scope: `location:${at}` });
  await world.run('grant.create', { user: bob, scope: `location:${elsewhere}` });
  // Of another type, and in a group there: neither puts Ann into a location.
  const tenant = await create(world, 'tenant', { name: 'RB-08' });
  await world.run('grant.create', { user: ann, scope: `tenant:${tenant}` });
  await world.run('membership.create', { user: ann, group: await newGroup(world, elsewhere) });

  const seen = await pages('grant.list', { user: ann, type: 'location' }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'scope')).toEqual(sorted(...places.map((id) => `location:${id}`)));
  expect(seen[0]?.[0]).toMatchObject({ user: ann, roles: [] });
  await world.run('grant.delete', { user: ann, scope: `location:${places[0]}` });
  expect(valuesOf(await pages('grant.list', { user: ann, type: 'location' }, 1), 'scope')).toEqual(
    sorted(...places.slice(1).map((id) => `location:${id}`)),
  );
  const { cursor } = await reads('grant.list', { user: ann, limit: 1, type: 'location' });
  await expect(reads('grant.list', { user: bob, cursor, type: 'location' })).rejects.toMatchObject(
    BAD_CURSOR,
  );
  expect(await reads('grant.list', { user: NOBODY, type: 'location' })).toEqual({ items: [] });
});

row('RB-09', async ({ world, reads, pages }) => {
  const [here, there] = [await newLocation(world), await newLocation(world)];
  const users = await several(3, () => newUser(world));
  const stranger = await newUser(world);
  for (const each of users) await world.run('grant.create', { user: each, scope: `location:${here}` });
  await world.run('grant.create', { user: stranger, scope: `location:${there}` });

  const seen = await pages('grant.list', { scope: `location:${here}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'user')).toEqual(sorted(...users));
  await world.run('user.delete', { id: users[1] });
  await world.run('grant.delete', { user: users[2], scope: `location:${here}` });
  expect(valuesOf(await pages('grant.list', { scope: `location:${here}` }, 2), 'user')).toEqual([users[0]]);
  expect(valuesOf(await pages('grant.list', { scope: `location:${there}` }, 2), 'user')).toEqual([stranger]);
  await expect(reads('grant.list', { scope: `location:${here}`, limit: 0 })).rejects.toMatchObject({
    code: 'invalid',
    field: 'limit',
  });
});

row('RB-10', async ({ world, pages }) => {
  const [here, there] = [await newLocation(world), await newLocation(world)];
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const groups = await several(3, (n) => newGroup(world, n === 1 ? there : here));
  const others = await newGroup(world, here);
  for (const each of groups) await world.run('membership.create', { user: ann, group: each });
  await world.run('membership.create', { user: bob, group: others });

  const seen = await pages('membership.list', { user: ann }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'group')).toEqual(sorted(...groups));
  expect(seen.flat().find((each) => each.group === groups[1])).toMatchObject({
    user: ann,
    scope: `location:${there}`,
    joinedAt: new Date(world.clock.now()).toISOString(),
  });
  await world.run('membership.delete', { user: ann, group: groups[0] });
  await world.run('group.delete', { id: groups[2] });
  expect(valuesOf(await pages('membership.list', { user: ann }, 1), 'group')).toEqual([groups[1]]);
  expect(valuesOf(await pages('membership.list', { user: bob }, 1), 'group')).toEqual([others]);
});

row('RB-11', async ({ world, reads, pages }) => {
  const [here, there] = [await newLocation(world), await newLocation(world)];
  const [ann, bob] = [await newUser(world), await newUser(world)];
  // In turn here and there: what is filtered out stands between, before and after what is kept.
  const at = [there, here, there, here, here, there];
  const groups = await several(at.length, (n) => newGroup(world, at[n] ?? ''));
  for (const each of groups) await world.run('membership.create', { user: ann, group: each });
  await world.run('membership.create', { user: bob, group: await newGroup(world, here) });
  const of = (place: string) => sorted(...groups.filter((_, i) => at[i] === place));
  const scope = `location:${here}`;

  const first = await reads('membership.list', { user: ann, scope, limit: 2 });
  expect(valuesOf([first.items], 'group')).toEqual(of(here).slice(0, 2));
  const second = await reads('membership.list', { user: ann, scope, limit: 2, cursor: first.cursor });
  expect(valuesOf([second.items], 'group')).toEqual(of(here).slice(2));
  expect(second).not.toHaveProperty('cursor');
  expect(valuesOf(await pages('membership.list', { user: ann, scope }, 1), 'group')).toEqual(of(here));
  expect(
    valuesOf(await pages('membership.list', { user: ann, scope: `location:${there}` }, 2), 'group'),
  ).toEqual(of(there));
  await world.run('membership.delete', { user: ann, group: groups[3] });
  expect(valuesOf(await pages('membership.list', { user: ann, scope }, 2), 'group')).toEqual(
    of(here).filter((id) => id !== groups[3]),
  );
  expect(await reads('membership.list', { user: ann, scope: `location:${NOBODY}` })).toEqual({ items: [] });
  await expect(reads('membership.list', { user: ann, scope: `user:${ann}` })).rejects.toMatchObject({
    code: 'invalid',
    field: 'scope',
  });
});

row('RB-12', async ({ world, pages }) => {
  const here = await newLocation(world);
  const [teachers, others] = [await newGroup(world, here), await newGroup(world, here)];
  const users = await several(3, () => newUser(world));
  const [first = '', second = '', third = ''] = users;
  for (const each of users) await world.run('membership.create', { user: each, group: teachers });
  await world.run('membership.create', { user: first, group: others });

  const seen = await pages('membership.list', { group: teachers }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'user')).toEqual(sorted(...users));
  await world.run('membership.delete', { user: first, group: teachers });
  await world.run('user.delete', { id: second });
  expect(valuesOf(await pages('membership.list', { group: teachers }, 2), 'user')).toEqual([third]);
  expect(valuesOf(await pages('membership.list', { group: others }, 2), 'user')).toEqual([first]);
});

row('RB-13', async ({ world, pages }) => {
  const here = await newLocation(world);
  const [teachers, others] = [await newGroup(world, here), await newGroup(world, here)];
  const [a = '', b = '', c = '', d = ''] = await several(4, (n) => newRole(world, `rb13 ${n}`));
  for (const each of [a, b, c]) await world.run('group-role.create', { group: teachers, role: each });
  await world.run('group-role.create', { group: others, role: d });
  await world.run('membership.create', { user: await newUser(world), group: teachers });

  const seen = await pages('group-role.list', { group: teachers }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'role')).toEqual(sorted(a, b, c));
  await world.run('group-role.delete', { group: teachers, role: a });
  await world.run('role.delete', { id: b });
  expect(valuesOf(await pages('group-role.list', { group: teachers }, 2), 'role')).toEqual([c]);
  expect(valuesOf(await pages('group-role.list', { group: others }, 2), 'role')).toEqual([d]);
});

row('RB-14', async ({ world, reads }) => {
  const here = await newLocation(world);
  const [teachers, others] = [await newGroup(world, here), await newGroup(world, here)];
  const [role, unused] = [await newRole(world, 'rb14 a'), await newRole(world, 'rb14 b')];
  await world.run('group-role.create', { group: teachers, role });
  expect(await reads('group-role.read', { group: teachers, role })).toMatchObject({ role });
  expect(await reads('group-role.read', { group: teachers, role: unused })).toBeUndefined();
  expect(await reads('group-role.read', { group: others, role })).toBeUndefined();
  await world.run('group-role.delete', { group: teachers, role });
  expect(await reads('group-role.read', { group: teachers, role })).toBeUndefined();
});

row('RB-15', async ({ world, reads, pages }) => {
  const [teacher, other] = [await newRole(world, 'rb15 a'), await newRole(world, 'rb15 b')];
  for (const name of ['rb15-a', 'rb15-b', 'rb15-c', 'rb15-d']) await world.run('page.create', { name });
  await world.run('permission.create', { name: 'rb15:read:all' });
  for (const name of ['rb15-b', 'rb15-a']) await setPage(world, teacher, name, 'ALLOW');
  await setPage(world, teacher, 'rb15-c', 'DENY');
  await setPage(world, other, 'rb15-d', 'ALLOW');
  // No pages: a permission and a pattern.
  for (const name of ['rb15:read:all', 'rb15:*:*']) await setPage(world, teacher, name, 'ALLOW');

  const seen = await pages('role-permission.list', { kind: 'page', role: teacher }, 2);
  expect(seen.map((some) => some.map(({ permission, effect }) => `${permission} ${effect}`))).toEqual([
    ['rb15-a ALLOW', 'rb15-b ALLOW'],
    ['rb15-c DENY'],
  ]);
  await world.run('role-permission.delete', { role: teacher, permission: 'rb15-b' });
  await world.run('role-permission.update', { role: teacher, permission: 'rb15-a', effect: 'DENY' });
  const { items } = await reads('role-permission.list', { kind: 'page', role: teacher });
  expect(items.map(({ permission, effect }) => `${permission} ${effect}`)).toEqual([
    'rb15-a DENY',
    'rb15-c DENY',
  ]);
});

row('RB-16', async ({ world, reads }) => {
  const [teacher, other] = [await newRole(world, 'rb16 a'), await newRole(world, 'rb16 b')];
  for (const name of ['rb16', 'rb16-more']) await world.run('page.create', { name });
  await setPage(world, teacher, 'rb16', 'ALLOW');
  await setPage(world, other, 'rb16', 'DENY');
  expect(await reads('role-permission.read', { role: teacher, permission: 'rb16' })).toMatchObject({
    role: teacher,
    permission: 'rb16',
    effect: 'ALLOW',
  });
  expect(await reads('role-permission.read', { role: other, permission: 'rb16' })).toMatchObject({
    effect: 'DENY',
  });
  expect(await reads('role-permission.read', { role: teacher, permission: 'rb16-more' })).toBeUndefined();
  await world.run('role-permission.update', { role: teacher, permission: 'rb16', effect: 'DENY' });
  expect(await reads('role-permission.read', { role: teacher, permission: 'rb16' })).toMatchObject({
    effect: 'DENY',
  });
  await world.run('role-permission.delete', { role: teacher, permission: 'rb16' });
  expect(await reads('role-permission.read', { role: teacher, permission: 'rb16' })).toBeUndefined();
});
