import { beforeAll, describe, expect, test } from 'vitest';
import { findingsOn } from './findings.ts';
import { createLedgerWorld, type Input, isEmptied, type LedgerWorld } from './support.ts';
import { expectWhole } from './whole.ts';

/** A deletion takes everything along that says something of what is deleted, in its one write, or nothing. */
let world: LedgerWorld;
const id: Record<string, string> = {};
const make = async (name: string, command: string, input: Input) => {
  id[name] = (await world.run(command, input)).id;
};
const ref = (name: string) => `${name === 'tenant' ? 'tenant' : 'location'}:${id[name]}`;

describe('with edges on all sides', () => {
  // One world that is taken down piece by piece: what is left must be whole after each.
  beforeAll(async () => {
    world = await createLedgerWorld();
    const { run } = world;
    await make('tenant', 'tenant.create', { name: 'Acme' });
    await make('office', 'location.create', { name: 'Office', code: 'O1', parent: ref('tenant') });
    await make('school', 'location.create', { name: 'School', code: 'S1' });
    for (const user of ['ann', 'bea']) {
      const phone = user === 'ann' ? '+4930123456' : '+4930123457';
      await make(user, 'user.create', { email: `${user}@example.com`, phone, username: user });
    }
    await run('admin.create', { user: id.ann });
    for (const scope of ['tenant', 'office', 'school']) {
      await make(`group at ${scope}`, 'group.create', { name: 'staff', scope: ref(scope) });
    }
    await make('parent', 'role.create', { name: 'parent', scope: 'global' });
    await make('global', 'role.create', { name: 'global', scope: 'global', parent: id.parent });
    await make('any', 'role.create', { name: 'any', scope: 'tenant', parent: id.parent });
    await make('own', 'role.create', { name: 'own', scope: ref('tenant'), parent: id.parent });
    await run('page.create', { name: 'home' });
    await run('permission.create', { name: 'a:b:c' });
    for (const role of ['global', 'any', 'own']) {
      await run('role-permission.create', { role: id[role], permission: 'home', effect: 'ALLOW' });
      await run('role-permission.create', { role: id[role], permission: 'a:b:c', effect: 'DENY' });
      await run('role-permission.create', { role: id[role], permission: 'a:*:*', effect: 'ALLOW' });
      await run('group-role.create', { group: id['group at tenant'], role: id[role] });
      await run('group-role.create', { group: id['group at office'], role: id[role] });
    }
    for (const user of [id.ann, id.bea]) {
      for (const scope of ['tenant', 'office', 'school']) {
        await run('membership.create', { user, group: id[`group at ${scope}`] });
      }
      await run('assignment.create', { user, role: id.own, scope: ref('tenant') });
      await run('assignment.create', { user, role: id.any, scope: ref('office') });
      await run('grant.create', { user, scope: ref('tenant'), roles: [id.any, id.own] });
      await run('grant.create', { user, scope: ref('school'), roles: [id.any] });
      await run('global-role.create', { user, role: id.global });
    }
  });

  test.each([
    ['tenant', 'tenant', 'the tenant still has 3 dependent(s)'],
    ['location', 'office', 'the location still has 1 dependent(s)'],
    ['role', 'parent', 'the role still has 3 dependent(s)'],
  ])('a %s that others hang on is refused: %s', async (type, name, message) => {
    const count = world.transactions.length;
    const error = await world.refused(`${type}.delete`, { id: id[name] });
    expect(error).toMatchObject({ code: 'conflict', field: 'id', retryable: false });
    expect(error.message).toContain(message);
    expect(world.transactions.length).toBe(count);
  });

  test.each([
    ['page', 'home'],
    ['permission', 'a:b:c'],
  ])('a %s is gone without a trace: %s', async (type, name) => {
    await world.run(`${type}.delete`, { name });
    expect(await world.traces(name)).toEqual([]);
    await world.run(`${type}.create`, { name });
    // Registered anew, it knows nothing of what roles once did to it; a pattern covers what it covers.
    const { reason } = await world.newEngine().check(`user:${id.bea}`, name, ref('school'));
    expect(reason).toBe(name === 'home' ? 'no_grant' : 'role');
  });

  const cases: readonly (readonly [type: string, name: string, value: string])[] = [
    ['user', 'ann', 'ann@example.com'],
    ['group', 'group at tenant', 'no value of its own'],
    ['group', 'group at office', 'no value of its own'],
    ['group', 'group at school', 'no value of its own'],
    ['role', 'global', 'ROLE_NAME#global#global'],
    ['role', 'any', 'ROLE_NAME#tenant#any'],
    ['role', 'own', '#own'],
  ];

  test.each(cases)('a %s is gone without a trace: %s', async (type, name, value) => {
    expect((await world.traces(String(id[name]))).length).toBeGreaterThan(3);
    await world.run(`${type}.delete`, { id: id[name] });
    expect(await world.traces(String(id[name]))).toEqual([]);
    expect(await world.traces(value)).toEqual([]);
    await expectWhole(world);
    expect(await findingsOn(world)).toEqual([]);
  });

  test('what is left of it all, one after the other, leaves an empty table', async () => {
    const order: readonly (readonly [string, readonly string[]])[] = [
      ['role', ['parent']],
      ['location', ['office', 'school']],
      ['tenant', ['tenant']],
      ['user', ['bea']],
    ];
    for (const [type, names] of order) {
      for (const name of names) await world.run(`${type}.delete`, { id: id[name] });
    }
    await world.run('page.delete', { name: 'home' });
    await world.run('permission.delete', { name: 'a:b:c' });
    // The list of the global roles stays, without roles.
    expect(await world.dataItems()).toEqual([
      {
        PK: 'GLOBAL#GATEHOUSE',
        SK: 'DECISION',
        Type: 'Decision',
        v: 1,
        writtenAt: expect.any(Number),
        writeId: expect.any(String),
      },
    ]);
  });
});

test('effects that are gone are kept as an empty item, and go with their tenant', async () => {
  world = await createLedgerWorld();
  await make('tenant', 'tenant.create', { name: 'Long-lived' });
  await make('role', 'role.create', { name: 'old', scope: ref('tenant') });
  await world.run('page.create', { name: 'old' });
  await world.run('role-permission.create', { role: id.role, permission: 'old', effect: 'ALLOW' });
  const effects = async () => (await world.everything()).filter(({ SK }) => SK === 'DECISION#PAGE#old');
  world.clock.advance(1_000);
  await world.run('role-permission.delete', { role: id.role, permission: 'old' });
  expect(await effects()).toMatchObject([{ writtenAt: world.clock.now() }]);
  expect((await effects()).every(isEmptied)).toBe(true);
  await world.run('role.delete', { id: id.role });
  await world.run('tenant.delete', { id: id.tenant });
  expect(await effects()).toEqual([]);
});
