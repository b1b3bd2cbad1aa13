import { describe, expect, test } from 'vitest';
import { createExplainer, type Reason } from '../../engine/index.ts';
import { assignmentAttribute } from '../../table/decision/attributes.ts';
import { entryChanges } from '../../table/decision/entries.ts';
import { stamped } from '../../table/decision/writes.ts';
import { decisionKey } from '../../table/keys.ts';
import { applyOn } from '../provisioning/apply/support.ts';
import { createWorld } from '../support/world.ts';

/** SPEC section 2, step by step: one table of cases, asked in every way in which a decision can be asked for. */
const MANIFEST = `
pages: [dashboard, grades, forbidden, looks-like-an-id]
permissions: ["reports:read:monthly"]
scopes:
  north: { id: north, type: location }
  south: { id: south, type: location }
  strict: { id: strict, type: location, combination: deny-overrides }
  closed: { id: closed, type: location, status: suspended }
  flow: { id: flow, type: tenant }
  below: { id: below, type: location, parent: flow }
  shut: { id: shut, type: tenant, status: suspended }
  in-shut: { id: in-shut, type: location, parent: shut }
roles:
  teacher: { id: teacher, global: true, allow: [dashboard, grades] }
  banned: { id: banned, deny: [grades] }
  middle: { id: middle, parent: teacher }
  leaf: { id: leaf, owner: flow, parent: middle }
  turned: { id: turned, allow: [grades] }
  action: { id: action, allow: ["reports:read:*"] }
  resource: { id: resource, allow: ["reports:*:monthly"] }
  module: { id: module, allow: ["reports:*:*"] }
  all: { id: all, allow: ["*:*:*"] }
groups:
  teachers: { id: teachers, scope: north, roles: [teacher] }
  strict-teachers: { id: strict-teachers, scope: strict, roles: [teacher] }
  shut-teachers: { id: shut-teachers, scope: in-shut, roles: [teacher] }
users:
  ann: { id: ann, groups: [teachers, strict-teachers, shut-teachers] }
  off: { id: off, status: disabled, groups: [teachers] }
  ends: { id: ends, until: "2026-01-31", groups: [teachers] }
  boss: { id: boss, admin: true }
  dated: { id: dated, assignments: [{ role: teacher, scope: south, from: 2026-03-01, until: 2026-03-31 }] }
  above: { id: above, assignments: [{ role: teacher, scope: flow }] }
  under: { id: under, assignments: [{ role: teacher, scope: below }] }
  granted: { id: granted, grants: { flow: [teacher], south: [] } }
  global: { id: global, globalRoles: [teacher] }
  heir: { id: heir, assignments: [{ role: leaf, scope: flow }] }
  mixed: { id: mixed, groups: [teachers, strict-teachers], assignments: [{ role: banned, scope: north }, { role: banned, scope: strict }, { role: banned, scope: south }] }
  turned: { id: turned, assignments: [{ role: turned, scope: north }] }
  action: { id: action, assignments: [{ role: action, scope: north }] }
  resource: { id: resource, assignments: [{ role: resource, scope: north }] }
  module: { id: module, assignments: [{ role: module, scope: north }] }
  all: { id: all, assignments: [{ role: all, scope: north }] }
`;

type Case = [subject: string, permission: string, scope: string, reason: Reason, at?: string];
const NORTH = 'location:north';
const SOUTH = 'location:south';
const STRICT = 'location:strict';

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'step 1: the subject exists and is active, to the millisecond': [
    ['user:nobody', 'dashboard', NORTH, 'subject_unknown'],
    ['user:off', 'dashboard', NORTH, 'subject_inactive'],
    ['user:ends', 'dashboard', NORTH, 'role', '2026-01-31T23:59:59.999Z'],
    ['user:ends', 'dashboard', NORTH, 'subject_ended', '2026-02-01T00:00:00.000Z'],
  ],
  'step 2: the scope and all above it exist and are active; pages and users are no scopes': [
    ['user:ann', 'dashboard', 'location:nowhere', 'scope_unknown'],
    ['user:ann', 'dashboard', 'location:closed', 'scope_inactive'],
    ['user:ann', 'dashboard', 'location:in-shut', 'scope_inactive'],
    ['user:ann', 'dashboard', 'page:looks-like-an-id', 'scope_unknown'],
    ['user:ann', 'dashboard', 'user:ann', 'scope_unknown'],
  ],
  'step 3: the permission is registered, for an administrator too': [
    ...['nowhere', '*:*:*', 'reports:*:*', 'a:b', 'reports:read:yearly', 'dash#board'].map(
      (permission): Case => ['user:boss', permission, NORTH, 'permission_unknown'],
    ),
  ],
  'step 4: an administrator is allowed everywhere': [['user:boss', 'forbidden', SOUTH, 'admin']],
  'step 6: a group counts at its own location and nowhere else': [
    ['user:ann', 'dashboard', NORTH, 'role'],
    ['user:ann', 'dashboard', SOUTH, 'no_grant'],
  ],
  'step 6: an assignment counts from its start until before its end, there and below': [
    ['user:dated', 'dashboard', SOUTH, 'no_grant', '2026-02-28T23:59:59.999Z'],
    ['user:dated', 'dashboard', SOUTH, 'role', '2026-03-01T00:00:00.000Z'],
    ['user:dated', 'dashboard', SOUTH, 'role', '2026-03-31T23:59:59.999Z'],
    ['user:dated', 'dashboard', SOUTH, 'no_grant', '2026-04-01T00:00:00.000Z'],
    ['user:above', 'dashboard', 'location:below', 'role'],
    ['user:under', 'dashboard', 'tenant:flow', 'no_grant'],
  ],
  'step 6: the roles of a grant count in its tenant, global roles everywhere': [
    ['user:granted', 'dashboard', 'tenant:flow', 'role'],
    ['user:granted', 'dashboard', 'location:below', 'role'],
    ['user:granted', 'dashboard', SOUTH, 'no_grant'],
    ['user:global', 'dashboard', SOUTH, 'role'],
  ],
  'step 6: a role has what it inherits, through several levels and across owners': [
    ['user:heir', 'dashboard', 'tenant:flow', 'role'],
    ['user:heir', 'forbidden', 'tenant:flow', 'no_grant'],
  ],
  'step 7: a pattern covers what it names, and no page but by *:*:*': [
    ...['action', 'resource', 'module', 'all'].map(
      (name): Case => [`user:${name}`, 'reports:read:monthly', NORTH, 'role'],
    ),
    ['user:module', 'dashboard', NORTH, 'no_grant'],
    ['user:all', 'dashboard', NORTH, 'role'],
    ['user:ann', 'reports:read:monthly', NORTH, 'no_grant'],
  ],
  'steps 8 and 9: one ALLOW is enough beside a DENY, unless the tenant says that one DENY refuses': [
    ['user:mixed', 'grades', NORTH, 'role'],
    ['user:mixed', 'grades', STRICT, 'denied_by_role'],
    ['user:mixed', 'dashboard', STRICT, 'role'],
    ['user:ann', 'grades', STRICT, 'role'],
    // A DENY alone has another reason than no effect.
    ['user:mixed', 'grades', SOUTH, 'denied_by_role'],
    ['user:mixed', 'dashboard', SOUTH, 'no_grant'],
  ],
};

const world = await createWorld();
await applyOn(world, MANIFEST);
world.settle();
const instant = (at?: string) => (at === undefined ? {} : { at: Date.parse(at) });

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  test.each(cases)('%s, %s, %s: %s %s', async (subject, permission, scope, reason, at) => {
    const decision = { allowed: ['role', 'admin'].includes(reason), reason };
    const engine = world.newEngine();
    expect(await engine.check(subject, permission, scope, instant(at))).toEqual(decision);
    const strong = { ...instant(at), consistency: 'strong' } as const;
    expect(await engine.check(subject, permission, scope, strong)).toEqual(decision);
    const { roles, ...answer } = await engine.checkWithRoles(subject, permission, scope, instant(at));
    expect(answer.decision).toEqual(decision);
    // With a deny it says no more than `check`.
    expect(roles !== undefined).toBe(decision.allowed);
    const explained = await createExplainer(world).explain(subject, permission, scope, instant(at));
    expect(explained).toMatchObject(decision);
  });
});

test('checkMany answers each as check does, in one read', async () => {
  const cases = Object.values(CASES)
    .flat()
    .filter(([, , , , at]) => at === undefined)
    .slice(0, 15);
  world.calls.length = 0;
  const { decisions } = await world
    .newEngine()
    .checkMany(cases.map(([subject, permission, scope]) => ({ subject, permission, scope })));
  expect(decisions.map(({ reason }) => reason)).toEqual(cases.map(([, , , reason]) => reason));
  expect(new Set(world.calls.map(({ operation }) => operation))).toEqual(new Set(['BatchGetItem']));
});

test.each(['ann', 'user:', 'user:-1', 'user:01J#META'])(
  'a name that no subject can have is refused, and no key is made of it: %j',
  async (name) => {
    world.calls.length = 0;
    expect((await world.newEngine().check(name, 'dashboard', NORTH)).reason).toBe('subject_unknown');
    // Scope, permission, the effects of the scope's own roles and the global roles: no subject.
    expect(world.calls.map(({ keys }) => keys)).toEqual([4]);
  },
);

test.each<[string, object, Case, Reason]>([
  [
    'user.update',
    { id: 'off', status: 'active' },
    ['user:off', 'dashboard', NORTH, 'subject_inactive'],
    'role',
  ],
  ['admin.delete', { user: 'boss' }, ['user:boss', 'forbidden', SOUTH, 'admin'], 'no_grant'],
  [
    'membership.delete',
    { user: 'ann', group: 'teachers' },
    ['user:ann', 'dashboard', NORTH, 'role'],
    'no_grant',
  ],
  [
    'grant.update',
    { user: 'granted', scope: 'tenant:flow', roles: [] },
    ['user:granted', 'dashboard', 'tenant:flow', 'role'],
    'no_grant',
  ],
  [
    'role.update',
    { id: 'middle', parent: null },
    ['user:heir', 'dashboard', 'tenant:flow', 'role'],
    'no_grant',
  ],
  [
    'role-permission.update',
    { role: 'turned', permission: 'grades', effect: 'DENY' },
    ['user:turned', 'grades', NORTH, 'role'],
    'denied_by_role',
  ],
  [
    'role-permission.delete',
    { role: 'turned', permission: 'grades' },
    ['user:turned', 'grades', NORTH, 'denied_by_role'],
    'no_grant',
  ],
  [
    'tenant.update',
    { id: 'flow', status: 'suspended' },
    ['user:under', 'dashboard', 'location:below', 'role'],
    'scope_inactive',
  ],
])('%s %j counts at once', async (command, input, [subject, permission, scope, before], after) => {
  const reason = async () => (await world.newEngine().check(subject, permission, scope)).reason;
  expect(await reason()).toBe(before);
  await world.run(command, { ...input });
  expect(await reason()).toBe(after);
});

test('a role owned by a tenant counts in that tenant only, whatever is written elsewhere', async () => {
  const { run } = world;
  for (const id of ['own', 'other']) await run('tenant.create', { id, name: id });
  await run('role.create', { id: 'clerk', name: 'clerk', scope: 'tenant:own' });
  await run('role-permission.create', { role: 'clerk', permission: 'dashboard', effect: 'ALLOW' });
  await run('user.create', { id: 'bob' });
  await run('assignment.create', { user: 'bob', role: 'clerk', scope: 'tenant:own' });
  expect((await world.newEngine().check('user:bob', 'dashboard', 'tenant:own')).reason).toBe('role');
  const astray = { user: 'bob', role: 'clerk', scope: 'tenant:other' };
  expect(await world.refused('assignment.create', astray)).toMatchObject({ field: 'role' });
  // Even an edge that was written behind provisioning's back does not make it count.
  const at = decisionKey({ type: 'user', id: 'bob' });
  const entry = { at, attribute: assignmentAttribute('tenant:other', 'clerk'), value: '/' };
  await world.writer.send(stamped(entryChanges([], [entry]), { writtenAt: 1, writeId: 'astray' }));
  expect((await world.newEngine().check('user:bob', 'dashboard', 'tenant:other')).reason).toBe('no_grant');
});

test('effectiveRoles and checkWithRoles name the tenant and the roles in force, cached too', async () => {
  const engine = world.newEngine();
  const roles = { tenant: STRICT, roles: ['teacher'] };
  expect(await engine.effectiveRoles('user:ann', STRICT)).toEqual(roles);
  expect(await engine.effectiveRoles('user:ann', 'location:nowhere')).toBeUndefined();
  for (const _ of ['read', 'cached'])
    expect(await engine.checkWithRoles('user:ann', 'grades', STRICT)).toMatchObject({ roles });
});
