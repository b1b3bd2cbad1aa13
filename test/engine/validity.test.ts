import { describe, expect, test } from 'vitest';
import { credentialUntil, validUntil } from '../../engine/decide.ts';
import type { DecisionInput } from '../../engine/decision-input.ts';
import { holdsAt, nextChange } from '../../engine/validity.ts';
import type { Interval, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { scopeItem, subjectItem } from './items.ts';

/** Until when a decision stays true by time alone: the next instant at which something that it rests on begins or ends. */
const FOREVER = Number.POSITIVE_INFINITY;
const SINCE_EVER = Number.NEGATIVE_INFINITY;

describe('an interval', () => {
  test.each([
    [9, false],
    [10, true],
    [19, true],
    [20, false],
  ])('from 10 to 20 at %i: %s', (at, isIn) => {
    expect(holdsAt({ start: 10, end: 20 }, at)).toBe(isIn);
  });

  test('of an instant that is none holds nothing', () => {
    expect(holdsAt({ start: SINCE_EVER, end: FOREVER }, Number.NaN)).toBe(false);
  });
});

describe('the first instant after another at which an interval begins or ends', () => {
  const intervals = [
    { start: 10, end: 20 },
    { start: 15, end: FOREVER },
    { start: SINCE_EVER, end: 30 },
  ];
  test.each([
    [5, 10],
    [10, 15],
    [14, 15],
    [15, 20],
    [20, 30],
    [30, FOREVER],
    [Number.NaN, SINCE_EVER],
  ])('after %i is %d', (at, next) => {
    expect(nextChange(at, intervals)).toBe(next);
  });

  test('never comes where there is none', () => {
    expect(nextChange(5, [])).toBe(FOREVER);
    expect(nextChange(5, [{ start: SINCE_EVER, end: FOREVER }])).toBe(FOREVER);
  });
});

const AT = 1_000;
const PLACE = 'location:place';
const ROOT = 'tenant:root';

const scope = (ref: string, changes: Partial<ScopeItem> = {}) =>
  scopeItem(ref, { ancestors: ref === ROOT ? [] : [ROOT], ...changes });
const SUBJECT = subjectItem();
const INPUT: DecisionInput = {
  question: { subject: 'user:ann', permission: 'a:b:c', scope: PLACE },
  credential: undefined,
  subject: SUBJECT,
  scopes: [scope(PLACE), scope(ROOT)],
  tokenGroups: [],
  permission: {
    registered: true,
    module: 'a',
    allow: new Set(),
    deny: new Set(),
    conditional: new Map(),
    patterns: [],
  },
  tenantEffects: { allow: new Set(), deny: new Set(), conditional: new Map(), isStored: false },
  global: { roles: new Map(), soldModules: new Set(['a']), declarations: new Map() },
};
const endOf = (changes: Partial<DecisionInput>, at = AT) => {
  const input = { ...INPUT, ...changes };
  return Math.min(validUntil(input, at), credentialUntil(input.credential, at));
};
const subjectWith = (changes: Partial<SubjectItem>) => ({ subject: { ...SUBJECT, ...changes } });
const assigned = (where: string, ...intervals: readonly Interval[]) =>
  subjectWith({
    assignments: new Map([[where, intervals.map((each, n) => ({ role: `role-${n}`, ...each }))]]),
  });
const scopesWith = (own: Partial<ScopeItem>, root: Partial<ScopeItem> = {}) => ({
  scopes: [scope(PLACE, own), scope(ROOT, root)],
});
const from = (start: number): Interval => ({ start, end: FOREVER });
const until = (end: number): Interval => ({ start: SINCE_EVER, end });

describe('a decision is valid', () => {
  test('for ever where nothing begins or ends', () => expect(endOf({})).toBe(FOREVER));

  test.each([PLACE, ROOT])('until an assignment at %s begins or ends', (where) => {
    expect(endOf(assigned(where, from(1_500)))).toBe(1_500);
    expect(endOf(assigned(where, until(1_600)))).toBe(1_600);
    expect(endOf(assigned(where, from(1_500), until(1_400)))).toBe(1_400);
    expect(endOf(assigned(where, { start: 500, end: 900 }))).toBe(FOREVER);
  });

  test('whatever is assigned where it is not asked about', () => {
    expect(endOf(assigned('location:elsewhere', from(1_500)))).toBe(FOREVER);
  });

  test('up to the very instant: at its end it is another decision', () => {
    expect(endOf(assigned(PLACE, { start: 500, end: 1_001 }))).toBe(1_001);
    expect(endOf(assigned(PLACE, { start: 500, end: 1_001 }), 1_001)).toBe(FOREVER);
  });

  test('whatever groups, grants and global roles hold: they neither begin nor end', () => {
    const subject = subjectWith({
      groups: ['group'],
      grants: new Map([[ROOT, ['role']]]),
      globalRoles: ['role'],
    });
    const scopes = [scope(PLACE, { groups: new Map([['group', ['role']]]) }), scope(ROOT)];
    expect(endOf({ ...subject, scopes })).toBe(FOREVER);
  });

  test('until the subject ends', () => {
    expect(endOf(subjectWith({ endsAt: 1_700 }))).toBe(1_700);
    expect(endOf(subjectWith({ endsAt: 900 }))).toBe(FOREVER);
  });

  test('until the credential ends', () => {
    const credential = { subject: 'user:ann', hash: undefined, active: true, endsAt: 1_300 };
    expect(endOf({ credential })).toBe(1_300);
    expect(endOf({ credential: null })).toBe(FOREVER);
  });

  test('until a licence that is needed begins or ends, wherever it stands', () => {
    const licensed = (...intervals: readonly Interval[]) => ({ licenses: new Map([['e', intervals]]) });
    expect(endOf(scopesWith({ enterprise: 'e' }, licensed(until(1_200))))).toBe(1_200);
    expect(endOf(scopesWith({ enterprise: 'e', ...licensed(from(1_100)) }, licensed(until(1_200))))).toBe(
      1_100,
    );
    // Of an enterprise that nothing here is linked to.
    expect(endOf(scopesWith({}, licensed(until(1_200))))).toBe(FOREVER);
    expect(endOf(scopesWith({ enterprise: 'f' }, licensed(until(1_200))))).toBe(FOREVER);
  });

  test('until a subscription to its module begins or ends, where that is sold', () => {
    const subscribed = (module: string, each: Interval) => ({ subscriptions: new Map([[module, [each]]]) });
    expect(endOf(scopesWith(subscribed('a', until(1_200))))).toBe(1_200);
    expect(endOf(scopesWith({}, subscribed('a', from(1_250))))).toBe(1_250);
    expect(endOf(scopesWith(subscribed('b', until(1_200))))).toBe(FOREVER);
    const nothingSold = {
      global: { roles: new Map(), soldModules: new Set<string>(), declarations: new Map() },
    };
    expect(endOf({ ...scopesWith(subscribed('a', until(1_200))), ...nothingSold })).toBe(FOREVER);
  });

  test('as what is above it says, where a scope is missing', () => {
    const entitled = scope(ROOT, {
      enterprise: 'e',
      licenses: new Map([['e', [until(1_200)]]]),
      subscriptions: new Map([['a', [until(1_300)]]]),
    });
    expect(endOf({ scopes: [null, entitled] })).toBe(1_200);
  });

  test('until the first of them', () => {
    const ends = {
      ...assigned(PLACE, until(1_600)),
      ...scopesWith({ subscriptions: new Map([['a', [until(1_400)]]]) }),
      credential: { subject: 'user:ann', hash: undefined, active: true, endsAt: 1_500 },
    };
    expect(endOf(ends)).toBe(1_400);
  });
});
