import { beforeEach, describe, expect, test } from 'vitest';
import { createExplainer, type Engine, formatExplanation } from '../../engine/index.ts';
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
  test('by one call in a flat scope, as a user, though subject and scope have one reference', async () => {
    world.calls.length = 0;
    expect(await engine.check('tenant:t', 'door', 'tenant:t')).toMatchObject({ reason: 'no_grant' });
    expect(world.calls.map(({ operation, keys }) => `${operation} ${keys}`)).toEqual(['BatchGetItem 5']);
  });

  test('an unknown type names nothing, and a type is no wildcard', async () => {
    for (const subject of ['ghost:d1', 'device:d2', 'client:c'])
      expect(await engine.check(subject, 'door', D1)).toEqual({ allowed: false, reason: 'subject_unknown' });
  });
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
