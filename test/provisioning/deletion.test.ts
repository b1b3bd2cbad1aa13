import { beforeAll, describe, expect, test } from 'vitest';
import { wideEdgeKey } from '../../table/keys.ts';
import { commandsOf, type World } from '../support/world.ts';
import { createLedgerWorld, createLightLedgerWorld, isEmptied, type LedgerWorld } from './support.ts';
import { expectWhole } from './whole.ts';

/** A deletion takes everything along that says something of what is deleted, in its one write, or nothing. */
let world: LedgerWorld;
const EFFECTS = 'parent: parent, allow: [home, "a:*:*"], deny: ["a:b:c"]';
const person = (name: string, phone: string) => `
  ${name}:
    id: id-${name}
    email: ${name}@example.com
    phone: "${phone}"
    username: ${name}
    groups: [at acme, at office, at school]
    globalRoles: [global]
    grants: { acme: [any, own], school: [any] }
    assignments: [{ role: own, scope: acme }, { role: any, scope: office }]`;
const MANIFEST = `
pages: [home]
permissions: ["a:b:c"]
scopes:
  acme: { id: id-acme, type: tenant }
  office: { id: id-office, type: location, code: O1, parent: acme }
  school: { id: id-school, type: location, code: S1 }
roles:
  parent: { id: id-parent, global: true }
  global: { id: id-global, global: true, ${EFFECTS} }
  any: { id: id-any, ${EFFECTS} }
  own: { id: id-own, owner: acme, ${EFFECTS} }
groups:
  at acme: { id: id-at-acme, scope: acme, roles: [global, any, own] }
  at office: { id: id-at-office, scope: office, roles: [global, any, own] }
  at school: { id: id-at-school, scope: school }
users:${person('ann', '+4930123456')}
    admin: true${person('bea', '+4930123457')}
`;

describe('with edges on all sides', () => {
  // One world that is taken down piece by piece: what is left must be whole after each.
  beforeAll(async () => {
    world = await createLedgerWorld();
    await world.apply(MANIFEST);
  });

  test.each([
    ['tenant', 'acme', 'the tenant still has 3 dependent(s)'],
    ['location', 'office', 'the location still has 1 dependent(s)'],
    ['role', 'parent', 'the role still has 3 dependent(s)'],
  ])('a %s that others hang on is refused: %s', async (type, name, message) => {
    const count = world.transactions.length;
    const error = await world.refused(`${type}.delete`, { id: `id-${name}` });
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
    const { reason } = await world.newEngine().check('user:id-bea', name, 'location:id-school');
    expect(reason).toBe(name === 'home' ? 'no_grant' : 'role');
  });

  const cases: readonly (readonly [type: string, name: string, value: string])[] = [
    ['user', 'ann', 'ann@example.com'],
    ['group', 'at-acme', 'no value of its own'],
    ['group', 'at-office', 'no value of its own'],
    ['group', 'at-school', 'no value of its own'],
    ['role', 'global', 'ROLE_NAME#global#global'],
    ['role', 'any', 'ROLE_NAME#tenant#any'],
    ['role', 'own', '#own'],
  ];

  test.each(cases)('a %s is gone without a trace: %s', async (type, name, value) => {
    const id = `id-${name}`;
    expect((await world.traces(id)).length).toBeGreaterThan(3);
    await world.run(`${type}.delete`, { id });
    expect(await world.traces(id)).toEqual([]);
    expect(await world.traces(value)).toEqual([]);
    await expectWhole(world);
  });

  test('what is left of it all, one after the other, leaves an empty table', async () => {
    for (const last of ['role parent', 'location office', 'location school', 'tenant acme', 'user bea']) {
      const [type, name] = last.split(' ');
      await world.run(`${type}.delete`, { id: `id-${name}` });
    }
    await world.run('page.delete', { name: 'home' });
    await world.run('permission.delete', { name: 'a:b:c' });
    // The list of the global roles stays, without roles; the lease of the manifest ends by itself.
    const left = (await world.dataItems()).filter(({ PK }) => !PK.startsWith('OPERATION#'));
    const stamp = { writtenAt: expect.any(Number), writeId: expect.any(String) };
    expect(left).toEqual([{ PK: 'GLOBAL#GATEHOUSE', SK: 'DECISION', Type: 'Decision', v: 1, ...stamp }]);
  });
});

test('effects that are gone are kept as an empty item, and go with their tenant', async () => {
  world = await createLedgerWorld();
  await world.apply(`
pages: [old]
scopes: { acme: { id: acme, type: tenant } }
roles: { old: { id: old, owner: acme, allow: [old] } }
`);
  const effects = async () => (await world.everything()).filter(({ SK }) => SK === 'DECISION#PAGE#old');
  world.clock.advance(1_000);
  await world.run('role-permission.delete', { role: 'old', permission: 'old' });
  expect(await effects()).toMatchObject([{ writtenAt: world.clock.now() }]);
  expect((await effects()).every(isEmptied)).toBe(true);
  await world.run('role.delete', { id: 'old' });
  await world.run('tenant.delete', { id: 'acme' });
  expect(await effects()).toEqual([]);
});

test('however much hangs on a node, the first step holds little of it, and misses nobody who refuses', async () => {
  world = await createLightLedgerWorld();
  await world.apply('scopes: { acme: { id: acme, type: tenant } }');
  const edge = (n: number) =>
    wideEdgeKey({ type: 'tenant', id: 'acme' }, 'assignment', { type: 'user', id: `u${n}` });
  for (const from of [0, 100, 200, 300])
    await world.writer.send(
      Array.from({ length: 100 }, (_, n) => ({
        kind: 'put',
        item: { ...edge(from + n), Type: 'Assignment' },
      })),
    );
  const answered: number[] = [];
  const listAll: World['reader']['listAll'] = async (...asked) => {
    const items = await world.reader.listAll(...asked);
    answered.push(items.length);
    return items;
  };
  const { provision } = commandsOf({ ...world, reader: { ...world.reader, listAll } });
  const command = { command: 'tenant.delete', input: { id: 'acme' }, dryRun: true };
  expect(await provision(command)).toMatchObject({ ok: true });
  expect(Math.max(...answered)).toBeLessThan(200);
  await world.apply('scopes: { acme: { type: tenant } }\ngroups: { staff: { scope: acme } }');
  expect(await provision(command)).toMatchObject({
    error: { message: expect.stringContaining('1 dependent') },
  });
});
