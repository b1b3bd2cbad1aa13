import { describe, expect, test } from 'vitest';
import { decide } from '../../engine/decide.ts';
import type { Reason } from '../../engine/decision.ts';
import { type DecisionInput, NO_GLOBAL } from '../../engine/decision-input.ts';
import type { CheckedPermission } from '../../engine/items.ts';
import type { RoleItem, RoleTable, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import * as fc from '../support/fast-check.ts';
import { scopeItem, subjectItem } from './items.ts';

/** The order of the steps of SPEC section 2, and what no world holds, on decision inputs written by hand. */
const AT = 1_000;
const PLACE = 'location:place';
const ROOT = 'tenant:root';

const SUBJECT = subjectItem({ groups: ['teachers'] });
const own = scopeItem(PLACE, { ancestors: [ROOT], groups: new Map([['teachers', ['teacher']]]) });
const root = scopeItem(ROOT);
const role = (): RoleItem => ({ parent: undefined, patterns: new Map() });
const permissionItem = (allow: readonly string[], deny: readonly string[] = []) => ({
  registered: true,
  module: undefined,
  allow: new Set(allow),
  deny: new Set(deny),
  conditional: new Map(),
  patterns: ['a:b:*', '*:*:*'],
});

const globally = (roles: RoleTable): Pick<DecisionInput, 'global'> => ({
  global: { roles, soldModules: new Set(), declarations: new Map() },
});

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

test('an invalid instant allows nothing', () => {
  expect(decide(SOUND, Number.NaN).allowed).toBe(false);
  expect(decide({ ...SOUND, ...subjectWith({ endsAt: AT }) }, Number.NaN).allowed).toBe(false);
  expect(decide({ ...SOUND, ...subjectWith({ isAdmin: true, endsAt: 0 }) }, Number.NaN).allowed).toBe(false);
});

test('a scope below the root does not choose how effects are combined', () => {
  const strict = { ...own, combination: 'deny-overrides' as const };
  const both = {
    ...subjectWith({ globalRoles: ['banned'] }),
    ...globally(new Map(['teacher', 'banned'].map((id) => [id, role()]))),
    permission: permissionItem(['teacher'], ['banned']),
  };
  expect(reasonOf({ ...both, scopes: [strict, root] })).toBe('role');
});
