import { describe, expect, test } from 'vitest';
import { createLedgerWorld, type Input, NOBODY } from './support.ts';

/** Input that is well formed, but contradicts itself or what it names. Nothing is written for it. */
const [ACME, OFFICE] = ['tenant:acme', 'location:office'];
const [AT_ACME, AT_OFFICE] = [ACME, OFFICE].map((scope) => ({ user: 'ann', scope }));
const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
const NEVER = '9999-12-31T23:59:59-12:00';
const ANY = { ...AT_OFFICE, role: 'any', startsAt: early, endsAt: late };
const X_AT_ACME = { name: 'x', parent: ACME };
const OVERRIDING = { combination: 'deny-overrides' };
const route = { permission: 'p', scope: 'tenant:{claim:t}' };

const world = await createLedgerWorld();
await world.apply(`
scopes:
  Acme: { id: acme, type: tenant }
  Zenith: { id: zenith, type: tenant }
  Office: { id: office, type: location, parent: Acme }
roles:
  global: { id: global, global: true }
  any: { id: any }
  own: { id: own, owner: Acme }
  foreign: { id: foreign, owner: Zenith }
groups: { staff: { id: staff, scope: Office } }
users: { ann: { id: ann } }
`);
await world.run('assignment.create', { ...AT_ACME, role: 'any', startsAt: early });
await world.run('grant.create', { id: 'grant', user: 'ann', scope: ACME });
await world.run('route.create', { ...route, id: 'route', method: 'GET', path: '/files/{file}' });

type Case = readonly [why: string, command: string, input: Input, field: string];
async function expectRefused(code: string, [, command, input, field]: Case): Promise<void> {
  const count = world.transactions.length;
  expect(await world.refused(command, input)).toMatchObject({ code, field, retryable: false });
  expect(world.transactions.length).toBe(count);
}

const changed = (changes: Input) => ['route.update', { id: 'route', ...changes }] as const;
const routed = (more: Input) => ['route.create', { ...route, method: 'GET', path: '/x', ...more }] as const;
const effect = (permission: string) =>
  ['role-permission.create', { role: 'any', permission, effect: 'DENY' }] as const;

const stated = (said: Input) => ['invariant.create', { scope: ACME, name: 'x', ...said }] as const;
const PARTED = ['a:*:*', 'b:*:*'];

describe('invalid', () => {
  const cases: readonly Case[] = [
    ['an invariant that says nothing', ...stated({}), 'separate'],
    ['an invariant that says two things', ...stated({ separate: PARTED, never: 'a:*:*' }), 'separate'],
    ['one of never within a scope', ...stated({ never: 'a:*:*', within: 'scope' }), 'separate'],
    [
      'one of separate with an exception',
      ...stated({ separate: PARTED, except: { group: 'staff' } }),
      'separate',
    ],
    ['a name that folds to one with #', 'tenant.create', { name: 'A\uff03B' }, 'name'],
    ['a name that folds to one too long for a key', 'tenant.create', { name: '\ufdfa'.repeat(128) }, 'name'],
    ['a location under a location', 'location.create', { name: 'x', parent: OFFICE }, 'parent'],
    ['a combination below the root', 'location.create', { ...X_AT_ACME, ...OVERRIDING }, 'combination'],
    ['one that is given later', 'location.update', { id: 'office', ...OVERRIDING }, 'combination'],
    ['a role owned by what is no root', 'role.create', { name: 'x', scope: OFFICE }, 'scope'],
    ['a grant below the root', 'grant.create', { ...AT_OFFICE }, 'scope'],
    ['a grant with a role twice', 'grant.create', { ...AT_ACME, roles: ['any', 'any'] }, 'roles'],
    ['a grant with too many roles', 'grant.create', { ...AT_ACME, roles: Array(21).fill('any') }, 'roles'],
    ['a grant with a foreign role', 'grant.create', { ...AT_ACME, roles: ['foreign'] }, 'roles'],
    ['a foreign role added to a grant', 'grant.update', { id: 'grant', roles: ['foreign'] }, 'roles'],
    ['a grant without a name', 'grant.update', { roles: [] }, 'input'],
    ['a grant with half a name', 'grant.read', { user: 'ann' }, 'input'],
    ['a grant with a name and a half', 'grant.delete', { id: 'grant', user: 'ann' }, 'input'],
    ['a foreign role in a group', 'group-role.create', { group: 'staff', role: 'foreign' }, 'role'],
    ['an assignment of a foreign role', 'assignment.create', { ...AT_OFFICE, role: 'foreign' }, 'role'],
    ['an assignment that ends when it starts', 'assignment.create', { ...ANY, endsAt: early }, 'endsAt'],
    ['one that starts beyond the calendar', 'assignment.create', { ...ANY, startsAt: NEVER }, 'startsAt'],
    [
      'an end before the start',
      'assignment.update',
      { ...AT_ACME, role: 'any', endsAt: '2026-01-01' },
      'endsAt',
    ],
    ['a role for any tenant held everywhere', 'global-role.create', { user: 'ann', role: 'any' }, 'role'],
    ['a role of a tenant held everywhere', 'global-role.create', { user: 'ann', role: 'own' }, 'role'],
    ['an update of nothing', 'user.update', { id: 'ann' }, 'input'],
    ['an update of an edge of nothing', 'assignment.update', { ...AT_ACME, role: 'any' }, 'input'],
    ['a change of what is fixed', 'role.update', { id: 'own', scope: 'global' }, 'scope'],
    ['a thing by two names', 'user.read', { id: 'ann', email: 'ann@example.com' }, 'input'],
    ['a thing by no name', 'user.read', {}, 'input'],
    ['a list by nothing', 'membership.list', {}, 'user'],
    ['a list by two things', 'membership.list', { user: 'ann', group: 'staff' }, 'user'],
    ['a grant list by two things', 'grant.list', { ...AT_ACME }, 'user'],
    ['a permission from what a path has not', ...changed({ permission: '{page}' }), 'permission'],
    ['a scope from what a path has not', ...changed({ scope: 'tenant:{tenant}' }), 'scope'],
    ['a route of a WebSocket with a path', ...routed({ method: 'CONNECT', path: '/live' }), 'path'],
    ['a route of AppSync with an operation', ...routed({ method: 'GRAPHQL', path: '/Public' }), 'path'],
    ['a route with a scope of an unknown type', ...routed({ scope: 'planet:{claim:t}' }), 'scope'],
  ];
  test.each(cases)('%s', async (...one) => expectRefused('invalid', one));
});

describe('not found', () => {
  const nobody = `tenant:${NOBODY}`;
  const cases: readonly Case[] = [
    ['a parent', 'location.create', { name: 'x', parent: nobody }, 'parent'],
    ['the scope of a group', 'group.create', { name: 'x', scope: nobody }, 'scope'],
    ['the owner of a role', 'role.create', { name: 'x', scope: nobody }, 'scope'],
    ['the parent of a role', 'role.create', { name: 'x', scope: 'global', parent: NOBODY }, 'parent'],
    ['the group of a membership', 'membership.create', { user: 'ann', group: NOBODY }, 'group'],
    ['the role of a group', 'group-role.create', { group: 'staff', role: NOBODY }, 'role'],
    ['the group of a role', 'group-role.create', { group: NOBODY, role: 'any' }, 'group'],
    ['a page', ...effect('nowhere'), 'permission'],
    ['a permission', ...effect('a:b:c'), 'permission'],
    ['the role of an assignment', 'assignment.create', { ...AT_ACME, role: NOBODY }, 'role'],
    ['the role of a grant', 'grant.create', { ...AT_ACME, roles: [NOBODY] }, 'roles'],
    ['a global role', 'global-role.create', { user: 'ann', role: NOBODY }, 'role'],
    ['a user by e-mail', 'user.read', { email: 'nobody@example.com' }, 'email'],
    ['a tenant by name', 'tenant.read', { name: 'Nobody' }, 'name'],
  ];
  test.each(cases)('%s', async (...one) => expectRefused('not_found', one));

  /** These are found out by the conditions of the write itself. */
  const byCondition: readonly Case[] = [
    ['the user of a membership', 'membership.create', { user: NOBODY, group: 'staff' }, 'user'],
    ['the user of an assignment', 'assignment.create', { user: NOBODY, scope: ACME, role: 'any' }, 'user'],
    ['the user of a grant', 'grant.create', { user: NOBODY, scope: ACME }, 'user'],
    ['the user of a global role', 'global-role.create', { user: NOBODY, role: 'global' }, 'user'],
    ['an administrator', 'admin.create', { user: NOBODY }, 'user'],
  ];
  test.each(byCondition)('%s', async (_, command, input, field) => {
    const before = await world.dataItems();
    expect(await world.outcome(command, input)).toBe(`not_found ${field}`);
    expect(await world.dataItems()).toEqual(before);
  });
});

test('a grant under an id that another grant has is a conflict over the id', async () => {
  const user = (await world.run('user.create', {})).id;
  expect(await world.outcome('grant.create', { id: 'grant', user, scope: ACME })).toBe('conflict id');
});
