import { beforeEach, describe, expect, test } from 'vitest';
import { decisionKey, globalKey, identityOf, type Key, tenantEffectsKey } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { createMemoryWorld, type MemoryWorld } from './apply/support.ts';
import { findingsOn, verifyOn } from './findings.ts';

/** What `verify` finds of conditions, stored properties and declarations, and repairs. */
const WHEN = 'subject.properties.level > 1';
const LEVEL = { of: 'subject:user', name: 'level', type: 'int', source: 'stored' };
let world: MemoryWorld;
let [user, tenant, role, own] = ['', '', '', ''];
beforeEach(async () => {
  world = createMemoryWorld();
  await world.run('property.create', LEVEL);
  await world.run('page.create', { name: 'plans' });
  user = (await world.run('user.create', { properties: { level: 2 } })).id;
  tenant = (await world.run('tenant.create', { name: 'Acme', properties: { plan: 'gold' } })).id;
  role = (await world.run('role.create', { name: 'clerk', scope: 'global' })).id;
  own = (await world.run('role.create', { name: 'clerk', scope: `tenant:${tenant}` })).id;
  const effect = { effect: 'DENY', when: WHEN };
  for (const [holder, permission] of [
    [role, 'plans'],
    [own, 'plans'],
    [role, 'files:*:*'],
    [own, 'files:*:*'],
  ])
    await world.run('role-permission.create', { role: holder, permission, ...effect });
});
const items = () => new Map(world.items().map((item) => [identityOf(item), item]));
const verified = (isRepairing = false) => verifyOn(world, isRepairing);

test('finds nothing where all is as it was written', async () => expect(await findingsOn(world)).toEqual([]));

describe('a decision item without an entry, or with another one, is found and rebuilt', () => {
  const ref = (type: string, id: string) => ({ type, id });
  const plans = parsePermissionName('plans', '');
  test.each<[string, () => Key, () => string, unknown, string]>([
    [
      'a condition',
      () => decisionKey(ref('page', 'plans')),
      () => `when|${role}`,
      { effect: 'DENY', when: 'true' },
      'opens',
    ],
    [
      'a condition of a tenant',
      () => tenantEffectsKey(ref('tenant', tenant), plans),
      () => `when|${own}`,
      { effect: 'ALLOW', when: WHEN },
      'opens',
    ],
    ['a condition on a pattern', globalKey, () => `wild|${role}|files:*:*`, 'DENY', 'opens'],
    [
      'a condition on a pattern of a tenant',
      () => decisionKey(ref('tenant', tenant)),
      () => `wild|${own}|files:*:*`,
      'ALLOW',
      'opens',
    ],
    [
      'properties of a user',
      () => decisionKey(ref('user', user)),
      () => 'properties',
      { level: 7 },
      'either',
    ],
    [
      'properties of a scope',
      () => decisionKey(ref('tenant', tenant)),
      () => 'properties',
      { plan: 'all' },
      'either',
    ],
    ['a declaration', globalKey, () => 'property|subject:user|level', 'string stored', 'either'],
  ])('%s', async (_, keyOf, attributeOf, other, effect) => {
    const [key, attribute] = [keyOf(), attributeOf()];
    const before = items();
    expect(before.get(identityOf(key))).toHaveProperty([attribute]);
    for (const change of [{ remove: [attribute] }, { set: { [attribute]: other as string } }]) {
      await world.writer.send([{ kind: 'update', key, ...change }]);
      const { open } = await verified();
      expect(open).toContainEqual(
        expect.objectContaining({
          code: 'remove' in change ? 'decision_less' : 'decision_differs',
          attribute,
          ...('remove' in change ? { effect, dangerous: true } : {}),
          repairable: true,
        }),
      );
      expect((await verified(true)).open).toEqual([]);
      world.clock.advance(1_000);
      expect(items().get(identityOf(key))?.[attribute]).toEqual(before.get(identityOf(key))?.[attribute]);
    }
  });

  test('a condition and a declaration that nobody has written', async () => {
    const extra = [
      [decisionKey(ref('page', 'plans')), { [`when|${own}`]: { effect: 'ALLOW', when: 'true' } }],
      [globalKey(), { 'property|action|soft': 'bool passed' }],
    ] as const;
    for (const [key, set] of extra) await world.writer.send([{ kind: 'update', key, set }]);
    const { open } = await verified();
    expect(open.map(({ code, attribute, effect }) => `${code} ${attribute} ${effect}`).sort()).toEqual([
      'decision_more property|action|soft either',
      `decision_more when|${own} opens`,
    ]);
    expect((await verified(true)).open).toEqual([]);
  });
});

describe('what today’s declarations refuse is found, and left to people', () => {
  test('a condition on what is not declared any more', async () => {
    await world.run('property.delete', { of: 'subject:user', name: 'level' });
    const { open } = await verified(true);
    expect(
      open.map(({ code, attribute, effect, repairable }) => ({ code, attribute, effect, repairable })),
    ).toEqual(
      Array(4).fill({ code: 'condition_invalid', attribute: 'when', effect: 'closes', repairable: false }),
    );
  });

  test('conditions and values of another type than the one declared since', async () => {
    await world.run('property.delete', { of: 'subject:user', name: 'level' });
    await world.run('property.create', { ...LEVEL, type: 'string' });
    const { open } = await verified();
    const misfits = open.filter(({ code }) => code === 'property_misfit');
    expect(misfits).toMatchObject([
      {
        attribute: 'properties.level',
        expected: 'string, as declared of subject:user',
        effect: 'closes',
        repairable: false,
      },
    ]);
    expect(open.filter(({ code }) => code === 'condition_invalid')).toHaveLength(4);
  });

  test('values of a subject whose type was added, by the declaration of that type', async () => {
    const of = 'subject:device';
    await world.run('subject-type.create', { name: 'device' });
    await world.run('property.create', { ...LEVEL, of });
    await world.run('subject.create', { type: 'device', id: 'd1', properties: { level: 2 } });
    expect((await verified()).open).toEqual([]);
    for (const each of ['subject:user', of]) await world.run('property.delete', { of: each, name: 'level' });
    await world.run('property.create', { ...LEVEL, of, type: 'string' });
    const { open } = await verified();
    expect(open.filter(({ code }) => code === 'property_misfit')).toMatchObject([
      { expected: 'string, as declared of subject:device' },
    ]);
  });
});
