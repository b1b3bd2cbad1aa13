import { expect } from 'vitest';
import { idOf, newAccount, newEnterprise, newLicense, newWorkstream } from './platform-setup.ts';
import { row } from './row.ts';
import { BAD_CURSOR, create, NOBODY, newUser, several, sorted, valuesOf } from './setup.ts';

/** Seed 002: what one account, enterprise or workstream has, out of its partition of the base table. */
row('PL-06', async ({ world, reads, pages }) => {
  const [mine, other] = [await newAccount(world, 'PL06'), await newAccount(world, 'PL06 other')];
  const [north, south] = [await newEnterprise(world, 'PL06 N'), await newEnterprise(world, 'PL06 S')];
  // Of both enterprises, open and ended: all are the account's.
  const made = [
    await newLicense(world, mine, north, { name: 'first', endDate: '2026-06-01T00:00:00Z' }),
    await newLicense(world, mine, south),
    await newLicense(world, mine, north, { status: 'expired' }),
  ];
  const foreign = await newLicense(world, other, north);
  await newWorkstream(world, mine, north);
  const account = idOf(mine);

  const seen = await pages('license.list', { account: `account:${account}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...made));
  expect(seen.flat().find(({ id }) => id === made[0])).toMatchObject({
    account: mine,
    enterprise: north,
    name: 'first',
    status: 'active',
    endDate: '2026-06-01T00:00:00.000Z',
  });
  await world.run('license.update', { id: made[0], status: 'expired', endDate: null });
  await world.run('license.delete', { id: made[1] });
  const { items } = await reads('license.list', { account: `account:${account}` });
  expect(valuesOf([items], 'id')).toEqual(sorted(made[0] ?? '', made[2] ?? ''));
  const changed = items.find(({ id }) => id === made[0]);
  expect(changed).toMatchObject({ status: 'expired', name: 'first' });
  expect(changed).not.toHaveProperty('endDate');
  expect(valuesOf(await pages('license.list', { account: other }, 1), 'id')).toEqual([foreign]);
  const { cursor } = await reads('license.list', { account: `account:${account}`, limit: 1 });
  await expect(reads('license.list', { account: other, cursor })).rejects.toMatchObject(BAD_CURSOR);
  await expect(reads('license.list', { account: `account:${mine}` })).rejects.toMatchObject({
    code: 'invalid',
    field: 'account',
  });
});

row('PL-07', async ({ world, reads, pages }) => {
  const [mine, other] = [await newEnterprise(world, 'PL07'), await newEnterprise(world, 'PL07 other')];
  const holders = [await newAccount(world, 'PL07 a'), await newAccount(world, 'PL07 b')];
  const made = await several(3, (n) => newLicense(world, holders[n % 2] ?? '', mine, { name: `no ${n}` }));
  const foreign = await newLicense(world, holders[0] ?? '', other);
  await newWorkstream(world, holders[0] ?? '', mine);
  const enterprise = idOf(mine);

  const seen = await pages('license.list', { enterprise: `enterprise:${enterprise}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...made));
  expect(seen.flat().find(({ id }) => id === made[1])).toMatchObject({ account: holders[1], name: 'no 1' });
  await world.run('license.update', { id: made[1], name: 'renamed' });
  await world.run('license.delete', { id: made[0] });
  const { items } = await reads('license.list', { enterprise: `enterprise:${enterprise}` });
  expect(valuesOf([items], 'id')).toEqual(sorted(made[1] ?? '', made[2] ?? ''));
  expect(items.find(({ id }) => id === made[1])).toMatchObject({ name: 'renamed' });
  expect(valuesOf([(await reads('license.list', { enterprise: other })).items], 'id')).toEqual([foreign]);
  expect(await reads('license.list', { enterprise: `enterprise:${NOBODY}` })).toEqual({ items: [] });
});

row('PL-08', async ({ world, reads, pages }) => {
  const [mine, other] = [await newAccount(world, 'PL08'), await newAccount(world, 'PL08 other')];
  const [north, south] = [await newEnterprise(world, 'PL08 N'), await newEnterprise(world, 'PL08 S')];
  const made = await several(3, (n) => newWorkstream(world, mine, n === 1 ? south : north));
  const foreign = await newWorkstream(world, other, north);
  await newLicense(world, mine, north);
  const account = idOf(mine);

  const seen = await pages('workstream.list', { parent: `account:${account}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...made));
  await world.run('workstream.update', { id: made[0], name: 'renamed', status: 'inactive' });
  await world.run('workstream.delete', { id: made[1] });
  const { items } = await reads('workstream.list', { parent: `account:${account}` });
  expect(valuesOf([items], 'id')).toEqual(sorted(made[0] ?? '', made[2] ?? ''));
  expect(items.find(({ id }) => id === made[0])).toMatchObject({
    name: 'renamed',
    status: 'inactive',
    parent: mine,
    enterprise: north,
  });
  expect(valuesOf(await pages('workstream.list', { parent: other }, 1), 'id')).toEqual([foreign]);
});

row('PL-09', async ({ world, reads, pages }) => {
  const [mine, other] = [await newEnterprise(world, 'PL09'), await newEnterprise(world, 'PL09 other')];
  const owners = [await newAccount(world, 'PL09 a'), await newAccount(world, 'PL09 b')];
  const made = await several(3, (n) => newWorkstream(world, owners[n % 2] ?? '', mine));
  const foreign = await newWorkstream(world, owners[0] ?? '', other);
  await newLicense(world, owners[0] ?? '', mine);
  const enterprise = idOf(mine);

  const seen = await pages('workstream.list', { parent: `enterprise:${enterprise}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...made));
  // One that is linked to another enterprise changes lists and stays with its account.
  await world.run('workstream.update', { id: made[0], enterprise: other });
  await world.run('workstream.delete', { id: made[2] });
  expect(valuesOf(await pages('workstream.list', { parent: `enterprise:${enterprise}` }, 1), 'id')).toEqual([
    made[1],
  ]);
  const there = await pages('workstream.list', { parent: other }, 1);
  expect(valuesOf(there, 'id')).toEqual(sorted(made[0] ?? '', foreign));
  expect(there.flat().find(({ id }) => id === made[0])).toMatchObject({
    parent: owners[0],
    enterprise: other,
  });
  expect(await reads('workstream.list', { parent: `enterprise:${NOBODY}` })).toEqual({ items: [] });
});

row('PL-18', async ({ world, reads, pages }) => {
  const account = await newAccount(world, 'PL18');
  const enterprise = await newEnterprise(world, 'PL18');
  const [mine, other] = await several(2, () => newWorkstream(world, account, enterprise));
  const newTool = (workstream: string | undefined, name: string) =>
    create(world, 'tool', { workstream: `workstream:${workstream}`, name, url: 'https://example.com/#t' });
  const made = await several(3, (n) => newTool(mine, `tool ${n}`));
  const foreign = await newTool(other, 'tool 0');
  // Who works there stands in the same partition.
  const member = { user: await newUser(world), workstream: `workstream:${mine}` };
  await world.run('workstream-member.create', member);

  const seen = await pages('tool.list', { workstream: `workstream:${String(mine)}` }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...made));
  await world.run('tool.update', { id: made[0], name: 'renamed', url: null });
  await world.run('tool.delete', { id: made[1] });
  const { items } = await reads('tool.list', { workstream: `workstream:${String(mine)}` });
  expect(valuesOf([items], 'id')).toEqual(sorted(made[0] ?? '', made[2] ?? ''));
  const changed = items.find(({ id }) => id === made[0]);
  expect(changed).toMatchObject({ name: 'renamed', workstream: `workstream:${mine}` });
  expect(changed).not.toHaveProperty('url');
  expect(valuesOf(await pages('tool.list', { workstream: `workstream:${String(other)}` }, 1), 'id')).toEqual([
    foreign,
  ]);
});

row('PL-19', async ({ world, reads, pages }) => {
  const [mine, other] = [await newAccount(world, 'PL19'), await newAccount(world, 'PL19 other')];
  const newRoleOf = (scope: string, name: string) => create(world, 'role', { scope, name });
  const made = await several(3, (n) => newRoleOf(mine, `pl19 ${n}`));
  const foreign = await newRoleOf(other, 'pl19 0');
  // Roles that the account uses and does not own.
  const lent = await several(2, (n) => newRoleOf(n === 0 ? 'global' : 'tenant', 'pl19 0'));
  await world.run('grant.create', { user: await newUser(world), scope: mine, roles: lent });
  const seen = await pages('role.list', { scope: mine }, 2);
  expect(seen.map(({ length }) => length)).toEqual([2, 1]);
  expect(valuesOf(seen, 'id')).toEqual(sorted(...made));
  for (const each of seen.flat()) expect(each).toMatchObject({ scope: mine });
  await world.run('role.update', { id: made[0], name: 'pl19 renamed' });
  await world.run('role.delete', { id: made[1] });
  const { items } = await reads('role.list', { scope: mine });
  expect(valuesOf([items], 'id')).toEqual(sorted(made[0] ?? '', made[2] ?? ''));
  expect(items.find(({ id }) => id === made[0])).toMatchObject({ name: 'pl19 renamed' });
  expect(valuesOf(await pages('role.list', { scope: other }, 1), 'id')).toEqual([foreign]);
});
