import { expect } from 'vitest';
import { row } from './row.ts';
import { create, newGroup, newLocation } from './setup.ts';

/** Seed 003, entities: each by what names it. */
row('RB-01', async ({ world, reads }) => {
  const ann = await create(world, 'user', { email: 'Ann.RB01@Example.com', emailProvider: 'google' });
  const bob = await create(world, 'user', { email: 'bob.rb01@example.com', emailProvider: 'github' });
  const eve = await create(world, 'user', { email: 'eve.rb01@example.com' });
  expect(await reads('user.find', { email: 'ANN.rb01@example.COM' })).toEqual({
    id: ann,
    ref: `user:${ann}`,
    value: 'ann.rb01@example.com',
    provider: 'google',
  });
  expect(await reads('user.find', { email: 'bob.rb01@example.com' })).toMatchObject({
    id: bob,
    provider: 'github',
  });
  expect(await reads('user.find', { email: 'eve.rb01@example.com' })).not.toHaveProperty('provider');
  expect(await reads('user.find', { email: 'nobody.rb01@example.com' })).toBeUndefined();

  // The provider of an address that stays is kept up to date; an address that goes leads to nobody.
  await world.run('user.update', { id: ann, emailProvider: 'microsoft' });
  expect(await reads('user.find', { email: 'ann.rb01@example.com' })).toMatchObject({
    id: ann,
    provider: 'microsoft',
  });
  await world.run('user.update', { id: bob, email: 'robert.rb01@example.com' });
  expect(await reads('user.find', { email: 'bob.rb01@example.com' })).toBeUndefined();
  expect(await reads('user.find', { email: 'robert.rb01@example.com' })).toMatchObject({
    id: bob,
    provider: 'github',
  });
  await world.run('user.delete', { id: eve });
  expect(await reads('user.find', { email: 'eve.rb01@example.com' })).toBeUndefined();
  await expect(reads('user.find', { email: 'a#b' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'email',
  });
});

row('RB-02', async ({ world, reads }) => {
  const ann = await create(world, 'user', {
    displayName: 'Ann',
    userType: 'LEAD',
    passwordHash: 'not to be shown',
  });
  const bob = await create(world, 'user', { displayName: 'Bob', userType: 'MEMBER' });
  const found = await reads('user.read', { id: ann });
  expect(found).toMatchObject({ id: ann, displayName: 'Ann', userType: 'LEAD', status: 'active' });
  for (const hidden of ['passwordHash', 'PK', 'SK', 'rev']) expect(found).not.toHaveProperty(hidden);
  expect(await reads('user.read', { id: bob })).toMatchObject({ id: bob, displayName: 'Bob' });
  await world.run('user.update', { id: ann, displayName: 'Anna' });
  expect(await reads('user.read', { id: ann })).toMatchObject({ displayName: 'Anna', userType: 'LEAD' });
  await world.run('user.delete', { id: bob });
  expect(await reads('user.read', { id: bob })).toBeUndefined();
  await expect(reads('user.read', { id: '-ann' })).rejects.toMatchObject({ code: 'invalid', field: 'id' });
});

row('RB-03', async ({ world, reads }) => {
  const [north, south] = [
    await newLocation(world, { name: 'North', code: 'RB03N', address: '1 North Street' }),
    await newLocation(world, { name: 'South' }),
  ];
  expect(await reads('location.read', { id: north })).toMatchObject({
    id: north,
    name: 'North',
    code: 'RB03N',
    address: '1 North Street',
  });
  const second = await reads('location.read', { id: south });
  expect(second).toMatchObject({ id: south, name: 'South' });
  expect(second).not.toHaveProperty('code');
  await world.run('location.update', { id: north, name: 'Far North', address: null });
  const changed = await reads('location.read', { id: north });
  expect(changed).toMatchObject({ name: 'Far North', code: 'RB03N' });
  expect(changed).not.toHaveProperty('address');
  await world.run('location.delete', { id: south });
  expect(await reads('location.read', { id: south })).toBeUndefined();
});

row('RB-04', async ({ world, reads }) => {
  const nyc = await newLocation(world, { code: 'nyc001' });
  const ber = await newLocation(world, { code: 'BER001' });
  expect(await reads('location.read', { code: 'Nyc001' })).toMatchObject({ id: nyc, code: 'NYC001' });
  expect(await reads('location.read', { code: 'BER001' })).toMatchObject({ id: ber });
  expect(await reads('location.read', { code: 'NYC002' })).toBeUndefined();
  expect(await world.refused('location.create', { name: 'Twin', code: 'NYC001' })).toMatchObject({
    code: 'conflict',
    field: 'code',
    holder: `location:${nyc}`,
  });
  await world.run('location.update', { id: nyc, code: 'NYC002' });
  expect(await reads('location.read', { code: 'NYC001' })).toBeUndefined();
  expect(await reads('location.read', { code: 'NYC002' })).toMatchObject({ id: nyc });
  await world.run('location.delete', { id: ber });
  expect(await reads('location.read', { code: 'BER001' })).toBeUndefined();
});

row('RB-05', async ({ world, reads }) => {
  const [here, there] = [await newLocation(world), await newLocation(world)];
  // Several groups of one type at one location: the id tells them apart.
  const [first, second] = [await newGroup(world, here), await newGroup(world, here, 'more teachers')];
  const other = await newGroup(world, there);
  expect(await reads('group.read', { id: first })).toMatchObject({
    id: first,
    scope: `location:${here}`,
    groupType: 'TEACHER',
    name: 'teachers',
  });
  expect(await reads('group.read', { id: second })).toMatchObject({ id: second, name: 'more teachers' });
  expect(await reads('group.read', { id: other })).toMatchObject({ scope: `location:${there}` });
  expect(await reads('group.read', { id: here })).toBeUndefined();
  await world.run('group.delete', { id: first });
  expect(await reads('group.read', { id: first })).toBeUndefined();
});

row('RB-06', async ({ world, reads }) => {
  const here = await newLocation(world);
  const scope = `location:${here}`;
  const teacher = await create(world, 'role', {
    name: 'Teacher RB06',
    scope: 'global',
    description: 'Teaches',
  });
  const own = await create(world, 'role', { name: 'Teacher RB06', scope });
  expect(await reads('role.read', { scope: 'global', name: 'teacher  rb06' })).toMatchObject({
    id: teacher,
    scope: 'global',
    description: 'Teaches',
  });
  expect(await reads('role.read', { scope, name: 'teacher rb06' })).toMatchObject({ id: own, scope });
  expect(await reads('role.read', { scope: 'tenant', name: 'teacher rb06' })).toBeUndefined();
  await world.run('role.update', { id: teacher, name: 'tutor rb06' });
  expect(await reads('role.read', { scope: 'global', name: 'teacher rb06' })).toBeUndefined();
  expect(await reads('role.read', { scope: 'global', name: 'tutor rb06' })).toMatchObject({ id: teacher });
  expect(await reads('role.read', { scope, name: 'teacher rb06' })).toMatchObject({ id: own });
});

row('RB-07', async ({ world, reads }) => {
  await world.run('page.create', { name: 'rb07', description: 'Seventh' });
  await world.run('page.create', { name: 'rb07.more' });
  expect(await reads('page.read', { name: 'rb07' })).toMatchObject({ name: 'rb07', description: 'Seventh' });
  expect(await reads('page.read', { name: 'rb07.more' })).toMatchObject({ name: 'rb07.more' });
  expect(await reads('page.read', { name: 'RB07' })).toBeUndefined();
  await world.run('page.delete', { name: 'rb07' });
  expect(await reads('page.read', { name: 'rb07' })).toBeUndefined();
  await expect(reads('page.read', { name: 'a:b:c' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'name',
  });
});
