import { expect } from 'vitest';
import { row } from './row.ts';
import {
  BAD_CURSOR,
  create,
  NOBODY,
  newCampus,
  newLocation,
  newRole,
  newUser,
  several,
  valuesOf,
} from './setup.ts';

/** Seed 004: tenants, users, roles and tenant grants. */
row('AZ-01', async ({ world, reads }) => {
  const acme = await create(world, 'tenant', { name: 'Acme AZ01', description: 'First' });
  const other = await create(world, 'tenant', { name: 'Other AZ01' });
  expect(await reads('tenant.read', { id: acme })).toMatchObject({
    id: acme,
    name: 'Acme AZ01',
    description: 'First',
    status: 'active',
  });
  expect(await reads('tenant.read', { id: other })).toMatchObject({ id: other, name: 'Other AZ01' });
  expect(await reads('tenant.read', { id: await newLocation(world) })).toBeUndefined();
  await world.run('tenant.update', { id: acme, status: 'suspended' });
  expect(await reads('tenant.read', { id: acme })).toMatchObject({ status: 'suspended' });
  await world.run('tenant.delete', { id: other });
  expect(await reads('tenant.read', { id: other })).toBeUndefined();
  await expect(reads('tenant.read', { id: 'ac me' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'id',
  });
});

row('AZ-02', async ({ world, reads }) => {
  const acme = await create(world, 'tenant', { name: 'Acme  AZ02' });
  const more = await create(world, 'tenant', { name: 'Acme AZ02 and Sons' });
  // An account's name is another thing.
  await create(world, 'account', { name: 'Account AZ02' });
  expect(await reads('tenant.read', { name: 'ACME az02' })).toMatchObject({ id: acme, name: 'Acme  AZ02' });
  expect(await reads('tenant.read', { name: 'acme az02 and sons' })).toMatchObject({ id: more });
  expect(await reads('tenant.read', { name: 'acme' })).toBeUndefined();
  expect(await reads('tenant.read', { name: 'account az02' })).toBeUndefined();
  await world.run('tenant.update', { id: acme, name: 'Apex AZ02' });
  expect(await reads('tenant.read', { name: 'acme az02' })).toBeUndefined();
  expect(await reads('tenant.read', { name: 'apex az02' })).toMatchObject({ id: acme });
  await expect(reads('tenant.read', { name: ' ' })).rejects.toMatchObject({ code: 'invalid', field: 'name' });
});

row('AZ-03', async ({ world, reads }) => {
  const ann = await create(world, 'user', {
    email: 'Ann.AZ03@example.com',
    phone: '+49 30 1234503',
    username: 'Ann.AZ03',
    givenName: 'Ann',
    familyName: 'Archer',
  });
  const bob = await create(world, 'user', { givenName: 'Bob' });
  expect(await reads('user.read', { id: ann })).toMatchObject({
    id: ann,
    email: 'ann.az03@example.com',
    phone: '+49301234503',
    username: 'ann.az03',
    givenName: 'Ann',
    familyName: 'Archer',
  });
  const second = await reads('user.read', { id: bob });
  expect(second).toMatchObject({ id: bob, givenName: 'Bob' });
  expect(second).not.toHaveProperty('email');
  await world.run('user.update', { id: ann, familyName: 'Baker', phone: null });
  const changed = await reads('user.read', { id: ann });
  expect(changed).toMatchObject({ familyName: 'Baker', username: 'ann.az03' });
  expect(changed).not.toHaveProperty('phone');
  expect(await reads('user.read', { id: NOBODY })).toBeUndefined();
});

row('AZ-04', async ({ world, reads }) => {
  const [here, there] = [
    `tenant:${await create(world, 'tenant', { name: 'Here AZ04' })}`,
    `tenant:${await create(world, 'tenant', { name: 'There AZ04' })}`,
  ];
  // One name in four scopes: four roles.
  const scopes = ['global', 'tenant', here, there];
  const ids = await several(4, (n) => create(world, 'role', { name: 'Admin AZ04', scope: scopes[n] }));
  for (const [n, scope] of scopes.entries()) {
    expect(await reads('role.read', { scope, name: 'admin az04' })).toMatchObject({ id: ids[n], scope });
  }
  await world.run('role.delete', { id: ids[2] });
  expect(await reads('role.read', { scope: here, name: 'admin az04' })).toBeUndefined();
  expect(await reads('role.read', { scope: there, name: 'admin az04' })).toMatchObject({ id: ids[3] });
  await expect(reads('role.read', { scope: 'everywhere', name: 'admin' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'scope',
  });
});

row('AZ-05', async ({ world, reads }) => {
  const scope = `tenant:${await create(world, 'tenant', { name: 'AZ05' })}`;
  const [base, own] = [
    await newRole(world, 'base az05'),
    await create(world, 'role', { name: 'own az05', scope }),
  ];
  expect(await reads('role.read', { id: base })).toMatchObject({
    id: base,
    name: 'base az05',
    scope: 'global',
  });
  expect(await reads('role.read', { id: own })).toMatchObject({ id: own, name: 'own az05', scope });
  await world.run('role.update', { id: own, name: 'renamed az05', parent: base });
  expect(await reads('role.read', { id: own })).toMatchObject({ name: 'renamed az05', parent: base });
  await world.run('role.delete', { id: own });
  expect(await reads('role.read', { id: own })).toBeUndefined();
});

row('AZ-06', async ({ world, reads }) => {
  const [here, there] = [
    `tenant:${await create(world, 'tenant', { name: 'Here AZ06' })}`,
    `tenant:${await create(world, 'tenant', { name: 'There AZ06' })}`,
  ];
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const roles = await several(2, (n) => newRole(world, `az06 ${n}`));
  const { id } = await world.run('grant.create', { user: ann, scope: here, roles });
  await world.run('grant.create', { user: bob, scope: there });
  expect(await reads('grant.read', { user: ann, scope: here })).toMatchObject({
    id,
    user: ann,
    scope: here,
    roles,
  });
  expect(await reads('grant.read', { user: ann, scope: there })).toBeUndefined();
  expect(await reads('grant.read', { user: bob, scope: here })).toBeUndefined();
  expect(await reads('grant.read', { user: bob, scope: there })).toMatchObject({ roles: [] });
  await world.run('grant.update', { id, roles: [roles[1]] });
  expect(await reads('grant.read', { user: ann, scope: here })).toMatchObject({ id, roles: [roles[1]] });
  // A role that is deleted goes out of the grant, and the grant stays.
  await world.run('role.delete', { id: roles[1] });
  expect(await reads('grant.read', { user: ann, scope: here })).toMatchObject({ id, roles: [] });
  expect(await world.refused('grant.create', { user: ann, scope: here })).toMatchObject({ code: 'conflict' });
  await world.run('grant.delete', { user: ann, scope: here });
  expect(await reads('grant.read', { user: ann, scope: here })).toBeUndefined();
});

row('AZ-07', async ({ world, reads, pages }) => {
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const tenants = await several(3, (n) => create(world, 'tenant', { name: `AZ07 ${n}` }));
  const foreign = `tenant:${await create(world, 'tenant', { name: 'AZ07 foreign' })}`;
  // Every root is a tenant, whatever its type is called.
  const roots = [
    ...tenants.map((id) => `tenant:${id}`),
    `location:${await newLocation(world)}`,
    `account:${await create(world, 'account', { name: 'AZ07' })}`,
    `campus:${await newCampus(world)}`,
  ];
  const granted = await newRole(world, 'az07');
  for (const scope of roots) await world.run('grant.create', { user: ann, scope, roles: [granted] });
  await world.run('grant.create', { user: bob, scope: foreign });
  // An assignment is no grant.
  await world.run('assignment.create', { user: ann, scope: foreign, role: granted });

  const seen = await pages('grant.list', { user: ann }, 4);
  expect(seen.map(({ length }) => length)).toEqual([4, 2]);
  expect(valuesOf(seen, 'scope')).toHaveLength(roots.length);
  expect(new Set(valuesOf(seen, 'scope'))).toEqual(new Set(roots));
  for (const grant of seen.flat()) expect(grant).toMatchObject({ user: ann, roles: [granted] });
  await world.run('grant.delete', { user: ann, scope: roots[0] });
  const left = new Set(valuesOf(await pages('grant.list', { user: ann }, 1), 'scope'));
  expect(left).toEqual(new Set(roots.slice(1)));
  const { cursor } = await reads('grant.list', { user: ann, limit: 1 });
  await expect(reads('grant.list', { user: bob, cursor })).rejects.toMatchObject(BAD_CURSOR);
});

row('AZ-08', async ({ world, reads }) => {
  const scope = `tenant:${await create(world, 'tenant', { name: 'AZ08' })}`;
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const granted = await newRole(world, 'az08');
  const { id } = await world.run('grant.create', { user: ann, scope, roles: [granted] });
  const second = (await world.run('grant.create', { user: bob, scope })).id;
  expect(await reads('grant.read', { id })).toMatchObject({ id, user: ann, scope, roles: [granted] });
  expect(await reads('grant.read', { id: second })).toMatchObject({ id: second, user: bob, roles: [] });
  // By id and by user and scope: one grant, changed in both places at once.
  await world.run('grant.update', { user: ann, scope, roles: [] });
  const found = await reads('grant.read', { id });
  expect(found).toMatchObject({ id, roles: [] });
  expect(found).toEqual(await world.run('grant.read', { user: ann, scope }));
  await world.run('grant.delete', { user: ann, scope });
  expect(await reads('grant.read', { id })).toBeUndefined();
  expect(await reads('grant.read', { id: second })).toMatchObject({ id: second });
  expect(await reads('grant.read', { id: ann })).toBeUndefined();
});
