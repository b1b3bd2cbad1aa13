import { describe, expect, test } from 'vitest';
import { createLedgerWorld, type Input, NOBODY } from './support.ts';

/** Input that is well formed, but contradicts itself or what it names. Nothing is written for it. */
const [ACME, OFFICE] = ['tenant:acme', 'location:office'];
const [AT_ACME, AT_OFFICE] = [ACME, OFFICE].map((scope) => ({ user: 'ann', scope }));
const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
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

describe('invalid', () => {
  const cases: readonly Case[] = [
    ['a name that folds to one with #', 'tenant.create', { name: 'A\uff03B' }, 'name'],
    ['a name that folds to one too long for a key', 'tenant.create', { name: '\ufdfa'.repeat(128) }, 'name'],
    ['a location under a location', 'location.create', { name: 'x', parent: OFFICE }, 'parent'],
    [
      'a combination below the root',
      'location.create',
      { name: 'x', parent: ACME, combination: 'deny-overrides' },
      'combination',
    ],
    [
      'a combination given later to a scope that is not the root',
      'location.update',
      { id: 'office', combination: 'deny-overrides' },
      'combination',
    ],
    ['a role owned by what is no root', 'role.create', { name: 'x', scope: OFFICE }, 'scope'],
    ['a grant below the root', 'grant.create', { ...AT_OFFICE }, 'scope'],
    ['a grant with a role twice', 'grant.create', { ...AT_ACME, roles: ['any', 'any'] }, 'roles'],
    [
      'a grant with more roles than one write holds',
      'grant.create',
      { ...AT_ACME, roles: Array(21).fill('any') },
      'roles',
    ],
    ['a grant with a foreign role', 'grant.create', { ...AT_ACME, roles: ['foreign'] }, 'roles'],
    ['a foreign role added to a grant', 'grant.update', { id: 'grant', roles: ['foreign'] }, 'roles'],
    ['a grant without a name', 'grant.update', { roles: [] }, 'input'],
    ['a grant with half a name', 'grant.read', { user: 'ann' }, 'input'],
    ['a grant with a name and a half', 'grant.delete', { id: 'grant', user: 'ann' }, 'input'],
    ['a foreign role in a group', 'group-role.create', { group: 'staff', role: 'foreign' }, 'role'],
    ['an assignment of a foreign role', 'assignment.create', { ...AT_OFFICE, role: 'foreign' }, 'role'],
    [
      'an assignment that ends when it starts',
      'assignment.create',
      { ...AT_OFFICE, role: 'any', startsAt: early, endsAt: early },
      'endsAt',
    ],
    [
      'an assignment that starts beyond the calendar',
      'assignment.create',
      { ...AT_OFFICE, role: 'any', startsAt: '9999-12-31T23:59:59-12:00', endsAt: late },
      'startsAt',
    ],
    [
      'an end before the start that is there',
      'assignment.update',
      { ...AT_ACME, role: 'any', endsAt: '2026-01-01T00:00:00Z' },
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
    [
      'a route whose permission names what its path has not',
      'route.update',
      { id: 'route', permission: '{page}' },
      'permission',
    ],
    [
      'a route whose scope names what its path has not',
      'route.update',
      { id: 'route', scope: 'tenant:{tenant}' },
      'scope',
    ],
    [
      'a route of a WebSocket with a path',
      'route.create',
      { ...route, method: 'CONNECT', path: '/live' },
      'path',
    ],
    [
      'a route of AppSync with the name of an operation',
      'route.create',
      { ...route, method: 'GRAPHQL', path: '/Public' },
      'path',
    ],
    [
      'a route with a scope of an unknown type',
      'route.create',
      { ...route, method: 'GET', path: '/x', scope: 'planet:{claim:t}' },
      'scope',
    ],
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
    [
      'a page',
      'role-permission.create',
      { role: 'any', permission: 'nowhere', effect: 'ALLOW' },
      'permission',
    ],
    [
      'a permission',
      'role-permission.create',
      { role: 'any', permission: 'a:b:c', effect: 'DENY' },
      'permission',
    ],
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
    expect(await world.refused(command, input)).toMatchObject({ code: 'not_found', field });
    expect(await world.dataItems()).toEqual(before);
  });
});

test('a grant under an id that another grant has is a conflict over the id', async () => {
  const user = (await world.run('user.create', {})).id;
  expect(await world.refused('grant.create', { id: 'grant', user, scope: ACME })).toMatchObject({
    code: 'conflict',
    field: 'id',
  });
});
