import { expect } from 'vitest';
import type { World } from '../support/world.ts';
import { row } from './row.ts';
import {
  BAD_CURSOR,
  create,
  HOUR,
  instantOf,
  NOBODY,
  newCampus,
  newClient,
  newEstate,
  newRole,
  newUser,
  place,
  setPage,
  several,
  sorted,
  valuesOf,
} from './setup.ts';

/** Seeds 000 and 001: users, roles, permissions, and who holds what where. */

const newPermissions = (world: World, ...names: readonly string[]) =>
  several(names.length, (n) => create(world, 'permission', { name: names[n] }));

row('AM-01', async ({ world, reads }) => {
  const ann = await create(world, 'user', {
    email: 'Ann.AM01@example.com',
    givenName: 'Ann',
    userType: 'client_admin',
    mfaSecret: 'never to be seen',
    passwordHash: 'nor this',
  });
  const bob = await create(world, 'user', { email: 'ann.am01@example.com.au' });
  const found = await reads('user.read', { email: ' ann.am01@EXAMPLE.com' });
  expect(found).toMatchObject({ id: ann, email: 'ann.am01@example.com', userType: 'client_admin' });
  expect(JSON.stringify(found)).not.toMatch(/never to be seen|nor this/);
  expect(await reads('user.read', { email: 'ann.am01@example.com.au' })).toMatchObject({ id: bob });
  expect(await world.refused('user.create', { email: 'ANN.am01@example.com' })).toMatchObject({
    code: 'conflict',
    field: 'email',
  });
  await world.run('user.update', { id: ann, email: 'anna.am01@example.com', title: 'Head' });
  expect(await reads('user.read', { email: 'ann.am01@example.com' })).toBeUndefined();
  expect(await reads('user.read', { email: 'anna.am01@example.com' })).toMatchObject({
    id: ann,
    title: 'Head',
  });
  await world.run('user.delete', { id: bob });
  expect(await reads('user.read', { email: 'ann.am01@example.com.au' })).toBeUndefined();
  await expect(reads('user.read', { email: 'ann' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'email',
  });
});

row('AM-02', async ({ world, pages, record }) => {
  const [here, there] = [await newEstate(world, 'AM02'), await newEstate(world, 'AM02 twin')];
  await newPermissions(world, 'am02:read:door', 'am02:open:door', 'am02:lock:door', 'am02:read:log');
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const [reader, porter, keeper] = await several(3, (n) => newRole(world, `am02 ${n}`));
  await setPage(world, reader ?? '', 'am02:read:*', 'ALLOW');
  await setPage(world, porter ?? '', 'am02:open:door', 'ALLOW');
  await setPage(world, keeper ?? '', 'am02:*:*', 'ALLOW');
  const assign = (user: string, scope: string, carried = '', more: Record<string, unknown> = {}) =>
    world.run('assignment.create', { user, scope, role: carried, ...more });
  await assign(ann, here.client, reader);
  await assign(ann, here.project, porter);
  await assign(ann, there.building, keeper);
  await assign(ann, here.building, keeper, { endsAt: instantOf(world, -HOUR) });
  await assign(bob, here.building, keeper);
  world.settle();

  /** What a user may do at a scope: every permission that is registered, asked for in one call. */
  const allowedTo = async (user: string, scope: string) => {
    const names = valuesOf(await pages('permission.list', {}, 3), 'name').map(String);
    const engine = world.newEngine();
    const { decisions } = await record(() =>
      engine.checkMany(names.map((name) => ({ subject: `user:${user}`, permission: name, scope }))),
    );
    const own = names.filter((name) => name.startsWith('am02:'));
    expect(own).toHaveLength(4);
    return names.filter((_, n) => decisions[n]?.allowed).toSorted();
  };
  const reading = ['am02:read:door', 'am02:read:log'];
  const all = ['am02:lock:door', 'am02:open:door', ...reading];
  expect(await allowedTo(ann, here.client)).toEqual(reading);
  expect(await allowedTo(ann, here.project)).toEqual(['am02:open:door', ...reading]);
  expect(await allowedTo(ann, here.building)).toEqual(['am02:open:door', ...reading]);
  expect(await allowedTo(ann, there.building)).toEqual(all);
  expect(await allowedTo(ann, there.client)).toEqual([]);
  expect(await allowedTo(bob, here.building)).toEqual(all);
  expect(await allowedTo(bob, here.project)).toEqual([]);
  // What was given at the scope itself, and at no other.
  const given = async (user: string, scope: string) =>
    valuesOf(await pages('assignment.list', { user, scope }, 1), 'role');
  expect(await given(ann, here.project)).toEqual([porter]);
  expect(await given(ann, there.project)).toEqual([]);
  await assign(ann, here.project, reader);
  expect(await given(ann, here.project)).toEqual(sorted(porter ?? '', reader ?? ''));
  await world.run('assignment.delete', { user: ann, scope: here.project, role: porter });
  expect(await given(ann, here.project)).toEqual([reader]);
  expect(await allowedTo(ann, here.building)).toEqual(reading);
});

row('AM-13', async ({ world, reads, pages }) => {
  const [acme, twin] = [await newClient(world, 'AM13'), await newClient(world, 'AM13 twin')];
  const own = await several(3, (n) => create(world, 'role', { name: `am13 ${n}`, scope: acme }));
  const [foreign, everywhere, anywhere] = await several(3, (n) =>
    create(world, 'role', { name: 'am13 0', scope: [twin, 'global', 'tenant'][n] }),
  );

  const seen = await pages('role.list', { scope: acme }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...own));
  for (const each of seen.flat()) expect(each).toMatchObject({ scope: acme, isSystem: false });
  expect(valuesOf(await pages('role.list', { scope: twin }, 2), 'id')).toEqual([foreign]);
  // The system's: those that are held everywhere, and those that any tenant can give.
  const system = (await pages('role.list', { scope: 'global' }, 2)).flat();
  expect(system.find(({ id }) => id === everywhere)).toMatchObject({ name: 'am13 0', isSystem: true });
  for (const each of system) expect(each.scope).toBe('global');
  const lent = (await pages('role.list', { scope: 'tenant' }, 2)).flat();
  expect(lent.find(({ id }) => id === anywhere)).toMatchObject({ scope: 'tenant', isSystem: true });
  for (const each of lent) expect(each.scope).toBe('tenant');
  expect(await world.refused('role.create', { name: 'AM13 0', scope: acme })).toMatchObject({
    code: 'conflict',
    field: 'name',
  });
  await world.run('role.update', { id: own[0], name: 'am13 renamed' });
  await world.run('role.delete', { id: own[1] });
  await world.run('role.delete', { id: everywhere });
  const left = (await pages('role.list', { scope: acme }, 1)).flat();
  expect(valuesOf([left], 'id')).toEqual(sorted(own[0] ?? '', own[2] ?? ''));
  expect(left.find(({ id }) => id === own[0])).toMatchObject({ name: 'am13 renamed' });
  const rest = await pages('role.list', { scope: 'global' }, 100);
  expect(valuesOf(rest, 'id')).not.toContain(everywhere);
  const { cursor } = await reads('role.list', { scope: acme, limit: 1 });
  await expect(reads('role.list', { scope: twin, cursor })).rejects.toMatchObject(BAD_CURSOR);
  await expect(reads('role.list', { scope: `user:${NOBODY}` })).rejects.toMatchObject({
    code: 'invalid',
    field: 'scope',
  });
});

row('AM-14', async ({ world, reads, pages }) => {
  const [carried, other] = await several(2, (n) => newRole(world, `am14 ${n}`));
  const heir = await create(world, 'role', { name: 'am14 heir', scope: 'global', parent: carried });
  await newPermissions(world, 'am14:read:door', 'am14:open:door');
  await world.run('page.create', { name: 'am14' });
  const effects = [
    ['am14', 'ALLOW'],
    ['am14:open:door', 'DENY'],
    ['am14:read:*', 'ALLOW'],
    ['am14:read:door', 'ALLOW'],
  ] as const;
  const giver = await newUser(world);
  for (const [name, effect] of effects) {
    const given = { role: carried, permission: name, effect, grantedBy: giver };
    await world.run('role-permission.create', given);
  }
  await setPage(world, other ?? '', 'am14:open:door', 'ALLOW');
  const shown = async (id = '', limit = 3) =>
    (await pages('role-permission.list', { role: id }, limit)).map((some) =>
      some.map((each) => [each.permission, each.effect]),
    );

  expect(await shown(carried)).toEqual([effects.slice(0, 3), effects.slice(3)]);
  const { items } = await reads('role-permission.list', { role: carried ?? '' });
  expect(items[1]).toMatchObject({ module: 'am14', action: 'open', resource: 'door', grantedBy: giver });
  expect(items[1]?.grantedAt).toBe(instantOf(world));
  expect(await shown(other)).toEqual([[['am14:open:door', 'ALLOW']]]);
  // What is inherited is the parent's to list.
  expect(await shown(heir)).toEqual([[]]);
  const again = { role: carried, permission: 'am14:open:door', effect: 'ALLOW' };
  expect(await world.refused('role-permission.create', again)).toMatchObject({ code: 'conflict' });
  expect(
    await world.refused('role-permission.create', { ...again, permission: 'am14:no:door' }),
  ).toMatchObject({ code: 'not_found', field: 'permission' });
  await world.run('role-permission.update', again);
  await world.run('role-permission.delete', { role: carried, permission: 'am14:read:*' });
  await world.run('permission.delete', { name: 'am14:read:door' });
  expect((await shown(carried, 1)).flat()).toEqual([
    ['am14', 'ALLOW'],
    ['am14:open:door', 'ALLOW'],
  ]);
});

row('AM-15', async ({ world, reads, pages }) => {
  const [here, there] = [await newEstate(world, 'AM15'), await newEstate(world, 'AM15 twin')];
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const [now, ended, later, global, granted, grouped, foreign] = await several(7, (n) =>
    newRole(world, `am15 ${n}`),
  );
  const group = await create(world, 'group', { scope: here.building, name: 'am15' });
  await world.run('group-role.create', { group, role: grouped });
  const assign = (user: string, carried = '', more: Record<string, unknown> = {}) =>
    world.run('assignment.create', { user, scope: here.project, role: carried, ...more });
  await assign(ann, now);
  await assign(ann, ended, { endsAt: instantOf(world) });
  await assign(ann, later, { startsAt: instantOf(world, HOUR), endsAt: instantOf(world, 2 * HOUR) });
  await assign(bob, foreign);
  await world.run('global-role.create', { user: ann, role: global });
  await world.run('grant.create', { user: ann, scope: here.client, roles: [granted] });
  // In the other client without a role there.
  await world.run('grant.create', { user: ann, scope: there.client });
  await world.run('membership.create', { user: ann, group });

  /** All roles of a user, those of groups too. */
  const rolesAt = async (user: string, at: string, limit = 2) => {
    const edges = (await pages('user.access', { id: user, at }, limit)).flat();
    const ids: unknown[] = [];
    for (const edge of edges) {
      if (typeof edge.role === 'string') ids.push(edge.role);
      else if (Array.isArray(edge.roles)) ids.push(...edge.roles);
      else ids.push(...valuesOf(await pages('group-role.list', { group: String(edge.group) }, 1), 'role'));
    }
    return ids.toSorted();
  };
  const at = instantOf(world);
  const carried = [now, global, granted, grouped].map(String);
  expect(await rolesAt(ann, at)).toEqual(carried.toSorted());
  expect(await rolesAt(ann, at, 1)).toEqual(carried.toSorted());
  expect(await rolesAt(ann, instantOf(world, -HOUR))).toEqual([...carried, ended].toSorted());
  expect(await rolesAt(ann, instantOf(world, HOUR))).toEqual([...carried, later].toSorted());
  expect(await rolesAt(ann, instantOf(world, 2 * HOUR))).toEqual(carried.toSorted());
  expect(await rolesAt(bob, at)).toEqual([foreign]);
  const seen = await pages('user.access', { id: ann, at }, 3);
  // With the grant that holds no role.
  expect(seen.map(({ length }) => length)).toEqual([3, 2]);
  expect(seen.flat()[0]).toMatchObject({ user: ann, role: now, scope: here.project });
  await world.run('membership.delete', { user: ann, group });
  await world.run('global-role.delete', { user: ann, role: global });
  await world.run('role.delete', { id: granted });
  expect(await rolesAt(ann, at)).toEqual([now]);
  await expect(reads('user.access', { id: ann, at: 'now' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'at',
  });
});

row('AM-16', async ({ world, reads, pages }) => {
  const [here, there] = [await newEstate(world, 'AM16'), await newEstate(world, 'AM16 twin')];
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const [carried, second] = await several(2, (n) => newRole(world, `am16 ${n}`));
  const annex = await place(world, 'building', here.project);
  const zone = await place(world, 'zone', annex);
  const assign = (user: string, scope: string, more: Record<string, unknown> = {}) =>
    world.run('assignment.create', { user, scope, role: carried, ...more });
  await assign(ann, here.project);
  await assign(ann, here.building);
  await assign(ann, annex, { endsAt: instantOf(world, HOUR) });
  await assign(ann, there.building, { startsAt: instantOf(world, HOUR) });
  await assign(bob, there.project);
  const group = await create(world, 'group', { scope: zone, name: 'am16' });
  await world.run('membership.create', { user: ann, group });
  // In the client, and in a place of a type that was added.
  const campus = `campus:${await newCampus(world)}`;
  for (const scope of [here.client, campus]) {
    await world.run('grant.create', { user: ann, scope, roles: [carried] });
  }

  const at = instantOf(world);
  const scopesOf = async (user: string, input: { type?: string; at?: string } = {}) =>
    valuesOf(await pages('user.access', { id: user, at, ...input }, 2), 'scope').toSorted();
  const all = [here.client, campus, here.project, here.building, annex, zone];
  expect(await scopesOf(ann)).toEqual(all.toSorted());
  expect(await scopesOf(ann, { type: 'campus' })).toEqual([campus]);
  expect(await scopesOf(ann, { type: 'building' })).toEqual([here.building, annex].toSorted());
  expect(await scopesOf(ann, { type: 'project' })).toEqual([here.project]);
  expect(await scopesOf(ann, { type: 'zone' })).toEqual([zone]);
  expect(await scopesOf(ann, { type: 'building', at: instantOf(world, HOUR) })).toEqual(
    [here.building, there.building].toSorted(),
  );
  expect(await scopesOf(bob)).toEqual([there.project]);
  // One item a tie: two roles at one place are two.
  await world.run('assignment.create', { user: ann, scope: here.building, role: second });
  expect(await scopesOf(ann, { type: 'building' })).toEqual([here.building, here.building, annex].toSorted());
  await world.run('assignment.delete', { user: ann, scope: here.project, role: carried });
  expect(await scopesOf(ann, { type: 'project' })).toEqual([]);
  await expect(reads('user.access', { id: ann, at, type: 'user' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'type',
  });
});

row('AM-17', async ({ world, reads, pages }) => {
  await create(world, 'permission', { name: 'am17:read:door', description: 'To look' });
  await create(world, 'permission', { name: 'am17:wipe:door', isDangerous: true });
  await create(world, 'permission', { name: 'am17:open:door' });
  await world.run('page.create', { name: 'am17' });
  const own = async () =>
    (await pages('permission.list', {}, 2))
      .flat()
      .flatMap(({ name, isDangerous }) => (String(name).startsWith('am17') ? [[name, isDangerous]] : []))
      .toSorted();
  expect(await own()).toEqual([
    ['am17:open:door', false],
    ['am17:read:door', false],
    ['am17:wipe:door', true],
  ]);
  expect(await reads('permission.read', { name: 'am17:wipe:door' })).toMatchObject({
    id: 'am17:wipe:door',
    module: 'am17',
    action: 'wipe',
    resource: 'door',
    isDangerous: true,
  });
  expect(await reads('permission.read', { name: 'am17:read:door' })).toMatchObject({
    description: 'To look',
    isDangerous: false,
  });
  expect(await world.refused('permission.create', { name: 'am17:wipe:door' })).toMatchObject({
    code: 'conflict',
  });
  await world.run('permission.update', { name: 'am17:open:door', isDangerous: true });
  await world.run('permission.delete', { name: 'am17:wipe:door' });
  expect(await own()).toEqual([
    ['am17:open:door', true],
    ['am17:read:door', false],
  ]);
  expect(await reads('permission.read', { name: 'am17:wipe:door' })).toBeUndefined();
  for (const name of ['am17', 'am17:*:door', 'am17:open']) {
    await expect(reads('permission.read', { name })).rejects.toMatchObject({
      code: 'invalid',
      field: 'name',
    });
  }
});

row('AM-18', async ({ world, reads, pages, record }) => {
  const [here, there] = [await newEstate(world, 'AM18'), await newEstate(world, 'AM18 twin')];
  const names = ['am18:read:door', 'am18:open:door', 'am18:lock:door'];
  await newPermissions(world, ...names);
  const inherit = (name: string, scope: string, parent?: string) =>
    create(world, 'role', { name, scope, ...(parent ? { parent } : {}) });
  const base = await inherit('am18 base', 'global');
  const middle = await inherit('am18 middle', 'tenant', base);
  const top = await inherit('am18 top', here.client, middle);
  const side = await inherit('am18 side', 'tenant', base);
  for (const [n, id] of [base, middle, top].entries()) await setPage(world, id, names[n] ?? '', 'ALLOW');
  const [ann, bob] = [await newUser(world), await newUser(world)];
  await world.run('assignment.create', { user: ann, scope: here.project, role: top });
  await world.run('assignment.create', { user: bob, scope: there.project, role: middle });

  /** Which of the three a user may do. */
  const may = async (user: string, scope: string) => {
    world.settle();
    const requests = names.map((name) => ({ subject: `user:${user}`, permission: name, scope }));
    const { decisions } = await record(() => world.newEngine().checkMany(requests));
    return decisions.map(({ allowed }) => allowed);
  };
  expect(await may(ann, here.project)).toEqual([true, true, true]);
  expect(await may(ann, here.building)).toEqual([true, true, true]);
  expect(await may(ann, here.client)).toEqual([false, false, false]);
  // Downwards only: who holds the middle has nothing of the top.
  expect(await may(bob, there.building)).toEqual([true, true, false]);
  expect(await may(bob, here.project)).toEqual([false, false, false]);

  const heirs = async (id: string) => valuesOf(await pages('role.list', { parent: id }, 1), 'id');
  expect(await heirs(base)).toEqual(sorted(middle, side));
  expect(await heirs(middle)).toEqual([top]);
  expect(await heirs(top)).toEqual([]);
  expect(await reads('role.read', { id: top })).toMatchObject({ parent: middle, scope: here.client });

  const circle = { code: 'conflict', field: 'parent' };
  const closing = await inherit('am18 closing', 'global', base);
  expect(await world.refused('role.update', { id: base, parent: closing })).toMatchObject(circle);
  expect(await world.refused('role.update', { id: base, parent: base })).toMatchObject(circle);
  // A global role takes nothing from a client's, and what is inherited from stays.
  expect(await world.refused('role.update', { id: base, parent: top })).toMatchObject({ field: 'parent' });
  expect(await world.refused('role.delete', { id: middle })).toMatchObject({ code: 'conflict' });
  expect(await heirs(base)).toEqual(sorted(middle, side, closing));
  // What is taken from an ancestor is gone below, and so is an ancestor.
  await world.run('role-permission.delete', { role: base, permission: names[0] });
  expect(await may(ann, here.building)).toEqual([false, true, true]);
  await world.run('role.update', { id: top, parent: null });
  expect(await may(ann, here.building)).toEqual([false, false, true]);
  expect(await heirs(middle)).toEqual([]);
  expect(await may(bob, there.building)).toEqual([false, true, false]);
});

row('AM-19', async ({ world, pages, record }) => {
  const [here, there] = [await newEstate(world, 'AM19'), await newEstate(world, 'AM19 twin')];
  await newPermissions(world, 'am19:read:door');
  const [carried, other] = await several(2, (n) => newRole(world, `am19 ${n}`));
  await setPage(world, carried ?? '', 'am19:read:door', 'ALLOW');
  const [ann, giver] = [await newUser(world), await newUser(world)];
  const start = world.clock.now() + HOUR;
  const of = { user: ann, scope: here.project, role: carried };
  const [startsAt, endsAt] = [instantOf(world, HOUR), instantOf(world, 2 * HOUR)];
  await world.run('assignment.create', { ...of, startsAt, endsAt, createdBy: giver });
  await world.run('assignment.create', { ...of, role: other, scope: there.project });

  // One process all the while: what it has read holds the dates, so time alone changes its answer.
  const engine = world.newEngine({ ttlMs: 24 * HOUR });
  const ask = async (scope = here.building, at?: number) =>
    (await record(() => engine.check(`user:${ann}`, 'am19:read:door', scope, at === undefined ? {} : { at })))
      .reason;
  world.settle();
  expect(await ask()).toBe('no_grant');
  expect(await ask(here.building, start - 1)).toBe('no_grant');
  expect(await ask(here.building, start)).toBe('role');
  expect(await ask(here.building, start + HOUR - 1)).toBe('role');
  expect(await ask(here.building, start + HOUR)).toBe('no_grant');
  expect(await ask(there.building, start)).toBe('no_grant');
  world.clock.advance(start - world.clock.now());
  expect(await ask()).toBe('role');
  expect(await ask(here.client)).toBe('no_grant');
  world.clock.advance(HOUR);
  expect(await ask()).toBe('no_grant');

  const given = async () => (await pages('assignment.list', { user: ann, scope: here.project }, 1)).flat();
  expect(await given()).toMatchObject([{ role: carried, startsAt, endsAt, createdBy: giver }]);
  const empty = { code: 'invalid', field: 'endsAt' };
  expect(await world.refused('assignment.update', { ...of, endsAt: startsAt })).toMatchObject(empty);
  const backwards = { ...of, scope: here.client, startsAt: endsAt, endsAt: startsAt };
  expect(await world.refused('assignment.create', backwards)).toMatchObject(empty);
  expect(await world.refused('assignment.create', of)).toMatchObject({ code: 'conflict' });
  await world.run('assignment.update', { ...of, endsAt: null });
  world.settle();
  const fresh = world.newEngine();
  expect((await record(() => fresh.check(`user:${ann}`, 'am19:read:door', here.building))).reason).toBe(
    'role',
  );
  expect((await given())[0]).not.toHaveProperty('endsAt');
});

row('AM-24', async ({ world, reads, pages, record }) => {
  const here = await newEstate(world, 'AM24');
  await newPermissions(world, 'am24:read:door', 'am24:open:door', 'am24:lock:door');
  const lent = [
    { permission: 'am24:open:door', effect: 'DENY' },
    { permission: 'am24:read:*', effect: 'ALLOW' },
  ];
  const template = await create(world, 'role-template', { name: 'AM24', permissions: lent });
  const twin = await create(world, 'role-template', {
    name: 'AM24 twin',
    permissions: [{ permission: 'am24:*:*', effect: 'ALLOW' }],
  });
  expect(await reads('role-template.read', { id: template })).toMatchObject({
    name: 'AM24',
    permissions: lent,
  });
  const made = await create(world, 'role', { name: 'am24', scope: here.client, customTemplateId: template });
  expect(await reads('role.read', { id: made })).toMatchObject({
    customTemplateId: template,
    scope: here.client,
  });
  const effects = async (id: string) =>
    (await pages('role-permission.list', { role: id }, 1))
      .flat()
      .map(({ permission: name, effect }) => ({ permission: name, effect }));
  expect(await effects(made)).toEqual(lent);
  const ann = await newUser(world);
  await world.run('assignment.create', { user: ann, scope: here.project, role: made });
  const may = async (name: string) => {
    world.settle();
    const engine = world.newEngine();
    return (await record(() => engine.check(`user:${ann}`, name, here.building))).reason;
  };
  expect(await may('am24:read:door')).toBe('role');
  expect(await may('am24:open:door')).toBe('denied_by_role');
  expect(await may('am24:lock:door')).toBe('no_grant');

  // The role keeps what it was given; what a template has gained comes when it is applied again.
  const more = [...lent, { permission: 'am24:lock:door', effect: 'ALLOW' }];
  await world.run('role-template.update', { id: template, permissions: more });
  expect(await effects(made)).toEqual(lent);
  await world.run('role-template.apply', { id: template, role: made });
  expect(await effects(made)).toHaveLength(3);
  expect(await may('am24:lock:door')).toBe('role');
  expect(await world.refused('role.update', { id: made, customTemplateId: twin })).toMatchObject({
    code: 'invalid',
  });
  const unknown = { name: 'am24 none', scope: here.client, customTemplateId: NOBODY };
  expect(await world.refused('role.create', unknown)).toMatchObject({
    code: 'not_found',
    field: 'customTemplateId',
  });
  expect(await world.refused('role-template.create', { name: 'am24', permissions: [] })).toMatchObject({
    code: 'conflict',
    field: 'name',
  });
  const unregistered = [{ permission: 'am24:fly:door', effect: 'ALLOW' }];
  expect(
    await world.refused('role-template.create', { name: 'AM24 other', permissions: unregistered }),
  ).toMatchObject({ code: 'not_found' });
  await world.run('role-template.delete', { id: template });
  expect(await reads('role-template.read', { id: template })).toBeUndefined();
  expect(await effects(made)).toHaveLength(3);
});
