import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createEngine } from '../../../engine/index.ts';
import { proveInvariants, type ToProve } from '../../../provisioning/invariants/prove.ts';
import type { Invariant } from '../../../table/invariant.ts';
import { decisionKey, isSameKey } from '../../../table/keys.ts';
import { modelTestSchema } from '../../../testing/model-tests/file.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { type Model, suspend } from './random-worlds.ts';

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
    prove(never, { change: { before: before.reader, people: ['user:ben'], isOfTokens: false } });
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
  const change = { before: before.reader, people: ['user:ann'], isOfTokens: false };
  const { violations } = await prove([{ id: 'd', name: 'd', never: 'desk' }], {
    reader: after.reader,
    change,
  });
  expect(violations).toMatchObject([{ holds: [{ scope: { ref: 'location:north' } }] }]);
});

describe('one rule at a time', () => {
  const FROM = Date.parse('2026-01-15T00:00:00.000Z');
  const TABLE = `
permissions: [pay:create:bill, pay:approve:bill]
scopes:
  acme: { id: acme, type: tenant }
  north: { id: north, type: location, parent: acme }
  south: { id: south, type: location, parent: acme }
roles:
  maker: { id: maker, owner: acme, allowOnly: true, allow: [pay:create:bill] }
  checker: { id: checker, owner: acme, allowOnly: true, allow: [pay:approve:bill] }
  any maker: { id: any-maker, global: true, allow: [pay:create:bill] }
  any checker: { id: any-checker, global: true, allow: [pay:approve:bill] }
  barred: { id: barred, owner: acme, deny: [pay:approve:bill] }
`;
  async function worldOf(more: string) {
    const world = createMemoryWorld([], FROM - 60_000);
    await world.apply(more.includes('scopes:') ? more : TABLE + more);
    return world;
  }
  const proved = (
    { reader }: Pick<typeof world, 'reader'>,
    invariant: Partial<Invariant>,
    root = 'tenant:acme',
  ) => proveInvariants({ reader, root, invariants: [{ id: 'i', name: 'i', ...invariant }], at: FROM });
  /** Who breaks it and from when on, unless from now on. */
  async function broken(more: string, invariant: Partial<Invariant> = FOUR, root?: string) {
    const { violations } = await proved(await worldOf(more), invariant, root);
    return violations
      .flatMap(({ who, from, certain }) =>
        (who.isAnybody ? ['anybody'] : (who.people ?? [])).map((one) =>
          [
            one.replace('user:', ''),
            ...(Date.parse(from) === FROM ? [] : [`from ${from.slice(0, 10)}`]),
            ...(certain ? [] : ['perhaps']),
          ].join(' '),
        ),
      )
      .sort();
  }
  const MAKE = { never: 'pay:create:bill' };
  const makers = (scope: string, more = '') =>
    `groups: { makers: { id: makers, scope: ${scope}, allowOnly: true, roles: [maker] }${more} }`;
  const ISSUER = 'issuer: "https://one.example"';
  const MAPPED = `externalGroups: [{ scope: acme, ${ISSUER}, externalId: m, group: makers }]`;
  const ann = (more: string) => `users: { ann: { id: ann, ${more} } }`;
  const assigned = (...all: readonly string[]) =>
    ann(`assignments: [${all.map((each) => `{ ${each} }`).join(', ')}]`);

  test.each([
    ['who is inactive', ann('status: disabled, grants: { acme: [maker, checker] }'), ['ann']],
    ['who has ended', ann('until: 2025-12-01, grants: { acme: [maker, checker] }'), []],
    [
      'what begins once somebody has ended',
      ann(
        'until: 2026-02-01, grants: { acme: [maker] }, assignments: [{ role: checker, scope: acme, from: 2026-03-01 }]',
      ),
      [],
    ],
    ['what ended', assigned('role: maker, scope: acme', 'role: checker, scope: acme, until: 2026-01-01'), []],
    [
      'the later of two instants, at two scopes',
      assigned(
        'role: maker, scope: north, from: 2026-02-01',
        'role: checker, scope: south, from: 2026-03-01',
      ),
      ['ann from 2026-03-01'],
    ],
    ['what somebody has everywhere', ann('globalRoles: [any maker, any checker]'), ['ann']],
    ['an administrator', ann('admin: true, grants: { acme: [maker, checker] }'), []],
    [
      'what everyone has at one of two scopes',
      `groups: { all: { id: all, scope: north, everyone: true, roles: [checker] } }
${assigned('role: maker, scope: acme')}`,
      ['ann'],
    ],
  ])('%s', async (_, more, wanted) => expect(await broken(more)).toEqual(wanted));

  test('what everyone has at one scope, somebody has not at another', async () => {
    const more = `
groups:
  all: { id: all, scope: north, everyone: true, roles: [checker] }
  finance: { id: finance, scope: north }
users: { ann: { id: ann, groups: [finance], assignments: [{ role: checker, scope: acme, until: 2026-01-01 }] } }`;
    const invariant = { never: 'pay:approve:bill', except: { group: 'finance' } };
    expect(await broken(more, invariant)).toEqual(['anybody']);
  });

  test('what a DENY bars until it ends', async () => {
    const more = assigned(
      'role: maker, scope: acme',
      'role: checker, scope: acme',
      'role: barred, scope: acme, until: 2026-02-28T00:00:00Z',
    );
    const table = (TABLE + more).replace('type: tenant', 'type: tenant, combination: deny-overrides');
    expect(await broken(table)).toEqual(['ann from 2026-02-28']);
    expect(await broken(TABLE + more)).toEqual(['ann']);
  });

  test('what no licence opens', async () => {
    const table = `
permissions: [pay:create:bill]
scopes:
  acc: { id: acc, type: account }
  ent: { id: ent, type: enterprise }
  work: { id: work, type: workstream, parent: acc, enterprise: ent }
roles: { maker: { id: maker, allow: [pay:create:bill] } }
${assigned('role: maker, scope: work')}`;
    expect(await broken(table, MAKE, 'account:acc')).toEqual(['ann']);
  });

  test.each(['subject.properties.floor == "1"', 'subject.id == "ann"', 'true'])(
    'a condition: %s',
    async (when) => {
      const table = `
permissions: [pay:create:bill]
properties: [{ of: "subject:user", name: floor, type: string, source: stored }]
scopes: { acme: { id: acme, type: tenant } }
roles: { maker: { id: maker, allow: [{ permission: pay:create:bill, when: '${when}' }] } }
users: { ann: { id: ann, grants: { acme: [maker] }, properties: { floor: "1" } }, ben: { id: ben, grants: { acme: [maker] }, properties: { floor: "2" } } }`;
      expect(await broken(table, MAKE)).toEqual(['ann perhaps', 'ben perhaps']);
    },
  );

  test('people who differ in properties alone are decided as one', async () => {
    const person = (id: string, floor: string) =>
      `${id}: { id: ${id}, grants: { acme: [maker] }, properties: { floor: "${floor}" } }`;
    const decisionsWith = async (floor: string) => {
      const of = 'properties: [{ of: "subject:user", name: floor, type: string, source: stored }]';
      const world = await worldOf(`${of}\nusers: { ${person('ann', '1')}, ${person('ben', floor)} }`);
      return (await proved(world, FOUR)).decided.decisions;
    };
    expect(await decisionsWith('2')).toBe(await decisionsWith('1'));
  });

  test('a scope in deletion stays closed', async () => {
    const world = await worldOf(assigned('role: maker, scope: north'));
    const north = decisionKey({ type: 'location', id: 'north' });
    const items = world
      .items()
      .map((item) => (isSameKey(item, north) ? { ...item, status: 'deleting' } : item));
    const brokenIn = async (of: typeof world) => (await proved(of, MAKE)).violations.length;
    expect([await brokenIn(world), await brokenIn(createMemoryWorld(items))]).toEqual([1, 0]);
  });

  test.each([
    ['counts, which may go on', 'other', ['user:ann']],
    ['of an excepted group counts with the others', 'silent', []],
  ])('a suspended membership %s', async (_, group, wanted) => {
    const groups = makers('acme', ', silent: { id: silent, scope: acme }, other: { id: other, scope: acme }');
    const world = await worldOf(`${groups}\nusers: { ann: { id: ann, groups: [makers, silent] } }`);
    const users = { ann: { suspended: ['makers', 'silent'] } } as unknown as Model['users'];
    const suspended = createMemoryWorld(suspend(world.items(), { users } as Model));
    const { violations } = await proved(suspended, { ...MAKE, except: { group } });
    expect(violations.flatMap(({ who }) => who.people)).toEqual(wanted);
  });

  test.each([
    ['pay:*:bill', ['ann', 'ben']],
    ['*:*:*', ['ann', 'ben']],
    ['pay:approve:*', ['ben']],
  ])('a pattern: %s', async (never, wanted) => {
    const users =
      'users: { ann: { id: ann, grants: { acme: [maker] } }, ben: { id: ben, grants: { acme: [checker] } } }';
    expect(await broken(users, { never })).toEqual(wanted);
  });

  describe('who is excepted', () => {
    test.each([
      ['everyone', 'groups: { all: { id: all, scope: acme, everyone: true, roles: [maker] } }', 'all', []],
      [
        'a member, at the scope of the group and below',
        `${makers('north')}\nusers: { ann: { id: ann, groups: [makers] } }`,
        'makers',
        [],
      ],
      [
        'a member, but not above',
        `${makers('north')}\nusers: { ann: { id: ann, groups: [makers], grants: { acme: [maker] } }, ben: { id: ben, assignments: [{ role: maker, scope: north }] } }`,
        'makers',
        ['ann', 'ben'],
      ],
      ['whose token names it', `${makers('acme')}\n${MAPPED}`, 'makers', []],
      [
        'whose token names another',
        `${makers('acme', ', silent: { id: silent, scope: acme }')}\n${MAPPED}`,
        'silent',
        ['anybody perhaps'],
      ],
    ])('%s', async (_, more, group, wanted) =>
      expect(await broken(more, { ...MAKE, except: { group } })).toEqual(wanted),
    );
  });

  describe('groups in tokens', () => {
    const checkers = ', checkers: { id: checkers, scope: acme, allowOnly: true, roles: [checker] }';
    const both = (issuer: string) =>
      `externalGroups: [{ scope: acme, ${ISSUER}, externalId: m, group: makers }, { scope: acme, issuer: "${issuer}", externalId: c, group: checkers }]`;
    test.each([
      [
        'of each issuer',
        `${makers('acme', checkers)}
externalGroups: [{ scope: acme, issuer: "https://two.example", externalId: c, group: checkers }, { scope: acme, ${ISSUER}, externalId: m, group: makers }]
users: { ann: { id: ann, grants: { acme: [checker] } }, ben: { id: ben, grants: { acme: [maker] } } }`,
        ['ann perhaps', 'ben perhaps'],
      ],
      [
        'beside what somebody has there',
        `${makers('acme')}\n${MAPPED}\n${assigned('role: checker, scope: acme')}`,
        ['ann perhaps'],
      ],
      [
        'beside what somebody has elsewhere',
        `${makers('north')}\n${MAPPED}\n${assigned('role: checker, scope: south')}`,
        ['ann perhaps'],
      ],
      ['that nobody else has the other half of', `${makers('north')}\n${MAPPED}`, []],
      [
        'two of one issuer',
        `${makers('acme', checkers)}\n${both('https://one.example')}`,
        ['anybody perhaps'],
      ],
      ['two of two issuers', `${makers('acme', checkers)}\n${both('https://two.example')}`, []],
      [
        'that give what somebody has anyhow',
        `${makers('acme')}\n${MAPPED}\nusers: { ann: { id: ann, grants: { acme: [maker, checker] } } }`,
        ['ann'],
      ],
    ])('%s', async (_, more, wanted) => expect(await broken(more)).toEqual(wanted));
  });
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
