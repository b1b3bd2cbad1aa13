import { beforeEach, describe, expect, test } from 'vitest';
import { createLedgerWorld, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/** Effects of roles that count only where a condition holds (SPEC section 8). */
let world: LedgerWorld;
let role: string;
const WHEN = 'subject.properties.department == "Sales"';

beforeEach(async () => {
  world = await createLedgerWorld();
  const declared = { of: 'subject:user', name: 'department', type: 'string', source: 'stored' };
  await world.run('property.create', declared);
  await world.run('page.create', { name: 'dashboard' });
  role = (await world.run('role.create', { name: 'clerk', scope: 'global' })).id;
});

/** What the edge says; that the decision item says the same is for `expectWhole`. */
const effectOf = async (of = role, permission = 'dashboard') => {
  const { effect, when } = await world.run('role-permission.read', { role: of, permission });
  return { effect, ...(when === undefined ? {} : { when }) };
};
const expectWhole = () => expectAllWhole(world);

describe('an effect with a condition', () => {
  test.each([
    ['a condition comes', { effect: 'ALLOW' }, { when: WHEN }, { effect: 'ALLOW', when: WHEN }],
    ['both change', { effect: 'ALLOW' }, { effect: 'DENY', when: WHEN }, { effect: 'DENY', when: WHEN }],
    ['it stays', { effect: 'ALLOW', when: WHEN }, { effect: 'DENY' }, { effect: 'DENY', when: WHEN }],
    ['it is cleared', { effect: 'DENY', when: WHEN }, { when: null }, { effect: 'DENY' }],
  ])('is replaced: %s', async (_, first, change, effect) => {
    const edge = { role, permission: 'dashboard' };
    await world.run('role-permission.create', { ...edge, ...first });
    await world.run('role-permission.update', { ...edge, ...change });
    expect(await effectOf()).toEqual(effect);
    const { items } = await world.run('role.read-all', { id: role });
    expect(items).toContainEqual(expect.objectContaining({ ...edge, ...effect }));
    await expectWhole();
  });

  test('comes with a role that is made from a template, and by its application', async () => {
    const permissions = [{ permission: 'dashboard', effect: 'ALLOW', when: WHEN }];
    const template = (await world.run('role-template.create', { name: 'clerk', permissions })).id;
    const made = { name: 'from template', scope: 'global', customTemplateId: template };
    const { id } = await world.run('role.create', made);
    await world.run('role-template.apply', { id: template, role });
    for (const of of [id, role]) expect(await effectOf(of)).toEqual({ effect: 'ALLOW', when: WHEN });
    await expectWhole();
  });
});

describe('a condition is checked when it is written', () => {
  const PLACE = /^when: .*\(at character \d+\)$/;
  const LONG = `context.ip == "${'1'.repeat(1_000)}"`;
  test.each<[string, unknown, RegExp]>([
    ['is no expression', 'context.ip ==', PLACE],
    ['compares what cannot be compared', 'subject.properties.department == 7', PLACE],
    ['looks at what is not declared', 'subject.properties.level > 3', PLACE],
    ['is no question', 'context.ip', /^when: .*bool.* \(at character 1\)$/],
    ['is empty', '', /^when: is empty$/],
    ['is too long', LONG, /^when: must have at most 1000 characters$/],
    ['is no text', 7, /^when: must be text$/],
    ['holds control characters', 'true\u0000', /^when: holds control characters$/],
  ])('one that %s is refused', async (_, when, message) => {
    const edge = { role, permission: 'dashboard' };
    const error = await world.refused('role-permission.create', { ...edge, effect: 'ALLOW', when });
    expect(error).toMatchObject({ code: 'invalid', field: 'when' });
    expect(error.message).toMatch(message);
    await world.run('role-permission.create', { ...edge, effect: 'ALLOW' });
    expect(await world.refused('role-permission.update', { ...edge, when })).toEqual(error);
    expect(await effectOf()).toEqual({ effect: 'ALLOW' });
  });

  test('in a template too, by its permission', async () => {
    const permissions = [{ permission: 'dashboard', effect: 'ALLOW', when: 'context.ip ==' }];
    expect(await world.refused('role-template.create', { name: 'clerk', permissions })).toMatchObject({
      code: 'invalid',
      field: 'permissions',
      message: expect.stringMatching(/^permissions: when of dashboard: /),
    });
  });

  test('against the declarations that the same transaction makes', async () => {
    await world.run('transaction.write', {
      commands: [
        { command: 'property.create', input: { of: 'context', name: 'zone', type: 'string' } },
        {
          command: 'role-permission.create',
          input: { role, permission: 'dashboard', effect: 'ALLOW', when: 'context.zone == "inner"' },
        },
      ],
    });
    expect(await effectOf()).toMatchObject({ when: 'context.zone == "inner"' });
    await expectWhole();
  });

  test('costs one read of the declarations, and none where there is no condition', async () => {
    const readsOf = async (more: object) => {
      const name = `clerk of ${JSON.stringify(more)}`;
      const { id } = await world.run('role.create', { name, scope: 'global' });
      world.calls.length = 0;
      const edge = { role: id, permission: 'dashboard', effect: 'ALLOW' };
      await world.run('role-permission.create', { ...edge, ...more });
      return world.calls.filter(({ operation }) => operation === 'GetItem').length;
    };
    // The first creation also reads which tenants have invariants.
    await readsOf({ effect: 'ALLOW' });
    expect(await readsOf({ when: WHEN })).toBe((await readsOf({})) + 1);
  });
});
