import { describe, expect, test } from 'vitest';
import { decide } from '../../engine/decide.ts';
import type { Reason } from '../../engine/decision.ts';
import { type DecisionInput, NO_GLOBAL } from '../../engine/decision-input.ts';
import type { CheckedPermission } from '../../engine/items.ts';
import type { RoleItem, RoleTable, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import fc from '../support/fast-check.ts';
import { scopeItem, subjectItem } from './items.ts';

/** The steps of SPEC section 2 in order, on decision inputs written by hand. */
const AT = 1_000;
const PLACE = 'location:place';
const ROOT = 'tenant:root';

const SUBJECT = subjectItem({ groups: ['teachers'] });
const own = scopeItem(PLACE, { ancestors: [ROOT], groups: new Map([['teachers', ['teacher']]]) });
const root = scopeItem(ROOT);
const role = (): RoleItem => ({ parent: undefined, patterns: new Map() });
const permissionItem = (allow: readonly string[], deny: readonly string[] = [], registered = true) => ({
  registered,
  module: undefined,
  allow: new Set(allow),
  deny: new Set(deny),
  conditional: new Map(),
  patterns: ['a:b:*', '*:*:*'],
});

function globally(roles: RoleTable, soldModules: readonly string[] = []): Pick<DecisionInput, 'global'> {
  return { global: { roles, soldModules: new Set(soldModules), declarations: new Map() } };
}

/** A teacher at a place, where teachers may: allowed. */
const SOUND: DecisionInput = {
  question: { subject: 'user:ann', permission: 'a:b:c', scope: PLACE },
  credential: undefined,
  subject: SUBJECT,
  scopes: [own, root],
  tokenGroups: [],
  permission: permissionItem(['teacher']),
  tenantEffects: null,
  ...globally(new Map([['teacher', role()]])),
};
const reasonOf = (changes: Partial<DecisionInput>, at = AT): Reason =>
  decide({ ...SOUND, ...changes }, at).reason;
const subjectWith = (changes: Partial<SubjectItem>) => ({ subject: { ...SUBJECT, ...changes } });

test('all steps passed', () => expect(decide(SOUND, AT)).toEqual({ allowed: true, reason: 'role' }));

test('a decision is a shared, frozen object', () => {
  const spoilt = DEFECTS.map(([, spoil]) => decide(spoil(SOUND), AT));
  for (const answer of [decide(SOUND, AT), ...spoilt]) expect(Object.isFrozen(answer)).toBe(true);
});

type Spoil = (input: DecisionInput) => DecisionInput;
const subjectIs =
  (changes: Partial<SubjectItem>): Spoil =>
  (input) => ({ ...input, subject: input.subject && { ...input.subject, ...changes } });
const permissionIs =
  (changes: Partial<CheckedPermission>): Spoil =>
  (input) => ({ ...input, permission: input.permission && { ...input.permission, ...changes } });
/** What the scope is, or the one above it; null: it is missing. */
const scopeIs =
  (which: number, changes: Partial<ScopeItem> | null): Spoil =>
  (input) => ({
    ...input,
    scopes: input.scopes.map((scope, n) =>
      n === which ? scope && changes && { ...scope, ...changes } : scope,
    ),
  });

/** The possible refusals, in the order of the steps. */
const DEFECTS: readonly (readonly [reason: Reason, spoil: Spoil])[] = [
  [
    'credential_refused',
    (input) => ({
      ...input,
      question: { ...input.question, credential: { ref: 'session:s' } },
      credential: null,
    }),
  ],
  ['subject_unknown', (input) => ({ ...input, subject: null })],
  ['subject_inactive', subjectIs({ active: false })],
  ['subject_ended', subjectIs({ endsAt: AT })],
  ['scope_unknown', scopeIs(0, null)],
  ['scope_inactive', scopeIs(0, { active: false })],
  ['scope_unknown', scopeIs(1, null)],
  ['scope_inactive', scopeIs(1, { active: false })],
  ['permission_unknown', (input) => ({ ...input, permission: null })],
  ['permission_unknown', permissionIs({ registered: false })],
  ['admin', subjectIs({ isAdmin: true })],
  [
    'not_subscribed',
    (input) => ({
      ...permissionIs({ module: 'hvac' })(input),
      global: { ...input.global, soldModules: new Set(['hvac']) },
    }),
  ],
  ['not_licensed', scopeIs(0, { enterprise: 'enterprise:e' })],
  ['denied_by_role', permissionIs({ allow: new Set(), deny: new Set(['teacher']) })],
  ['no_grant', (input) => ({ ...input, ...globally(new Map()) })],
];

describe('the order of the steps', () => {
  test.each(DEFECTS.map(([reason, spoil], position) => ({ reason, spoil, position })))(
    'step $position alone: $reason',
    ({ reason, spoil }) => {
      expect(decide(spoil(SOUND), AT)).toEqual({ allowed: reason === 'admin', reason });
    },
  );

  test('of several reasons at once the first one is given', () => {
    // Where two spoil the same thing, what stands further up in the list is put in place last.
    const wrong = fc.subarray([...DEFECTS.keys()].slice(0, -2), { minLength: 1 });
    fc.assert(
      fc.property(wrong, (positions) => {
        const input = [...positions]
          .reverse()
          .reduce((spoilt, position) => DEFECTS[position]?.[1](spoilt) ?? spoilt, SOUND);
        expect(decide(input, AT).reason).toBe(DEFECTS[positions[0] ?? 0]?.[0]);
      }),
    );
  });

  test('an administrator needs no role, but must pass the earlier steps', () => {
    const admin = subjectWith({ isAdmin: true, groups: [] });
    expect(decide({ ...SOUND, ...admin, permission: permissionItem([], ['teacher']) }, AT)).toEqual({
      allowed: true,
      reason: 'admin',
    });
    expect(reasonOf({ ...admin, permission: null })).toBe('permission_unknown');
    expect(reasonOf({ ...admin, scopes: [own, { ...root, active: false }] })).toBe('scope_inactive');
  });
});

test.each<[string, Partial<DecisionInput>]>([
  ['of what holds everywhere', { global: NO_GLOBAL }],
  [
    "of what a tenant's own roles refuse, of which the tenant tells",
    {
      scopes: [own, { ...root, denials: new Set(['a:b:c']) }],
      tenantEffects: { allow: new Set(), deny: new Set(), conditional: new Map(), isStored: false },
    },
  ],
])('without the item %s there is no decision', (_, changes) => {
  expect(() => reasonOf(changes)).toThrow(expect.objectContaining({ code: 'damaged_item' }));
});

test('a valid credential does not change the decision', () => {
  const question = { ...SOUND.question, credential: { ref: 'session:s' } };
  const credential = { subject: 'user:ann', hash: undefined, active: true, endsAt: AT + 1 };
  expect(reasonOf({ question, credential })).toBe('role');
  expect(reasonOf({ question, credential }, AT + 1)).toBe('credential_refused');
});

describe('times', () => {
  test('a subject is valid until its end date', () => {
    expect(reasonOf(subjectWith({ endsAt: AT + 1 }))).toBe('role');
    expect(reasonOf(subjectWith({ endsAt: AT }))).toBe('subject_ended');
  });

  test('an invalid instant allows nothing', () => {
    expect(decide(SOUND, Number.NaN).allowed).toBe(false);
    expect(decide({ ...SOUND, ...subjectWith({ endsAt: AT }) }, Number.NaN).allowed).toBe(false);
    expect(decide({ ...SOUND, ...subjectWith({ isAdmin: true, endsAt: 0 }) }, Number.NaN).allowed).toBe(
      false,
    );
  });

  test.each([
    ['before its start', 1_001, 2_000, 'no_grant'],
    ['at its start', 1_000, 2_000, 'role'],
    ['before its end', 0, 1_001, 'role'],
    ['at its end', 0, 1_000, 'no_grant'],
    ['turned round', 2_000, 0, 'no_grant'],
  ])('an assignment %s', (_what, start, end, reason) => {
    const assignments = new Map([[PLACE, [{ role: 'teacher', start, end }]]]);
    expect(reasonOf(subjectWith({ groups: [], assignments }))).toBe(reason);
  });
});

describe('entitlements', () => {
  const sold = {
    permission: { ...permissionItem(['teacher']), module: 'hvac' },
    ...globally(new Map([['teacher', role()]]), ['hvac']),
  };
  const withSubscription = (item: ScopeItem, module: string, start: number, end: number) => ({
    ...item,
    subscriptions: new Map([[module, [{ start, end }]]]),
  });

  test.each([
    ['at the scope', [withSubscription(own, 'hvac', 0, AT + 1), root], 'role'],
    ['above it', [own, withSubscription(root, 'hvac', AT, AT + 1)], 'role'],
    ['to another module', [withSubscription(own, 'lifts', 0, AT + 1), root], 'not_subscribed'],
    ['that has just ended', [withSubscription(own, 'hvac', 0, AT), root], 'not_subscribed'],
    ['that has not begun', [withSubscription(own, 'hvac', AT + 1, AT + 2), root], 'not_subscribed'],
    ['nowhere', [own, root], 'not_subscribed'],
  ])('a subscription %s', (_what, scopes, reason) => {
    expect(reasonOf({ ...sold, scopes })).toBe(reason);
  });

  test('a module that is not sold, and a page without a module, need no subscription', () => {
    expect(reasonOf({ ...sold, ...globally(new Map([['teacher', role()]]), ['lifts']) })).toBe('role');
    expect(reasonOf({ ...sold, permission: permissionItem(['teacher']) })).toBe('role');
  });

  const enterprise = 'enterprise:e';
  const linked = { ...own, enterprise };
  const withLicense = (name: string, start: number, end: number) => ({
    ...root,
    licenses: new Map([[name, [{ start, end }]]]),
  });
  test.each([
    ['for its enterprise', withLicense(enterprise, 0, AT + 1), 'role'],
    ['for another enterprise', withLicense('enterprise:f', 0, AT + 1), 'not_licensed'],
    ['that has just ended', withLicense(enterprise, 0, AT), 'not_licensed'],
    ['that has not begun', withLicense(enterprise, AT + 1, AT + 2), 'not_licensed'],
  ])('a workstream whose account has a licence %s', (_what, account, reason) => {
    expect(reasonOf({ scopes: [linked, account] })).toBe(reason);
  });

  test.each([1, 2])('a scope %i below a workstream needs the licence of the workstream', (levels) => {
    const below = Array.from({ length: levels }, () => own);
    const scopes = (account: ScopeItem) => [...below, linked, account];
    expect(reasonOf({ scopes: scopes(withLicense(enterprise, 0, AT + 1)) })).toBe('role');
    expect(reasonOf({ scopes: scopes(withLicense('enterprise:f', 0, AT + 1)) })).toBe('not_licensed');
    expect(reasonOf({ scopes: scopes(root) })).toBe('not_licensed');
  });

  test('an administrator needs neither', () => {
    expect(reasonOf({ ...sold, scopes: [linked, root], ...subjectWith({ isAdmin: true }) })).toBe('admin');
  });
});

describe('combination', () => {
  const both = permissionItem(['teacher'], ['banned']);
  const banned = subjectWith({ globalRoles: ['banned'] });
  const roles = new Map([
    ['teacher', role()],
    ['banned', role()],
  ]);
  const strict = [
    { ...own, combination: 'allow-overrides' as const },
    scopeItem(ROOT, { combination: 'deny-overrides' }),
  ];

  test.each([1, 2, 3])('the root chooses it, of %i scopes', (depth) => {
    const top = scopeItem(ROOT, { combination: 'deny-overrides' });
    const scopes = [...Array<ScopeItem>(depth - 1).fill(own), top];
    const teacherWhoIsBanned = subjectWith({ globalRoles: ['teacher', 'banned'] });
    expect(reasonOf({ ...teacherWhoIsBanned, ...globally(roles), permission: both, scopes })).toBe(
      'denied_by_role',
    );
  });

  test('the root chooses it, for all below', () => {
    expect(reasonOf({ ...banned, ...globally(roles), permission: both })).toBe('role');
    expect(reasonOf({ ...banned, ...globally(roles), permission: both, scopes: strict })).toBe(
      'denied_by_role',
    );
    const strictPlace = { ...own, combination: 'deny-overrides' as const };
    expect(reasonOf({ ...banned, ...globally(roles), permission: both, scopes: [strictPlace, root] })).toBe(
      'role',
    );
  });
});
