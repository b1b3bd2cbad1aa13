import { beforeEach, describe, expect, test } from 'vitest';
import { decodeGlobal, decodePermission, decodeScope } from '../../table/decision/decode.ts';
import { decisionKey, globalKey, tenantEffectsKey } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { createLedgerWorld, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/** Effects of roles that count only where a condition holds (SPEC section 8). */
let world: LedgerWorld;
let role: string;
const WHEN = 'subject.properties.department == "Sales"';

beforeEach(async () => {
  world = await createLedgerWorld();
  await world.run('property.create', {
    of: 'subject:user',
    name: 'department',
    type: 'string',
    source: 'stored',
  });
  await world.run('page.create', { name: 'dashboard' });
  role = (await world.run('role.create', { name: 'clerk', scope: 'global' })).id;
});

const onDashboard = async () => {
  const item = await world.reader.get(decisionKey({ type: 'page', id: 'dashboard' }));
  if (!item) throw new Error('there is no decision item');
  const { allow, deny, conditional } = decodePermission(item);
  return { allow: [...allow], deny: [...deny], conditional: Object.fromEntries(conditional) };
};

const expectWhole = () => expectAllWhole(world);

describe('an effect with a condition', () => {
  test('is kept with its edge and beside the sets of the decision item, in one write', async () => {
    const edge = { role, permission: 'dashboard', effect: 'ALLOW', when: WHEN };
    const before = world.transactions.length;
    expect(await world.run('role-permission.create', edge)).toMatchObject(edge);
    expect(world.transactions.length - before).toBe(1);
    expect(await world.run('role-permission.read', { role, permission: 'dashboard' })).toMatchObject(edge);
    expect(await world.run('role-permission.list', { permission: 'dashboard' })).toMatchObject({
      items: [edge],
    });
    const { items } = await world.run('role.read-all', { id: role });
    expect(items).toContainEqual(expect.objectContaining(edge));
    expect(await onDashboard()).toEqual({
      allow: [],
      deny: [],
      conditional: { [role]: { effect: 'ALLOW', when: WHEN } },
    });
    await expectWhole();
  });

  test.each<[string, object, object]>([
    [
      'a condition comes',
      { when: WHEN },
      { allow: [], deny: [], conditional: { effect: 'ALLOW', when: WHEN } },
    ],
    [
      'effect and condition change',
      { effect: 'DENY', when: WHEN },
      { allow: [], deny: [], conditional: { effect: 'DENY', when: WHEN } },
    ],
  ])('replaces one without: %s', async (_, change, { conditional, ...sets }: { conditional?: unknown }) => {
    await world.run('role-permission.create', { role, permission: 'dashboard', effect: 'ALLOW' });
    await world.run('role-permission.update', { role, permission: 'dashboard', ...change });
    expect(await onDashboard()).toEqual({ ...sets, conditional: { [role]: conditional } });
    await expectWhole();
  });

  test('keeps its condition where an update does not name it, and loses it by null', async () => {
    const edge = { role, permission: 'dashboard' };
    await world.run('role-permission.create', { ...edge, effect: 'ALLOW', when: WHEN });
    expect(await world.run('role-permission.update', { ...edge, effect: 'DENY' })).toMatchObject({
      effect: 'DENY',
      when: WHEN,
    });
    expect((await onDashboard()).conditional).toEqual({ [role]: { effect: 'DENY', when: WHEN } });
    expect(await world.run('role-permission.update', { ...edge, when: null })).not.toHaveProperty('when');
    expect(await onDashboard()).toEqual({ allow: [], deny: [role], conditional: {} });
    await expectWhole();
  });

  test('goes with its edge, its role and its permission', async () => {
    const edge = { role, permission: 'dashboard' };
    await world.run('role-permission.create', { ...edge, effect: 'ALLOW', when: WHEN });
    await world.run('role-permission.delete', edge);
    expect((await onDashboard()).conditional).toEqual({});
    await world.run('role-permission.create', { ...edge, effect: 'ALLOW', when: WHEN });
    await world.run('role.delete', { id: role });
    expect((await onDashboard()).conditional).toEqual({});
    await expectWhole();
  });

  test('on a pattern is kept with the role, globally or at its owner', async () => {
    const effect = { effect: 'DENY', when: WHEN };
    await world.run('role-permission.create', { role, permission: 'records:*:*', ...effect });
    const scope = `tenant:${(await world.run('tenant.create', { name: 'Acme' })).id}`;
    const own = (await world.run('role.create', { name: 'clerk', scope })).id;
    await world.run('role-permission.create', { role: own, permission: 'records:*:*', ...effect });
    const global = decodeGlobal((await world.reader.get(globalKey())) ?? { PK: '', SK: '' });
    expect(global.roles.get(role)?.patterns.get('records:*:*')).toEqual(effect);
    const item = await world.reader.get(decisionKey({ type: 'tenant', id: scope.slice('tenant:'.length) }));
    const { roles } = decodeScope(scope, item ?? { PK: '', SK: '' });
    expect(roles.get(own)?.patterns.get('records:*:*')).toEqual(effect);
    await expectWhole();
  });

  test('that denies is noted at the owner of its role, as every refusal', async () => {
    const { id } = await world.run('tenant.create', { name: 'Acme' });
    const tenant = { type: 'tenant', id };
    const own = (await world.run('role.create', { name: 'clerk', scope: `tenant:${id}` })).id;
    await world.run('role-permission.create', {
      role: own,
      permission: 'dashboard',
      effect: 'DENY',
      when: WHEN,
    });
    const item = await world.reader.get(decisionKey(tenant));
    expect([...decodeScope(`tenant:${id}`, item ?? { PK: '', SK: '' }).denials]).toEqual(['dashboard']);
    const effects = await world.reader.get(tenantEffectsKey(tenant, parsePermissionName('dashboard', '')));
    expect(decodePermission(effects ?? { PK: '', SK: '' }).conditional.get(own)).toEqual({
      effect: 'DENY',
      when: WHEN,
    });
    await expectWhole();
  });

  test('comes with a role that is made from a template, and by its application', async () => {
    const permissions = [{ permission: 'dashboard', effect: 'ALLOW', when: WHEN }];
    const template = (await world.run('role-template.create', { name: 'clerk', permissions })).id;
    const made = await world.run('role.create', {
      name: 'from template',
      scope: 'global',
      customTemplateId: template,
    });
    await world.run('role-template.apply', { id: template, role });
    const effect = { effect: 'ALLOW', when: WHEN };
    expect((await onDashboard()).conditional).toEqual({ [made.id]: effect, [role]: effect });
    await expectWhole();
  });
});

describe('a condition is checked when it is written', () => {
  const LONG = `context.ip == "${'1'.repeat(1_000)}"`;
  test.each<[string, unknown, RegExp]>([
    ['is no expression', 'context.ip ==', /^when: .* \(at character \d+\)$/],
    [
      'compares what cannot be compared',
      'subject.properties.department == 7',
      /^when: .*\(at character \d+\)$/,
    ],
    ['looks at what is not declared', 'subject.properties.level > 3', /^when: .*\(at character \d+\)$/],
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
    expect(await onDashboard()).toEqual({ allow: [role], deny: [], conditional: {} });
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
        {
          command: 'property.create',
          input: { of: 'context', name: 'zone', type: 'string' },
        },
        {
          command: 'role-permission.create',
          input: { role, permission: 'dashboard', effect: 'ALLOW', when: 'context.zone == "inner"' },
        },
      ],
    });
    expect((await onDashboard()).conditional).toHaveProperty(role);
    await expectWhole();
  });

  test('costs one read of the declarations, and none where there is no condition', async () => {
    const readsOf = async (more: object) => {
      const { id } = await world.run('role.create', {
        name: `clerk of ${JSON.stringify(more)}`,
        scope: 'global',
      });
      world.calls.length = 0;
      await world.run('role-permission.create', {
        role: id,
        permission: 'dashboard',
        effect: 'ALLOW',
        ...more,
      });
      return world.calls.filter(({ operation }) => operation === 'GetItem').length;
    };
    // The first creation also reads which tenants have invariants.
    await readsOf({ effect: 'ALLOW' });
    expect(await readsOf({ when: WHEN })).toBe((await readsOf({})) + 1);
  });
});
