import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createEngine } from '../../../engine/index.ts';
import { proveInvariants, type ToProve } from '../../../provisioning/invariants/prove.ts';
import type { Invariant } from '../../../table/invariant.ts';
import { modelTestSchema } from '../../../testing/model-tests/file.ts';
import { createMemoryWorld } from '../../support/world.ts';

/** What is said of a violation, and what counts as open (prove.property.test.ts compares whole worlds). */
const MANIFEST = `
pages: [desk, attic]
modules: { pay: { sold: true } }
permissions: [pay:create:bill, pay:approve:bill]
scopes:
  acme: { id: acme, type: tenant, name: Acme, status: suspended }
  north: { id: north, type: location, parent: acme, name: North }
  other: { id: other, type: tenant }
roles:
  clerk: { id: clerk, owner: acme, allow: [pay:create:bill] }
  chief: { id: chief, owner: acme, allow: [{ permission: "pay:approve:*", when: 'context.method == "PUT"' }] }
  visitor: { id: visitor, allow: [desk] }
  lodger: { id: lodger, allow: [attic] }
groups:
  clerks: { id: clerks, scope: acme, roles: [clerk] }
  all: { id: all, scope: north, everyone: true, roles: [visitor] }
  silent: { id: silent, scope: acme }
users:
  ann: { id: ann, displayName: Ann, groups: [clerks], assignments: [{ role: chief, scope: north, from: 2026-03-01T00:00:00Z }] }
  ben: { id: ben, groups: [clerks, silent], status: disabled }
  cyd: { id: cyd, groups: [clerks] }
  dan: { id: dan, admin: true }
  eve: { id: eve, assignments: [{ role: lodger, scope: other }] }
`;
const FOUR: Invariant = { id: 'four', name: 'four eyes', separate: ['pay:create:bill', 'pay:approve:bill'] };

const world = createMemoryWorld();
beforeAll(async () => {
  await world.apply(MANIFEST);
  world.settle();
});
const prove = (invariants: readonly Invariant[], more: Partial<ToProve> = {}) =>
  proveInvariants({ reader: world.reader, root: 'tenant:acme', invariants, at: world.clock.now(), ...more });

test('who, what, where, through what, on which condition, from when on', async () => {
  const { violations, administrators, unproved } = await prove([FOUR]);
  expect(violations).toMatchObject([
    {
      invariant: 'four',
      who: { subject: { ref: 'user:ann', name: 'Ann' }, people: ['user:ann'] },
      from: '2026-03-01T00:00:00.000Z',
      certain: false,
      holds: [
        { permission: 'pay:create:bill', scope: { ref: 'tenant:acme' }, check: 'scope_inactive' },
        {
          permission: 'pay:approve:bill',
          scope: { ref: 'location:north', name: 'North' },
          through: 'role chief assigned at North from 2026-03-01T00:00:00.000Z, by pay:approve:*',
          conditions: ['context.method == "PUT"'],
        },
      ],
    },
  ]);
  expect([administrators, unproved]).toEqual([['user:dan'], undefined]);
});

test('a model test to paste asks the same', async () => {
  const [violation] = (await prove([FOUR])).violations;
  const { tests } = modelTestSchema.parse(parse(violation?.test ?? ''));
  const at = '2026-03-01T00:00:00.000Z';
  expect(tests).toMatchObject([
    { subject: 'user:ann', permission: 'pay:create:bill', scope: 'tenant:acme', at, expect: 'allow' },
    { subject: 'user:ann', permission: 'pay:approve:bill', scope: 'location:north', at, expect: 'deny' },
  ]);
});

test('who is excepted by a group that carries no roles is told apart from who has the same grants', async () => {
  const never = { id: 'n', name: 'n', never: 'pay:create:bill', except: { group: 'silent' } };
  const { violations } = await prove([never]);
  expect(violations.flatMap(({ who }) => who.people).sort()).toEqual(['user:ann', 'user:cyd']);
});

test('what everyone has is true of anybody, and is shown of somebody who has it', async () => {
  const [violation, ...more] = (await prove([{ id: 'd', name: 'd', never: 'desk' }])).violations;
  expect(violation).toMatchObject({ who: { isAnybody: true }, certain: true });
  expect(more).toEqual([]);
  const clock = { now: () => world.clock.now() };
  const engine = createEngine({ reader: world.reader, clock });
  const ref = violation?.who.subject.ref ?? '';
  expect((await engine.check(ref, 'desk', 'location:north')).reason).not.toBe('subject_unknown');
});

test('what is held in another tenant is no matter', async () => {
  expect((await prove([{ id: 'a', name: 'a', never: 'attic' }])).violations).toEqual([]);
});

test('of a change only what it gives is decided, to some people and to anybody', async () => {
  const never = ['pay:create:bill', 'desk'].map((permission) => ({
    id: permission,
    name: 'n',
    never: permission,
  }));
  const empty = createMemoryWorld();
  const decide = (before: typeof world) =>
    prove(never, { change: { before: before.reader, people: ['user:ben'] } });
  const { violations, administrators } = await decide(empty);
  expect(violations.map(({ who, invariant }) => [invariant, who.isAnybody ?? who.people])).toEqual([
    ['desk', true],
    ['pay:create:bill', ['user:ben']],
    ['desk', ['user:ben']],
  ]);
  expect(administrators).toEqual([]);
  expect((await decide(world)).violations).toEqual([]);
});

test('what ends at a place gives there, though all of it is held above', async () => {
  const of = (deny: string) => `
pages: [desk]
scopes:
  acme: { id: acme, type: tenant, combination: deny-overrides }
  north: { id: north, type: location, parent: acme }
roles: { guest: { id: guest, allow: [desk] }, bar: { id: bar, deny: [desk] } }
users: { ann: { id: ann, assignments: [{ role: guest, scope: acme }${deny}] } }`;
  const [before, after] = [createMemoryWorld(), createMemoryWorld()];
  await before.apply(of(', { role: bar, scope: north }'));
  await after.apply(of(''));
  const change = { before: before.reader, people: ['user:ann'] };
  const { violations } = await prove([{ id: 'd', name: 'd', never: 'desk' }], {
    reader: after.reader,
    change,
  });
  expect(violations).toMatchObject([{ holds: [{ scope: { ref: 'location:north' } }] }]);
});

test.each([
  ['items', /more than 1 items/],
  ['calls', /1 calls/],
  ['people', /more than 1 people/],
  ['decisions', /more than 1 decisions/],
])('beyond the bound of %s nothing is proved', async (bound, message) => {
  const holding = { id: 'h', name: 'h', separate: ['desk', 'pay:approve:bill'], within: 'scope' as const };
  expect((await prove([FOUR, holding], { bounds: { [bound]: 1 } })).unproved).toMatch(message);
});

test('violations beyond the bound are counted', async () => {
  const both = ['a', 'b'].map((id) => ({ id, name: id, never: 'pay:create:bill' }));
  const { violations, moreViolations } = await prove(both, { bounds: { violations: 1 } });
  const all = (await prove(both)).violations.length;
  expect([violations.length, moreViolations]).toEqual([1, all - 1]);
});
