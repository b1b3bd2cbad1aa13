import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { stamped, subjectChanges } from '../../table/decision/writes.ts';
import { createWorld, type World } from '../support/world.ts';

/** SPEC section 2, step by step, on a real DynamoDB engine. */
let world: World;
let engine: Engine;
/** Ids of what the scenarios talk about. */
const id: Record<string, string> = {};
const subject = (name: string) => `user:${id[name]}`;
const place = (name: string) => `location:${id[name]}`;

beforeAll(async () => {
  world = await createWorld();
  const { run } = world;
  const make = async (name: string, command: string, input: Record<string, unknown>) => {
    id[name] = (await run(command, input)).id;
  };
  for (const page of ['dashboard', 'grades', 'forbidden']) await run('page.create', { name: page });
  await run('permission.create', { name: 'reports:read:monthly' });
  await make('north', 'location.create', { name: 'North', code: 'N1' });
  await make('south', 'location.create', { name: 'South' });
  await make('strict', 'location.create', { name: 'Strict', combination: 'deny-overrides' });
  await make('teacher', 'role.create', { name: 'teacher', scope: 'global' });
  await run('role-permission.create', { role: id.teacher, permission: 'dashboard', effect: 'ALLOW' });
  await run('role-permission.create', { role: id.teacher, permission: 'grades', effect: 'ALLOW' });
  await make('banned', 'role.create', { name: 'banned', scope: 'tenant' });
  await run('role-permission.create', { role: id.banned, permission: 'grades', effect: 'DENY' });
  for (const at of ['north', 'south', 'strict']) {
    await make(`teachers-${at}`, 'group.create', { scope: place(at), name: 'teachers' });
    await run('group-role.create', { group: id[`teachers-${at}`], role: id.teacher });
  }
  await make('ann', 'user.create', { email: 'ann@example.com' });
  await run('membership.create', { user: id.ann, group: id['teachers-north'] });
  await run('membership.create', { user: id.ann, group: id['teachers-strict'] });
});
beforeEach(() => {
  world.settle();
  engine = world.newEngine();
});

describe('steps 1 to 4: subject, scope, permission, administrator', () => {
  test('a subject that does not exist is refused', async () => {
    const unknown = await engine.check('user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C', 'dashboard', place('north'));
    expect(unknown).toEqual({ allowed: false, reason: 'subject_unknown' });
  });

  test.each(['ann', 'user:', 'user:-1', 'user:01J#META'])(
    'a name that no subject can have is refused, and no key is made of it: %j',
    async (name) => {
      world.calls.length = 0;
      expect(await engine.check(name, 'dashboard', place('north'))).toMatchObject({
        reason: 'subject_unknown',
      });
      // Scope, permission, the effects of the scope's own roles and the global roles: no subject.
      expect(world.calls.map(({ keys }) => keys)).toEqual([4]);
    },
  );

  test('a disabled user is refused until active again', async () => {
    const bob = (await world.run('user.create', { status: 'disabled' })).id;
    await world.run('membership.create', { user: bob, group: id['teachers-north'] });
    expect(await engine.check(`user:${bob}`, 'dashboard', place('north'))).toMatchObject({
      reason: 'subject_inactive',
    });
    await world.run('user.update', { id: bob, status: 'active' });
    expect(await world.newEngine().check(`user:${bob}`, 'dashboard', place('north'))).toMatchObject({
      allowed: true,
    });
  });

  test('a user is refused from the end date on, not a millisecond earlier', async () => {
    const end = '2026-02-01T00:00:00.000Z';
    const bob = (await world.run('user.create', { endsAt: end })).id;
    await world.run('membership.create', { user: bob, group: id['teachers-north'] });
    const at = (instant: number) => engine.check(`user:${bob}`, 'dashboard', place('north'), { at: instant });
    expect(await at(Date.parse(end) - 1)).toMatchObject({ allowed: true });
    expect(await at(Date.parse(end))).toMatchObject({ allowed: false, reason: 'subject_ended' });
  });

  test('a scope that does not exist is refused, a suspended one too', async () => {
    const gone = await engine.check(subject('ann'), 'dashboard', 'location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C');
    expect(gone).toMatchObject({ reason: 'scope_unknown' });
    const closed = (await world.run('location.create', { name: 'Closed', status: 'suspended' })).id;
    expect(await engine.check(subject('ann'), 'dashboard', `location:${closed}`)).toMatchObject({
      reason: 'scope_inactive',
    });
  });

  test('a page is not a scope, even if its name looks like an id', async () => {
    const name = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
    await world.run('page.create', { name });
    const decision = await engine.check(subject('ann'), 'dashboard', `page:${name}`);
    expect(decision).toMatchObject({ reason: 'scope_unknown' });
  });

  test('a user is not a scope', async () => {
    expect(await engine.check(subject('ann'), 'dashboard', subject('ann'))).toMatchObject({
      reason: 'scope_unknown',
    });
  });

  test.each(['nowhere', '*:*:*', 'reports:*:*', 'a:b', 'reports:read:yearly', 'dash#board'])(
    'a permission that is not registered is refused, even to an administrator: %s',
    async (permission) => {
      const root = (await world.run('user.create', {})).id;
      await world.run('admin.create', { user: root });
      expect(await engine.check(`user:${root}`, permission, place('north'))).toMatchObject({
        allowed: false,
        reason: 'permission_unknown',
      });
    },
  );

  test('an administrator is allowed everywhere, until the flag is removed', async () => {
    const root = (await world.run('user.create', {})).id;
    await world.run('admin.create', { user: root });
    expect(await engine.check(`user:${root}`, 'forbidden', place('south'))).toEqual({
      allowed: true,
      reason: 'admin',
    });
    await world.run('admin.delete', { user: root });
    expect(await world.newEngine().check(`user:${root}`, 'forbidden', place('south'))).toMatchObject({
      reason: 'no_grant',
    });
  });
});

describe('step 6: roles in force', () => {
  test('a group counts at its own location and nowhere else', async () => {
    expect(await engine.check(subject('ann'), 'dashboard', place('north'))).toEqual({
      allowed: true,
      reason: 'role',
    });
    expect(await engine.check(subject('ann'), 'dashboard', place('south'))).toEqual({
      allowed: false,
      reason: 'no_grant',
    });
  });

  test('leaving the group ends it', async () => {
    const bob = (await world.run('user.create', {})).id;
    await world.run('membership.create', { user: bob, group: id['teachers-north'] });
    await world.run('membership.delete', { user: bob, group: id['teachers-north'] });
    expect(await engine.check(`user:${bob}`, 'dashboard', place('north'))).toMatchObject({
      reason: 'no_grant',
    });
  });

  test('an assignment counts from its start until before its end', async () => {
    const bob = (await world.run('user.create', {})).id;
    const [startsAt, endsAt] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];
    await world.run('assignment.create', {
      user: bob,
      role: id.teacher,
      scope: place('south'),
      startsAt,
      endsAt,
    });
    const at = async (instant: number) =>
      (await engine.check(`user:${bob}`, 'dashboard', place('south'), { at: instant })).allowed;
    expect(await at(Date.parse(startsAt) - 1)).toBe(false);
    expect(await at(Date.parse(startsAt))).toBe(true);
    expect(await at(Date.parse(endsAt) - 1)).toBe(true);
    expect(await at(Date.parse(endsAt))).toBe(false);
  });

  test('a grant at a tenant counts in its locations, but not vice versa', async () => {
    const tenant = (await world.run('tenant.create', { name: 'Flow' })).id;
    const below = (await world.run('location.create', { name: 'Below', parent: `tenant:${tenant}` })).id;
    const [above, only] = [(await world.run('user.create', {})).id, (await world.run('user.create', {})).id];
    await world.run('assignment.create', { user: above, role: id.teacher, scope: `tenant:${tenant}` });
    await world.run('assignment.create', { user: only, role: id.teacher, scope: `location:${below}` });
    expect(await engine.check(`user:${above}`, 'dashboard', `location:${below}`)).toMatchObject({
      allowed: true,
    });
    expect(await engine.check(`user:${only}`, 'dashboard', `tenant:${tenant}`)).toMatchObject({
      reason: 'no_grant',
    });
    await world.run('tenant.update', { id: tenant, status: 'suspended' });
    const later = world.newEngine();
    expect(await later.check(`user:${only}`, 'dashboard', `location:${below}`)).toMatchObject({
      reason: 'scope_inactive',
    });
  });

  test("a grant's roles count in its tenant and in no other", async () => {
    const [a, b] = [
      (await world.run('tenant.create', { name: 'A' })).id,
      (await world.run('tenant.create', { name: 'B' })).id,
    ];
    const bob = (await world.run('user.create', {})).id;
    await world.run('grant.create', { user: bob, scope: `tenant:${a}`, roles: [id.teacher] });
    await world.run('grant.create', { user: bob, scope: `tenant:${b}` });
    expect(await engine.check(`user:${bob}`, 'dashboard', `tenant:${a}`)).toMatchObject({ allowed: true });
    expect(await engine.check(`user:${bob}`, 'dashboard', `tenant:${b}`)).toMatchObject({
      reason: 'no_grant',
    });
    await world.run('grant.update', { user: bob, scope: `tenant:${a}`, roles: [] });
    expect(await world.newEngine().check(`user:${bob}`, 'dashboard', `tenant:${a}`)).toMatchObject({
      reason: 'no_grant',
    });
  });

  test('a global role counts everywhere', async () => {
    const bob = (await world.run('user.create', {})).id;
    await world.run('global-role.create', { user: bob, role: id.teacher });
    expect(await engine.check(`user:${bob}`, 'dashboard', place('south'))).toMatchObject({ allowed: true });
  });

  test('a role owned by a tenant counts in that tenant only, whatever is written elsewhere', async () => {
    const [a, b] = [
      (await world.run('tenant.create', { name: 'Own' })).id,
      (await world.run('tenant.create', { name: 'Other' })).id,
    ];
    const role = (await world.run('role.create', { name: 'clerk', scope: `tenant:${a}` })).id;
    await world.run('role-permission.create', { role, permission: 'dashboard', effect: 'ALLOW' });
    const bob = (await world.run('user.create', {})).id;
    await world.run('assignment.create', { user: bob, role, scope: `tenant:${a}` });
    expect(await engine.check(`user:${bob}`, 'dashboard', `tenant:${a}`)).toMatchObject({ allowed: true });
    expect(await world.refused('assignment.create', { user: bob, role, scope: `tenant:${b}` })).toMatchObject(
      { field: 'role' },
    );
    // Even an edge that was written behind provisioning's back does not make it count.
    const astray = subjectChanges({ type: 'user', id: bob }).assign(
      `tenant:${b}`,
      role,
      undefined,
      undefined,
    );
    await world.writer.send(stamped([astray], { writtenAt: 1, writeId: 'astray' }));
    expect(await world.newEngine().check(`user:${bob}`, 'dashboard', `tenant:${b}`)).toMatchObject({
      reason: 'no_grant',
    });
  });

  test('a role has what it inherits, through several levels and across owners', async () => {
    const tenant = (await world.run('tenant.create', { name: 'Heirs' })).id;
    const middle = (await world.run('role.create', { name: 'middle', scope: 'tenant', parent: id.teacher }))
      .id;
    const leaf = (await world.run('role.create', { name: 'leaf', scope: `tenant:${tenant}`, parent: middle }))
      .id;
    const bob = (await world.run('user.create', {})).id;
    await world.run('assignment.create', { user: bob, role: leaf, scope: `tenant:${tenant}` });
    expect(await engine.check(`user:${bob}`, 'dashboard', `tenant:${tenant}`)).toMatchObject({
      allowed: true,
    });
    await world.run('role.update', { id: middle, parent: null });
    expect(await world.newEngine().check(`user:${bob}`, 'dashboard', `tenant:${tenant}`)).toMatchObject({
      reason: 'no_grant',
    });
  });
});

describe('steps 7 to 9: effects and their combination', () => {
  test.each(['reports:read:*', 'reports:*:monthly', 'reports:*:*', '*:*:*'])(
    '%s covers reports:read:monthly',
    async (pattern) => {
      const role = (await world.run('role.create', { name: `wild ${pattern}`, scope: 'tenant' })).id;
      const bob = (await world.run('user.create', {})).id;
      await world.run('assignment.create', { user: bob, role, scope: place('north') });
      expect(await engine.check(`user:${bob}`, 'reports:read:monthly', place('north'))).toMatchObject({
        reason: 'no_grant',
      });
      await world.run('role-permission.create', { role, permission: pattern, effect: 'ALLOW' });
      const later = world.newEngine();
      expect(await later.check(`user:${bob}`, 'reports:read:monthly', place('north'))).toMatchObject({
        allowed: true,
      });
      expect((await later.check(`user:${bob}`, 'dashboard', place('north'))).allowed).toBe(
        pattern === '*:*:*',
      );
    },
  );

  test('allow-overrides: one ALLOW is enough beside a DENY', async () => {
    const bob = (await world.run('user.create', {})).id;
    await world.run('membership.create', { user: bob, group: id['teachers-north'] });
    await world.run('assignment.create', { user: bob, role: id.banned, scope: place('north') });
    expect(await engine.check(`user:${bob}`, 'grades', place('north'))).toMatchObject({ allowed: true });
  });

  test('deny-overrides: one DENY refuses beside an ALLOW', async () => {
    const bob = (await world.run('user.create', {})).id;
    await world.run('membership.create', { user: bob, group: id['teachers-strict'] });
    expect(await engine.check(`user:${bob}`, 'grades', place('strict'))).toMatchObject({ allowed: true });
    await world.run('assignment.create', { user: bob, role: id.banned, scope: place('strict') });
    expect(await world.newEngine().check(`user:${bob}`, 'grades', place('strict'))).toEqual({
      allowed: false,
      reason: 'denied_by_role',
    });
  });

  test('a DENY alone has another reason than no effect', async () => {
    const bob = (await world.run('user.create', {})).id;
    await world.run('assignment.create', { user: bob, role: id.banned, scope: place('south') });
    expect(await engine.check(`user:${bob}`, 'grades', place('south'))).toMatchObject({
      reason: 'denied_by_role',
    });
    expect(await engine.check(`user:${bob}`, 'dashboard', place('south'))).toMatchObject({
      reason: 'no_grant',
    });
  });

  test('a changed effect counts as it is now', async () => {
    const role = (await world.run('role.create', { name: 'turned', scope: 'tenant' })).id;
    const bob = (await world.run('user.create', {})).id;
    await world.run('assignment.create', { user: bob, role, scope: place('north') });
    await world.run('role-permission.create', { role, permission: 'grades', effect: 'ALLOW' });
    await world.run('role-permission.update', { role, permission: 'grades', effect: 'DENY' });
    expect(await engine.check(`user:${bob}`, 'grades', place('north'))).toMatchObject({
      reason: 'denied_by_role',
    });
    await world.run('role-permission.delete', { role, permission: 'grades' });
    expect(await world.newEngine().check(`user:${bob}`, 'grades', place('north'))).toMatchObject({
      reason: 'no_grant',
    });
  });
});

test('checkMany answers each as check does, in one read', async () => {
  const requests = [
    { subject: subject('ann'), permission: 'dashboard', scope: place('north') },
    { subject: subject('ann'), permission: 'dashboard', scope: place('south') },
    { subject: subject('ann'), permission: 'nowhere', scope: place('north') },
    { subject: subject('ann'), permission: 'grades', scope: place('strict') },
  ];
  world.calls.length = 0;
  const { decisions } = await engine.checkMany(requests);
  expect(world.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem']);
  const single = world.newEngine();
  for (const [i, { subject: s, permission, scope }] of requests.entries()) {
    expect(decisions[i]).toEqual(await single.check(s, permission, scope));
  }
});

test('effectiveRoles names the tenant and the roles in force', async () => {
  expect(await engine.effectiveRoles(subject('ann'), place('north'))).toEqual({
    tenant: place('north'),
    roles: [id.teacher],
  });
  expect(await engine.effectiveRoles(subject('ann'), 'location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C')).toBeUndefined();
});

test('checkWithRoles returns tenant and roles with an allow, and with a deny no more than check', async () => {
  for (const asked of [world.newEngine(), engine, engine]) {
    expect(await asked.checkWithRoles(subject('ann'), 'grades', place('north'))).toMatchObject({
      decision: { allowed: true, reason: 'role' },
      roles: { tenant: place('north'), roles: [id.teacher] },
    });
    expect(await asked.checkWithRoles(subject('ann'), 'nowhere', place('north'))).toMatchObject({
      decision: { allowed: false, reason: 'permission_unknown' },
      roles: undefined,
    });
  }
});
