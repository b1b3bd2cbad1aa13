import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createEngine } from '../../../engine/index.ts';
import { proveInvariants, type ToProve } from '../../../provisioning/invariants/prove.ts';
import type { Invariant } from '../../../table/invariant.ts';
import { decisionKey, GLOBAL, invariantsKey, isSameKey } from '../../../table/keys.ts';
import type { Action } from '../../../table/write/action.ts';
import { modelTestSchema } from '../../../testing/model-tests/file.ts';
import { gatehouse } from '../../cli/support.ts';
import { copyOf, createMemoryWorld } from '../../support/world.ts';
import { type Model, suspend } from './random-worlds.ts';

/** What is said of a violation, and what counts as open (prove.property.integration.test.ts compares whole worlds). */
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

const [OF_ALL, OF_ACME] = [invariantsKey(GLOBAL), invariantsKey({ type: 'tenant', id: 'acme' })];

test.each<[Action, string]>([
  [{ kind: 'delete', key: OF_ALL }, 'HOLDS   '],
  [{ kind: 'update', key: OF_ALL, takeOut: { rootsWithInvariants: new Set(['tenant:acme']) } }, 'UNPROVED'],
  [{ kind: 'delete', key: OF_ACME }, 'UNPROVED'],
  [{ kind: 'update', key: OF_ACME, remove: ['invariant|holding'] }, 'UNPROVED'],
])(
  'the command proves an invariant that commands keep, should items be damaged: %j',
  async (damage, said) => {
    const damaged = copyOf(world);
    await damaged.run('invariant.create', { scope: 'tenant:acme', ...FOUR });
    const closed = { name: 'closed', never: 'attic' };
    await damaged.run('invariant.create', { scope: 'tenant:acme', id: 'holding', ...closed });
    await damaged.run('invariant.create', { scope: 'tenant:other', ...closed });
    await damaged.writer.send([damage]);
    for (const more of [[], ['--tenant', 'Acme']]) {
      const asked = { env: { TABLE_NAME: damaged.table }, now: damaged.clock.now };
      const { code, out } = await gatehouse(['prove', ...more], asked);
      expect([code, out]).toEqual([1, expect.stringContaining('VIOLATED  four eyes')]);
      expect(out).toContain(`${said}  closed`);
    }
  },
);

/** What the worlds of prove.property.integration.test.ts have not, or not often enough. */
describe('one rule at a time', () => {
  const FROM = Date.parse('2026-01-15T00:00:00.000Z');
  const TABLE = `
permissions: [pay:create:bill, pay:approve:bill]
properties: [{ of: "subject:user", name: floor, type: string, source: stored }]
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
  /** Who breaks it and from when on, unless from now on. */
  async function proved(
    { reader }: Pick<typeof world, 'reader'>,
    of: Partial<Invariant>,
    root = 'tenant:acme',
  ) {
    const invariants = [{ id: 'i', name: 'i', ...of }];
    const { violations, decided } = await proveInvariants({ reader, root, invariants, at: FROM });
    const broken = violations.flatMap(({ who, from, certain }) =>
      (who.isAnybody ? ['anybody'] : (who.people ?? [])).map((one) =>
        [
          one.replace('user:', ''),
          ...(Date.parse(from) === FROM ? [] : [`from ${from.slice(0, 10)}`]),
          ...(certain ? [] : ['perhaps']),
        ].join(' '),
      ),
    );
    return { broken: broken.sort(), decisions: decided.decisions };
  }
  const broken = async (more: string, of: Partial<Invariant> = FOUR, root?: string) =>
    (await proved(await worldOf(more), of, root)).broken;

  const MAKE = { never: 'pay:create:bill' };
  const but = (group: string) => ({ ...MAKE, except: { group } });
  const makers = (scope: string, more = '') =>
    `groups: { makers: { id: makers, scope: ${scope}, allowOnly: true, roles: [maker] }${more} }`;
  const CHECKERS = ', checkers: { id: checkers, scope: acme, allowOnly: true, roles: [checker] }';
  const SILENT = ', silent: { id: silent, scope: acme }';
  const [ONE, TWO] = ['https://one.example', 'https://two.example'];
  const mapped = (makersBy = ONE, checkersBy?: string) =>
    `externalGroups: [{ scope: acme, issuer: "${makersBy}", externalId: m, group: makers }${
      checkersBy ? `, { scope: acme, issuer: "${checkersBy}", externalId: c, group: checkers }` : ''
    }]`;
  const person = (id: string, more: string) => `${id}: { id: ${id}, ${more} }`;
  const ann = (more: string) => `users: { ${person('ann', more)} }`;
  const assigned = (...all: readonly string[]) =>
    ann(`assignments: [${all.map((each) => `{ ${each} }`).join(', ')}]`);
  const everyone = (scope: string, role: string, more = '') =>
    `groups: { all: { id: all, scope: ${scope}, everyone: true, roles: [${role}] }${more} }`;
  const HALVES = `users: { ${person('ann', 'grants: { acme: [checker] }')}, ${person('ben', 'grants: { acme: [maker] }')} }`;

  const [MAKER, CHECKER] = ['role: maker, scope: acme', 'role: checker, scope: south'].map((one) =>
    assigned(one),
  ) as [string, string];
  const BOTH = ann('grants: { acme: [maker, checker] }');
  const OF_TWO = `${makers('acme', CHECKERS)}\n${mapped(ONE, TWO)}`;

  test.each<[string, readonly string[], Partial<Invariant>, readonly string[]]>([
    ['what somebody has everywhere', [ann('globalRoles: [any maker, any checker]')], FOUR, ['ann']],
    ['what everyone has at one of two', [everyone('north', 'checker'), MAKER], FOUR, ['ann']],
    [
      'what everyone has at one scope, somebody has not at another',
      [
        everyone('north', 'checker', ', finance: { id: finance, scope: north }'),
        ann('groups: [finance], assignments: [{ role: checker, scope: acme, until: 2026-01-01 }]'),
      ],
      { never: 'pay:approve:bill', except: { group: 'finance' } },
      ['anybody'],
    ],
    ['everyone, who is excepted', [everyone('acme', 'maker')], but('all'), []],
    ['whose token names the excepted group', [makers('acme'), mapped()], but('makers'), []],
    ['whose token names another', [makers('acme', SILENT), mapped()], but('silent'), ['anybody perhaps']],
    ['a token of each issuer', [OF_TWO, HALVES], FOUR, ['ann perhaps', 'ben perhaps']],
    ['a token beside what is elsewhere', [makers('north'), mapped(), CHECKER], FOUR, ['ann perhaps']],
    ['two groups of one issuer', [makers('acme', CHECKERS), mapped(ONE, ONE)], FOUR, ['anybody perhaps']],
    ['two of two issuers', [OF_TWO], FOUR, []],
    ['a token of what somebody has anyhow', [makers('acme'), mapped(), BOTH], FOUR, ['ann']],
  ])('%s', async (_, more, invariant, wanted) =>
    expect(await broken(more.join('\n'), invariant)).toEqual(wanted),
  );

  test('what a DENY bars until it ends', async () => {
    const more = assigned(
      'role: maker, scope: acme',
      'role: checker, scope: acme',
      'role: barred, scope: acme, until: 2026-02-28T00:00:00Z',
    );
    const table = (TABLE + more).replace('type: tenant', 'type: tenant, combination: deny-overrides');
    expect(await broken(table)).toEqual(['ann from 2026-02-28']);
  });

  test.each([
    ['counts, which may go on', 'other', ['ann']],
    ['of an excepted group counts with the others', 'silent', []],
  ])('a suspended membership %s', async (_, group, wanted) => {
    const groups = makers('acme', `${SILENT}, other: { id: other, scope: acme }`);
    const world = await worldOf(`${groups}\n${ann('groups: [makers, silent]')}`);
    const users = { ann: { suspended: ['makers', 'silent'] } } as unknown as Model['users'];
    const suspended = createMemoryWorld(suspend(world.items(), { users } as Model));
    expect((await proved(suspended, but(group))).broken).toEqual(wanted);
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

  /** Two people, each with the role on a floor. */
  const onFloors = (first: string, second: string) =>
    `users: { ${person('ann', `grants: { acme: [maker] }, properties: { floor: "${first}" }`)}, ${person('ben', `grants: { acme: [maker] }, properties: { floor: "${second}" }`)} }`;

  test.each(['subject.properties.floor == "1"', 'subject.id == "ann"', 'true'])(
    'a condition: %s',
    async (when) => {
      const table = TABLE.replace(
        'allow: [pay:create:bill]',
        `allow: [{ permission: pay:create:bill, when: '${when}' }]`,
      );
      expect(await broken(table + onFloors('1', '2'), MAKE)).toEqual(['ann perhaps', 'ben perhaps']);
    },
  );

  test('people who differ in properties alone are decided as one', async () => {
    const decisionsWith = async (floor: string) =>
      (await proved(await worldOf(onFloors('1', floor)), FOUR)).decisions;
    expect(await decisionsWith('2')).toBe(await decisionsWith('1'));
  });

  test('a scope in deletion stays closed', async () => {
    const world = await worldOf(assigned('role: maker, scope: north'));
    const north = decisionKey({ type: 'location', id: 'north' });
    const items = world
      .items()
      .map((item) => (isSameKey(item, north) ? { ...item, status: 'deleting' } : item));
    const brokenIn = async (of: typeof world) => (await proved(of, MAKE)).broken.length;
    expect([await brokenIn(world), await brokenIn(createMemoryWorld(items))]).toEqual([1, 0]);
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
