import { beforeEach, describe, expect, test } from 'vitest';
import { decisionKey, globalKey, type Key, tenantEffectsKey } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { copyOf } from '../support/world.ts';
import { type MemoryWorld, worldOf } from './apply/support.ts';
import { findingsOn, verifyOn } from './findings.ts';

/** What `verify` finds of conditions, stored properties and declarations, and repairs. */
const WHEN = 'subject.properties.level > 1';
const LEVEL = { of: 'subject:user', name: 'level', type: 'int', source: 'stored' };
const made = await worldOf(`
properties: [{ of: "subject:user", name: level, type: int, source: stored }]
pages: [plans]
scopes: { acme: { id: acme, type: tenant, properties: { plan: gold } } }
roles:
  clerk:
    id: clerk
    global: true
    deny: [{ permission: plans, when: "${WHEN}" }, { permission: "files:*:*", when: "${WHEN}" }]
  own:
    id: own
    owner: acme
    deny: [{ permission: plans, when: "${WHEN}" }, { permission: "files:*:*", when: "${WHEN}" }]
users: { ann: { id: ann, properties: { level: 2 } } }
`);
let world: MemoryWorld;
beforeEach(() => {
  world = copyOf(made);
});
const verified = (isRepairing = false) => verifyOn(world, isRepairing);

test('finds nothing where all is as it was written', async () => expect(await findingsOn(world)).toEqual([]));

/** That all of it is found and rebuilt: verify-product.integration.test.ts. */
describe('a decision item without an entry says what that opens', () => {
  const [ACME, PLANS] = [{ type: 'tenant', id: 'acme' }, decisionKey({ type: 'page', id: 'plans' })];
  const ofAcme = tenantEffectsKey(ACME, parsePermissionName('plans', ''));
  const ann = decisionKey({ type: 'user', id: 'ann' });
  test.each<[string, Key, attribute: string, effect: string]>([
    ['a condition', PLANS, 'when|clerk', 'opens'],
    ['a condition of a tenant', ofAcme, 'when|own', 'opens'],
    ['a condition on a pattern', globalKey(), 'wild|clerk|files:*:*', 'opens'],
    ['one of a tenant on a pattern', decisionKey(ACME), 'wild|own|files:*:*', 'opens'],
    ['properties of a user', ann, 'properties', 'either'],
    ['properties of a scope', decisionKey(ACME), 'properties', 'either'],
    ['a declaration', globalKey(), 'property|subject:user|level', 'either'],
  ])('%s', async (_, key, attribute, effect) => {
    expect((await world.reader.get(key)) ?? {}).toHaveProperty([attribute]);
    await world.writer.send([{ kind: 'update', key, remove: [attribute] }]);
    const { open } = await verified();
    const said = { code: 'decision_less', attribute, effect, dangerous: true, repairable: true };
    expect(open).toContainEqual(expect.objectContaining(said));
  });

  test('a condition and a declaration that nobody has written', async () => {
    const extra = [
      [PLANS, { 'when|own': { effect: 'ALLOW', when: 'true' } }],
      [globalKey(), { 'property|action|soft': 'bool passed' }],
    ] as const;
    for (const [key, set] of extra) await world.writer.send([{ kind: 'update', key, set }]);
    const { open } = await verified();
    expect(open.map(({ code, attribute, effect }) => `${code} ${attribute} ${effect}`).sort()).toEqual([
      'decision_more property|action|soft either',
      'decision_more when|own opens',
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
