import { describe, expect, test } from 'vitest';
import { effectiveRoles, hasGrant, holdingsOf } from '../../engine/effective-roles.ts';
import { scopeItem, subjectItem } from './items.ts';

/** What a decision rests on at a place that no world holds, and what is granted by name (step 6 of SPEC section 2). */
const [PLACE, ROOT] = ['zone:place', 'tenant:root'];
const root = scopeItem(ROOT);
const subject = subjectItem({
  globalRoles: ['auditor'],
  grants: new Map([
    [ROOT, ['member']],
    [PLACE, ['in what is no root']],
  ]),
});

describe('what a subject holds', () => {
  const everywhere = [
    { kind: 'grant', scope: ROOT, role: 'member' },
    { kind: 'global_role', role: 'auditor' },
  ];
  test.each([
    ['where a scope is missing', subject, [scopeItem(PLACE), null, root], everywhere],
    ['is nothing where the root is missing', subject, [scopeItem(PLACE), null], []],
    ['is nothing where there is no scope', subject, [], []],
    ['is nothing without a subject', null, [root], []],
  ])('%s', (_, of, scopes, holdings) => {
    expect(holdingsOf(of, { scopes })).toEqual(holdings);
  });
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

test('effective roles are only those that the root or everybody lists, though it holds others', () => {
  const auditor = { parent: undefined, patterns: new Map() };
  const global = {
    roles: new Map([['auditor', auditor]]),
    soldModules: new Set<string>(),
    declarations: new Map(),
  };
  expect(effectiveRoles(subject, { scopes: [root], global }, 0)).toEqual(['auditor']);
});
