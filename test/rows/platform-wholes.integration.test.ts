import { expect } from 'vitest';
import type { World } from '../support/world.ts';
import { idOf, newAccount, newEnterprise, newLicense, newWorkstream } from './platform-setup.ts';
import { row } from './row.ts';
import { BAD_CURSOR, create, NOBODY, newRole, newUser, setPage, several } from './setup.ts';

/** Seed 002, "related items": a node and what hangs on it, out of one partition. */
type Row = Readonly<Record<string, unknown>>;

/** One call and not one more: nothing is read after the Query. */
async function inOneQuery<T>(world: World, act: () => Promise<T>): Promise<T> {
  const before = world.calls.length;
  const answer = await act();
  expect(world.calls.slice(before)).toEqual([{ operation: 'Query', index: undefined, keys: 0 }]);
  return answer;
}

const typeOf = (item: Row): string => String(item.ref).split(':')[0] ?? '';

/** What is there, as `type value`, in no order. */
const named = (items: readonly Row[], idFrom: (item: Row) => unknown): ReadonlySet<string> => {
  const names = items.map((item) => `${typeOf(item)} ${idFrom(item)}`);
  expect(new Set(names).size, 'nothing twice').toBe(names.length);
  return new Set(names);
};

row('PL-03', async ({ world, reads, pages }) => {
  const [mine, other] = [await newAccount(world, 'PL03'), await newAccount(world, 'PL03 other')];
  const enterprise = await newEnterprise(world, 'PL03');
  /** Two of each. */
  const fill = async (account: string) => ({
    account: [idOf(account)],
    address: await several(2, (n) => create(world, 'address', { account, city: `City ${n}` })),
    'technical-user': await several(2, (n) => create(world, 'technical-user', { account, name: `bot ${n}` })),
    license: await several(2, (n) => newLicense(world, account, enterprise, { name: `licence ${n}` })),
    workstream: await several(2, (n) => newWorkstream(world, account, enterprise, { name: `stream ${n}` })),
  });
  const belongings = await fill(mine);
  const foreign = await fill(other);
  // What else stands in the account's partition, between the one and the other.
  const [stranger, ann] = [foreign['technical-user'][0], await newUser(world)];
  const role = await create(world, 'role', { name: 'own', scope: mine });
  await create(world, 'group', { scope: mine, name: 'group' });
  for (const user of [ann, `technical-user:${stranger}`]) {
    await world.run('grant.create', { user, scope: mine, roles: [role] });
    await world.run('assignment.create', { user, scope: mine, role });
  }
  const all = (of: Readonly<Record<string, readonly string[]>>) =>
    new Set(Object.entries(of).flatMap(([type, ids]) => ids.map((id) => `${type} ${id}`)));
  const account = idOf(mine);
  const byId = (item: Row) => item.id;

  const { items, cursor } = await inOneQuery(world, () => reads('account.read-all', { id: account }));
  expect(cursor).toBeUndefined();
  expect(named(items, byId)).toEqual(all(belongings));
  // Whole, not just named.
  const found = (type: string, id: unknown) => items.find((item) => typeOf(item) === type && item.id === id);
  expect(found('account', account)).toMatchObject({ name: 'PL03', status: 'active' });
  expect(found('address', belongings.address[1])).toMatchObject({ city: 'City 1', account: mine });
  expect(found('technical-user', belongings['technical-user'][0])).toMatchObject({ name: 'bot 0' });
  expect(found('license', belongings.license[1])).toMatchObject({ name: 'licence 1', enterprise });
  expect(found('workstream', belongings.workstream[0])).toMatchObject({ name: 'stream 0', enterprise });
  for (const limit of [1, 2, 4, 9]) {
    const seen = await pages('account.read-all', { id: account }, limit);
    expect(named(seen.flat(), byId)).toEqual(all(belongings));
  }

  // What changes is changed here too, and what goes is gone.
  await world.run('address.update', { id: belongings.address[0], city: 'Elsewhere' });
  await world.run('license.delete', { id: belongings.license[0] });
  await world.run('technical-user.delete', { id: belongings['technical-user'][1] });
  const after = await reads('account.read-all', { id: account });
  expect(after.items).toHaveLength(7);
  expect(after.items).toContainEqual(
    expect.objectContaining({ id: belongings.address[0], city: 'Elsewhere' }),
  );
  expect(named((await reads('account.read-all', { id: idOf(other) })).items, byId)).toEqual(all(foreign));
  expect(await reads('account.read-all', { id: NOBODY })).toEqual({ items: [] });
  const next = await reads('account.read-all', { id: account, limit: 1 });
  await expect(reads('account.read-all', { id: idOf(other), cursor: next.cursor })).rejects.toMatchObject(
    BAD_CURSOR,
  );
});

row('PL-04', async ({ world, reads, pages }) => {
  const [mine, other] = [await newEnterprise(world, 'PL04'), await newEnterprise(world, 'PL04 other')];
  const account = await newAccount(world, 'PL04');
  const product = await several(3, (n) => create(world, 'product', { name: `product ${n}` }));
  const service = await several(3, (n) => create(world, 'service', { name: `service ${n}` }));
  const use = async (enterprise: string, places: readonly number[]) => {
    for (const n of places) {
      await world.run('enterprise-product.create', { enterprise, product: product[n] });
      await world.run('enterprise-service.create', { enterprise, service: service[n] });
    }
  };
  await use(mine, [0, 1]);
  await use(other, [1, 2]);
  // An enterprise's partition holds its licences, workstreams and roles as well.
  await newLicense(world, account, mine);
  await newWorkstream(world, account, mine);
  await create(world, 'role', { name: 'own', scope: mine });
  await world.run('grant.create', { user: await newUser(world), scope: mine });
  const nameOf = (item: Row) => item[typeOf(item) === 'enterprise' ? 'id' : typeOf(item)];
  const all = (enterprise: string, ...places: readonly number[]) =>
    new Set([
      `enterprise ${idOf(enterprise)}`,
      ...places.flatMap((n) => [`product ${product[n]}`, `service ${service[n]}`]),
    ]);
  const enterprise = idOf(mine);

  const { items } = await inOneQuery(world, () => reads('enterprise.read-all', { id: enterprise }));
  expect(named(items, nameOf)).toEqual(all(mine, 0, 1));
  expect(items[0]).toMatchObject({
    ref: expect.stringMatching(/^enterprise:/),
    name: 'PL04',
    status: 'active',
  });
  expect(items[1]).toMatchObject({
    ref: expect.stringMatching(/^product:/),
    enterprise: mine,
    assignedAt: expect.any(String),
  });
  for (const limit of [1, 2, 3]) {
    const seen = await pages('enterprise.read-all', { id: enterprise }, limit);
    expect(named(seen.flat(), nameOf)).toEqual(all(mine, 0, 1));
  }
  await world.run('enterprise-product.delete', { enterprise: mine, product: product[0] });
  await world.run('service.delete', { id: service[0] });
  expect(named((await reads('enterprise.read-all', { id: enterprise })).items, nameOf)).toEqual(all(mine, 1));
  expect(named((await reads('enterprise.read-all', { id: idOf(other) })).items, nameOf)).toEqual(
    all(other, 1, 2),
  );
});

row('PL-10', async ({ world, reads, pages }) => {
  const [mine, other] = [await newRole(world, 'pl10'), await newRole(world, 'pl10 other')];
  for (const name of ['pl10-dashboard', 'pl10-users']) await world.run('page.create', { name });
  await world.run('permission.create', { name: 'pl10:read:all' });
  await setPage(world, mine, 'pl10-dashboard', 'ALLOW');
  await setPage(world, mine, 'pl10-users', 'DENY');
  await setPage(world, mine, 'pl10:read:all', 'ALLOW');
  await setPage(world, mine, 'pl10:*:*', 'DENY');
  await setPage(world, other, 'pl10-users', 'ALLOW');
  // Who holds the role, and what inherits from it, stands beside it.
  const account = await newAccount(world, 'PL10');
  const users = [
    await newUser(world),
    `technical-user:${await create(world, 'technical-user', { account, name: 'bot' })}`,
  ];
  for (const user of users) {
    await world.run('assignment.create', { user, scope: account, role: mine });
    await world.run('global-role.create', { user, role: mine });
  }
  await world.run('grant.create', { user: users[0], scope: account, roles: [mine] });
  const group = await create(world, 'group', { scope: account, name: 'group' });
  await world.run('group-role.create', { group, role: mine });
  await create(world, 'role', { name: 'pl10 child', scope: 'global', parent: mine });
  const of = (items: readonly Row[]) =>
    items.map((item) => [typeOf(item), item.name ?? item.permission, item.effect ?? ''].join(' ').trim());
  const whole = [
    'role pl10',
    'page pl10-dashboard ALLOW',
    'page pl10-users DENY',
    'permission pl10:*:* DENY',
    'permission pl10:read:all ALLOW',
  ];

  expect(of((await inOneQuery(world, () => reads('role.read-all', { id: mine }))).items)).toEqual(whole);
  for (const limit of [1, 2, 4]) {
    expect(of((await pages('role.read-all', { id: mine }, limit)).flat())).toEqual(whole);
  }
  await world.run('role-permission.update', { role: mine, permission: 'pl10-users', effect: 'ALLOW' });
  await world.run('role-permission.delete', { role: mine, permission: 'pl10:*:*' });
  await world.run('page.delete', { name: 'pl10-dashboard' });
  expect(of((await reads('role.read-all', { id: mine })).items)).toEqual([
    'role pl10',
    'page pl10-users ALLOW',
    'permission pl10:read:all ALLOW',
  ]);
  expect(of((await reads('role.read-all', { id: other })).items)).toEqual([
    'role pl10 other',
    'page pl10-users ALLOW',
  ]);
});

row('PL-11', async ({ world, reads, pages }) => {
  const [ann, bob] = [await newUser(world), await newUser(world)];
  const account = await newAccount(world, 'PL11');
  const enterprise = await newEnterprise(world, 'PL11');
  const streams = await several(4, () => newWorkstream(world, account, enterprise));
  const join = (user: string, n: number) =>
    world.run('workstream-member.create', { user, workstream: `workstream:${streams[n]}` });
  for (const n of [0, 1, 2]) await join(ann, n);
  for (const n of [2, 3]) await join(bob, n);
  // Roles, grants, tokens and sessions of a user are no workstreams.
  const role = await newRole(world, 'pl11');
  await world.run('grant.create', { user: ann, scope: account, roles: [role] });
  await world.run('assignment.create', { user: ann, scope: `workstream:${streams[3]}`, role });
  await world.run('global-role.create', { user: ann, role });
  await world.run('token.create', { user: ann, tokenType: 'refresh' });
  await world.run('session.create', { user: ann });
  const nameOf = (item: Row) => (typeOf(item) === 'user' ? item.id : item.workstream);
  const all = (user: string, ...places: readonly number[]) =>
    new Set([`user ${user}`, ...places.map((n) => `workstream workstream:${streams[n]}`)]);

  const { items } = await inOneQuery(world, () => reads('user.read-all', { id: ann }));
  expect(named(items, nameOf)).toEqual(all(ann, 0, 1, 2));
  expect(items[0]).toMatchObject({
    ref: expect.stringMatching(/^user:/),
    id: ann,
    status: 'active',
    roles: [role],
  });
  expect(items[1]).toMatchObject({
    ref: expect.stringMatching(/^workstream:/),
    user: ann,
    assignedAt: expect.any(String),
  });
  for (const limit of [1, 2, 4]) {
    const seen = await pages('user.read-all', { id: ann }, limit);
    expect(named(seen.flat(), nameOf)).toEqual(all(ann, 0, 1, 2));
  }
  await world.run('workstream-member.delete', { user: ann, workstream: `workstream:${streams[0]}` });
  await world.run('workstream.delete', { id: streams[2] });
  expect(named((await reads('user.read-all', { id: ann })).items, nameOf)).toEqual(all(ann, 1));
  expect(named((await reads('user.read-all', { id: bob })).items, nameOf)).toEqual(all(bob, 3));
});
