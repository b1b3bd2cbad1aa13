import { beforeEach, describe, expect, test } from 'vitest';
import { createExplainer, createLists, type Engine, formatExplanation } from '../../engine/index.ts';
import { verify } from '../../provisioning/verify/index.ts';
import { partitionOf } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

/**
 * Subjects of types that operators add are as good as users everywhere, also where the type and id are those of a
 * scope: the subject `device:d1` and the scope `device:d1` are two.
 */
let engine: Engine;
const D1 = 'device:d1';

const MANIFEST = `
pages: [door, alarm, log, meter, all]
subjectTypes: { device: { description: machines }, tenant: }
scopes:
  C: { id: c, type: client }
  P: { id: p, type: project, parent: C }
  B: { id: b, type: building, parent: P }
  The place: { id: d1, type: device, parent: B }
  T: { id: t, type: tenant }
roles:
  door: { id: door, owner: C, allow: [door] }
  alarm: { id: alarm, allow: [alarm] }
  log: { id: log, owner: C, allow: [log] }
  meter: { id: meter, global: true, allow: [meter] }
groups: { Machines: { id: g, scope: B, roles: [door] } }
subjects:
  The machine:
    id: d1
    type: device
    name: The machine
    tenant: C
    groups: [Machines]
    assignments: [{ role: alarm, scope: The place }]
    grants: { C: [log] }
    globalRoles: [meter]
  The tenant: { id: t, type: tenant }
`;
const world = await createWorld(MANIFEST);
beforeEach(() => {
  world.settle();
  engine = world.newEngine();
});

const findings = async () => (await verify({ reader: world.reader, clock: world.clock, graceMs: 0 })).open;

describe('decisions', () => {
  test.each([
    ['door', 'a group'],
    ['alarm', 'an assignment at the scope of the same reference'],
    ['log', 'a tenant grant'],
    ['meter', 'a global role'],
  ])('%s by %s, cached and strong, alone and in a list', async (permission) => {
    const allowed = { allowed: true, reason: 'role' };
    expect(await engine.check(D1, permission, D1)).toEqual(allowed);
    expect(await engine.check(D1, permission, D1)).toEqual(allowed);
    expect(await engine.check(D1, permission, D1, { consistency: 'strong' })).toEqual(allowed);
    const session = await engine.session(D1, D1, { permissions: [permission, 'all'] });
    expect([session.can(permission), session.can('all')]).toEqual([true, false]);
  });

  test('by one call in a flat scope, as a user, though subject and scope have one reference', async () => {
    world.calls.length = 0;
    expect(await engine.check('tenant:t', 'door', 'tenant:t')).toMatchObject({ reason: 'no_grant' });
    expect(world.calls.map(({ operation, keys }) => `${operation} ${keys}`)).toEqual(['BatchGetItem 5']);
  });

  test('an administrator is allowed, and no more once the flag is gone', async () => {
    await world.run('admin.create', { user: D1 });
    world.settle();
    expect(await world.newEngine().check(D1, 'all', D1)).toEqual({ allowed: true, reason: 'admin' });
    await world.run('admin.delete', { user: D1 });
    world.settle();
    expect(await world.newEngine().check(D1, 'all', D1)).toMatchObject({ reason: 'no_grant' });
  });

  test('an unknown type names nothing, and a type is no wildcard', async () => {
    for (const subject of ['ghost:d1', 'device:d2', 'client:c'])
      expect(await engine.check(subject, 'door', D1)).toEqual({ allowed: false, reason: 'subject_unknown' });
  });
});

test('searches find it and take it', async () => {
  const lists = createLists({ reader: world.reader, engine, clock: world.clock });
  for (const permission of ['door', 'alarm', 'log', 'meter'])
    expect((await lists.listSubjects(permission, D1)).items).toEqual([D1]);
  expect((await lists.listScopes(D1, 'alarm')).items).toEqual([D1]);
  expect([...(await lists.listPermissions(D1, D1)).items].sort()).toEqual(['alarm', 'door', 'log', 'meter']);
});

test('an explanation tells the subject from the scope', async () => {
  const explanation = await createExplainer(world).explain(D1, 'door', D1);
  expect(explanation.subject).toEqual({ ref: D1, name: 'The machine' });
  expect(explanation.path[0]).toMatchObject({ ref: D1, name: 'The place' });
  expect(formatExplanation(explanation)).toContain('subject     The machine (device:d1)');
});

describe('provisioning', () => {
  test('lists it by type, tenant, status, group, role and scope', async () => {
    const of = async (command: string, input: Record<string, unknown>) =>
      ((await world.run(command, input)).items as Record<string, unknown>[]).map(
        ({ type, id, user }) => user ?? `${type}:${id}`,
      );
    expect(await of('subject.list', { type: 'device' })).toEqual([D1]);
    expect(await of('subject.list', { tenant: 'client:c' })).toEqual([D1]);
    expect(await of('subject.list', { status: 'active' })).toContain(D1);
    expect(await of('membership.list', { group: 'g' })).toEqual([D1]);
    expect(await of('global-role.list', { role: 'meter' })).toEqual([D1]);
    expect(await of('assignment.list', { scope: D1 })).toEqual([D1]);
    expect(await of('grant.list', { scope: 'client:c' })).toEqual([D1]);
    expect(await of('user.access', { id: D1 })).toEqual([D1, D1, D1, D1]);
  });

  test('what it may not be is refused with the field', async () => {
    const refusal = async (command: string, input: Record<string, unknown>) => {
      const { code, field } = await world.refused(command, input);
      return `${code} ${field}`;
    };
    expect(await refusal('subject.create', { type: 'ghost', id: 'x' })).toBe('invalid type');
    expect(await refusal('subject.create', { type: 'user', id: 'x' })).toBe('invalid type');
    expect(await refusal('subject.create', { type: 'device', id: 'd1' })).toBe('conflict id');
    expect(await refusal('subject.create', { type: 'device', id: 'a:b' })).toBe('invalid id');
    for (const name of ['user', 'technical-user', 'subject', 'group', 'Device'])
      expect(await refusal('subject-type.create', { name })).toBe('invalid name');
    expect(await refusal('subject-type.delete', { name: 'device' })).toBe('conflict name');
    expect(await refusal('membership.create', { user: 'ghost:x', group: 'g' })).toBe('not_found user');
    expect(await refusal('membership.create', { user: 'group:g', group: 'g' })).toBe('invalid user');
  });

  test('the log of what it did is found by it', async () => {
    await world.provision({ command: 'page.create', input: { name: 'made' }, actor: D1 });
    const { items } = await world.run('audit.list', { user: D1 });
    expect(items).toMatchObject([{ actor: D1, action: 'page.create' }]);
  });

  test('suspended or past its end, it is refused', async () => {
    const decide = async () => {
      world.settle();
      return (await world.newEngine().check(D1, 'door', D1)).reason;
    };
    await world.run('subject.update', { user: 'device:d1', status: 'disabled' });
    expect(await decide()).toBe('subject_inactive');
    await world.run('subject.update', {
      type: 'device',
      id: 'd1',
      status: 'active',
      endsAt: new Date(world.clock.now() + 1).toISOString(),
    });
    expect(await decide()).toBe('subject_ended');
    await world.run('subject.update', { user: 'device:d1', endsAt: null });
    expect(await decide()).toBe('role');
  });

  test('the table is whole; deleted, nothing of it is left but its log, and the scope is as it was', async () => {
    await world.run('token.create', { user: D1, tokenType: 'api' });
    expect(await findings()).toEqual([]);
    await world.run('subject.delete', { user: 'device:d1' });
    expect(await findings()).toEqual([]);
    const partition = partitionOf({ type: 'subject', id: D1 });
    expect(await world.reader.listAll({ ranges: [{ partition }] })).toEqual([]);
    world.settle();
    const check = await world.newEngine().check(D1, 'door', D1);
    expect(check.reason).toBe('subject_unknown');
    expect(await world.run('device.read', { id: 'd1' })).toMatchObject({ name: 'The place' });
  });
});
