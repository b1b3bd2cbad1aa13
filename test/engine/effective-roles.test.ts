import { describe, expect, test } from 'vitest';
import { effectiveRoles, hasGrant, holdingsOf } from '../../engine/effective-roles.ts';
import type { RoleItem } from '../../table/decision/items.ts';
import { scopeItem, subjectItem } from './items.ts';

/** What a subject holds on the path of a scope, and which roles are in force there (step 6 of SPEC section 2). */
const [PLACE, BUILDING, ROOT] = ['zone:place', 'building:b', 'tenant:root'];
const SUBJECT = subjectItem({
  groups: ['teachers', 'elsewhere'],
  globalRoles: ['auditor'],
  grants: new Map([
    [ROOT, ['member']],
    [PLACE, ['in what is no root']],
  ]),
  assignments: new Map([
    [BUILDING, [{ role: 'keeper', start: 10, end: 20 }]],
    ['building:other', [{ role: 'stranger', start: 0, end: 100 }]],
  ]),
});
const place = scopeItem(PLACE, { groups: new Map([['teachers', ['teacher']]]) });
const root = scopeItem(ROOT);
const everywhere = [
  { kind: 'grant', scope: ROOT, role: 'member' },
  { kind: 'global_role', role: 'auditor' },
];

describe('what a subject holds', () => {
  const group = { kind: 'group', group: 'teachers', scope: PLACE, role: 'teacher' };
  const assignment = { kind: 'assignment', scope: BUILDING, role: 'keeper', start: 10, end: 20 };
  test.each([
    ['from a scope up to the root', [place, scopeItem(BUILDING), root], [group, assignment, ...everywhere]],
    ['where a scope is missing', [place, null, root], [group, ...everywhere]],
    ['in a root', [root], everywhere],
    ['is nothing where the root is missing', [place, null], []],
    ['is nothing where there is no scope', [], []],
  ])('%s', (_, scopes, holdings) => {
    expect(holdingsOf(SUBJECT, { scopes })).toEqual(holdings);
  });

  test('is nothing without a subject', () => expect(holdingsOf(null, { scopes: [place, root] })).toEqual([]));
});

describe('whether something is granted to a subject by name', () => {
  const open = scopeItem(PLACE, {
    everyone: 'all',
    groups: new Map([
      ['teachers', ['teacher']],
      ['all', ['guest']],
    ]),
  });
  test.each([
    ['yes: a group', { groups: ['teachers'] }, true],
    ['yes: a grant at the root', { grants: new Map([[ROOT, ['member']]]) }, true],
    ['yes: a global role', { globalRoles: ['auditor'] }, true],
    ['yes: it is an administrator', { isAdmin: true }, true],
    [
      'yes: an assignment that has ended',
      { assignments: new Map([[PLACE, [{ role: 'keeper', start: 0, end: 1 }]]]) },
      true,
    ],
    ['no: only the group of everyone', {}, false],
    ['no: a group elsewhere', { groups: ['elsewhere'] }, false],
    ['no: a grant in another tenant', { grants: new Map([['tenant:other', ['member']]]) }, false],
  ])('%s', (_, subject, expected) => {
    expect(hasGrant(subjectItem(subject), { scopes: [open, root] })).toBe(expected);
  });

  test('no: there is no subject', () => expect(hasGrant(null, { scopes: [open, root] })).toBe(false));
});

describe('effective roles', () => {
  const role = (parent?: string): RoleItem => ({ parent, patterns: new Map() });
  const listed = new Map([
    ['teacher', role('member')],
    ['keeper', role('teacher')],
    ['member', role('staff')],
    ['staff', role()],
  ]);
  const below = { scopes: [scopeItem(BUILDING), scopeItem(ROOT, { roles: listed })] };
  const global = {
    roles: new Map([['auditor', role()]]),
    soldModules: new Set<string>(),
    declarations: new Map(),
  };

  test.each([
    [9, ['member', 'staff', 'auditor']],
    [10, ['keeper', 'teacher', 'member', 'staff', 'auditor']],
    [20, ['member', 'staff', 'auditor']],
  ])('at %i are those in force then with all that they inherit, each once', (at, roles) => {
    expect(effectiveRoles(SUBJECT, { ...below, global }, at)).toEqual(roles);
  });

  test('are only those that the root or everybody lists', () => {
    expect(effectiveRoles(SUBJECT, { scopes: [root], global }, 15)).toEqual(['auditor']);
  });
});
