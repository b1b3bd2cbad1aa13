import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CheckRequest, Engine } from '../../engine/index.ts';
import { createWorld } from '../support/world.ts';

/** What a decision costs, counted in calls, beside what read-budgets.integration.test.ts holds. */
let engine: Engine;
const NOBODY = 'user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const NOWHERE = 'location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const [ann, bob, tenant, nested] = ['user:ann', 'user:bob', 'tenant:school', 'location:nested'];
const [flat, other, closed] = ['location:flat', 'location:other', 'location:closed'];

const world = await createWorld(`
pages: [dashboard, grades]
roles: { teacher: { id: teacher, global: true, allow: [dashboard] } }
scopes:
  School: { id: school, type: tenant }
  Nested: { id: nested, type: location, parent: School }
  Flat: { id: flat, type: location }
  Other: { id: other, type: location }
  Closed: { id: closed, type: location, status: suspended }
users:
  ann: { id: ann, assignments: [{ role: teacher, scope: Flat }, { role: teacher, scope: Nested }] }
  bob: { id: bob, assignments: [{ role: teacher, scope: Flat }, { role: teacher, scope: Nested }] }
`);
beforeEach(() => {
  engine = world.newEngine();
  world.calls.length = 0;
});
afterEach(() => {
  for (const call of world.calls) expect(call).toMatchObject({ operation: 'BatchGetItem', index: undefined });
});

/** Keys of each call since the last time this was asked. */
const cost = () => world.calls.splice(0).map(({ keys }) => keys);

describe('a check', () => {
  test('in a nested scope of which only its own item is cached: one call for all that is missing', async () => {
    await engine.check(NOBODY, 'dashboard', nested);
    cost();
    expect(await engine.check(ann, 'dashboard', nested)).toMatchObject({ allowed: true });
    expect(cost()).toEqual([3]);
  });

  test('of a new permission, the rest cached: one call for its effects, global and owned', async () => {
    await engine.check(ann, 'dashboard', nested);
    cost();
    expect(await engine.check(ann, 'grades', nested)).toMatchObject({ reason: 'no_grant' });
    expect(cost()).toEqual([2]);
  });

  test('in a new scope, the rest cached: one call for a flat one, two for a nested one', async () => {
    await engine.check(ann, 'dashboard', other);
    cost();
    await engine.check(ann, 'dashboard', flat);
    expect(cost()).toEqual([2]);
    await engine.check(ann, 'dashboard', nested);
    expect(cost()).toEqual([2, 2]);
  });
});

describe('a refused check costs no more', () => {
  const cases: readonly (readonly [
    reason: string,
    question: [string, string, string],
    expected: number[],
  ])[] = [
    ['subject_unknown', [NOBODY, 'dashboard', flat], [5]],
    ['subject_unknown', ['nobody', 'dashboard', flat], [4]],
    // A subject may have the type and id of a scope: it is another item.
    ['subject_unknown', [flat, 'dashboard', flat], [5]],
    ['subject_unknown', [NOBODY, 'dashboard', nested], [5]],
    ['scope_unknown', [ann, 'dashboard', NOWHERE], [5]],
    ['scope_unknown', [ann, 'dashboard', 'nowhere'], [3]],
    ['scope_unknown', [ann, 'dashboard', 'location:nowhere'], [5]],
    ['scope_unknown', [ann, 'dashboard', 'location:no/where'], [3]],
    ['scope_unknown', [ann, 'dashboard', ann], [3]],
    ['scope_inactive', [ann, 'dashboard', closed], [5]],
    ['permission_unknown', [ann, 'unheard-of', flat], [5]],
    ['permission_unknown', [ann, '*:*:*', flat], [3]],
    ['no_grant', [ann, 'dashboard', other], [5]],
    ['no_grant', [ann, 'grades', nested], [5, 2]],
    ['subject_unknown', ['nobody', 'a b', 'nowhere'], [1]],
  ];

  test.each(cases)('%s', async (reason, question, expected) => {
    expect(await engine.check(...question)).toEqual({ allowed: false, reason });
    expect(cost()).toEqual(expected);
    const again = await engine.check(...question);
    expect(again).toEqual({ allowed: false, reason });
    expect(cost()).toEqual([]);
  });
});

describe('many checks', () => {
  const requests = (): CheckRequest[] => [
    { subject: ann, permission: 'dashboard', scope: flat },
    { subject: bob, permission: 'dashboard', scope: nested },
    { subject: bob, permission: 'grades', scope: other },
    { subject: 'nobody', permission: 'dashboard', scope: 'nowhere' },
  ];

  test('cost the calls of one, and answer in their order', async () => {
    const { decisions } = await engine.checkMany(requests());
    expect(decisions.map(({ reason }) => reason)).toEqual(['role', 'role', 'no_grant', 'subject_unknown']);
    // Two users, three scopes, two pages, the global roles and what each scope owns; then the tenant's.
    expect(cost()).toEqual([11, 2]);
    await engine.checkMany(requests());
    expect(cost()).toEqual([]);
  });

  test('of more than a hundred keys go out at once, in as few calls as it takes', async () => {
    const users = Array.from(
      { length: 250 },
      (_, n) => `user:01J8Z0E2Z8D2A3J7A7Y2H${String(n).padStart(5, '0')}`,
    );
    const asked = [...users, ann].map((subject) => ({ subject, permission: 'dashboard', scope: flat }));
    const { decisions } = await engine.checkMany(asked);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([...users.map(() => false), true]);
    expect(cost()).toEqual([100, 100, 55]);
  });

  test('of nothing are none', async () => {
    expect(await engine.checkMany([])).toMatchObject({ decisions: [] });
    expect(cost()).toEqual([]);
  });
});

describe('the effective roles', () => {
  test('cost the calls of a check, and none beside one', async () => {
    await engine.effectiveRoles(ann, flat);
    expect(cost()).toEqual([3]);
    const together = world.newEngine();
    await Promise.all([together.check(ann, 'dashboard', flat), together.effectiveRoles(ann, flat)]);
    expect(cost()).toEqual([5]);
  });

  test('cost nothing beside the decision that admits somebody, nested as well', async () => {
    expect(await world.newEngine().checkWithRoles(ann, 'dashboard', nested)).toMatchObject({
      decision: { allowed: true },
      roles: { tenant },
    });
    expect(cost()).toEqual([5, 2]);
  });

  test('cost nothing when all is cached', async () => {
    await engine.check(ann, 'dashboard', nested);
    cost();
    expect(await engine.effectiveRoles(ann, nested)).toMatchObject({ tenant });
    expect(await engine.checkWithRoles(ann, 'dashboard', nested)).toMatchObject({ roles: { tenant } });
    expect(cost()).toEqual([]);
  });
});
