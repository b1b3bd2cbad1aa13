import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allowedIn, applyOn, exportOn, planOn, worldOf } from '../../provisioning/apply/support.ts';
import { copyOf, createMemoryWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/**
 * Each kind of thing changed and removed; and what is exported makes the same of an empty table. What runs the
 * command line is on the engine: it needs an endpoint.
 */
afterAll(removeFiles);

const FULL = `
scopeTypes: { campus: { root: true, children: [location] } }
modules: { library: { sold: true, description: Books }, doors: {} }
pages: { dashboard: { description: Start }, shelf: { module: library } }
permissions: { "doors:open:door": { dangerous: true } }
scopes:
  school: { type: tenant, combination: deny-overrides }
  north: { type: location, parent: school, code: N-1, address: Mill Lane }
  hall: { type: campus }
  acme: { type: client, timezone: Europe/Berlin }
  bridge: { type: project, parent: acme, startDate: 2026-01-01 }
  tower: { type: building, parent: bridge, floors: 3 }
  lobby: { type: zone, parent: tower, kind: lobby }
  sensor: { type: device, parent: lobby, kind: camera }
  bank: { type: account }
  group corp: { type: enterprise }
  stream: { type: workstream, parent: bank, enterprise: group corp }
roles:
  base: { global: true, allow: [dashboard] }
  shared: { parent: base, allow: [shelf] }
  keeper: { owner: school, parent: shared, allow: ["doors:open:door"], deny: [shelf], description: Keys }
groups:
  staff: { scope: north, roles: [keeper], groupType: TEACHER }
  builders: { scope: tower, roles: [shared] }
users:
  ann: { tenant: school, email: ann@x.example, givenName: Ann, groups: [staff], grants: { school: [shared] } }
  ben: { tenant: acme, phone: "+4930123456", until: 2026-12-31, assignments: [{ role: shared, scope: lobby, from: 2026-01-01, until: 2026-05-31 }] }
  cem: { username: cem, admin: true, globalRoles: [base] }
technicalUsers:
  robot: { account: bank, assignments: [{ role: shared, scope: stream }] }
subscriptions:
  - { scope: north, module: library, tier: premium, usageQuota: { seats: 3 } }
licenses:
  - { account: bank, enterprise: group corp, until: 2026-12-31 }
settings:
  - { scope: school, key: theme, value: { dark: true } }
  - { user: ann, key: size, value: 12, overridable: false }
routes:
  - { method: GET, path: "/doors/{door}", permission: "doors:open:door", scope: "location:{door}", description: Doors }
`;

/** A world with all of it, of which each test has a copy. */
const made = createMemoryWorld();
beforeAll(async () => {
  await applyOn(made, FULL);
});
let world: typeof made;
beforeEach(() => {
  world = copyOf(made);
});

test('what is exported applies to an empty table: the same decisions, the same export, an empty plan', async () => {
  const first = await gatehouse(['export'], { env: { TABLE_NAME: world.table } });
  expect(first.error).toBe('');
  const other = createMemoryWorld();
  const file = fileOf(first.out);
  const env = { TABLE_NAME: other.table };
  const applied = await gatehouse(['apply', file, '--yes', '--prune-shared'], { env });
  expect(applied.code).toBe(0);
  expect((await gatehouse(['plan', file, '--prune-shared'], { env })).out).toContain('nothing to do');
  expect((await gatehouse(['export'], { env })).out).toBe(first.out);
  const manifest = (await exportOn(world)) as Record<string, Record<string, { id: string; type: string }>>;
  const subjects = Object.values(manifest.users ?? {}).map(({ id }) => `user:${id}`);
  const places = Object.values(manifest.scopes ?? {}).map(({ id, type }) => `${type}:${id}`);
  const permissions = ['dashboard', 'shelf', 'doors:open:door'];
  const allowed = await allowedIn(world, subjects, permissions, places);
  expect(allowed.size).toBeGreaterThan(10);
  expect(await allowedIn(other, subjects, permissions, places)).toEqual(allowed);
});

test('an export from before takes back what an apply did: the same export, and an empty plan', async () => {
  const env = { TABLE_NAME: world.table };
  const before = await gatehouse(['export'], { env });
  const changed = FULL.replace('deny: [shelf], description: Keys', 'description: Other keys')
    .replace('sensor: { type: device, parent: lobby, kind: camera }', '')
    .replace('groups: [staff], grants: { school: [shared] }', 'grants: {}')
    .replace(
      'cem: { username: cem, admin: true, globalRoles: [base] }',
      'dora: { tenant: acme, username: dora }',
    )
    .replace('from: 2026-01-01, until: 2026-05-31', 'from: 2026-01-01');
  expect((await applyOn(world, changed)).length).toBeGreaterThan(6);
  expect((await gatehouse(['export'], { env })).out).not.toBe(before.out);

  const file = fileOf(before.out);
  const undone = await gatehouse(['apply', file, '--yes', '--prune-shared'], { env });
  expect(undone.error).not.toContain('fault');
  expect(undone.code).toBe(0);
  expect((await gatehouse(['export'], { env })).out).toBe(before.out);
  expect((await gatehouse(['plan', file, '--prune-shared'], { env })).out).toContain('nothing to do');
});

test('without ids, an export describes another table like this one', async () => {
  const { out } = await gatehouse(['export', '--no-ids'], { env: { TABLE_NAME: world.table } });
  expect(out).not.toContain('id:');
  const other = await worldOf(out);
  expect((await planOn(other, out)).steps).toEqual([]);
});

test('things that were made without a manifest are found by name, and keep their ids', async () => {
  const world = createMemoryWorld();
  const { id } = await world.run('tenant.create', { name: 'School' });
  const { id: place } = await world.run('location.create', { name: 'North', parent: `tenant:${id}` });
  const { id: role } = await world.run('role.create', { name: 'Teacher', scope: `tenant:${id}` });
  const { id: group } = await world.run('group.create', { name: 'Staff', scope: `location:${place}` });
  const { id: user } = await world.run('user.create', { email: 'ann@x.example', displayName: 'Ann' });
  const text = `
scopes: { school: { type: tenant, name: School }, north: { type: location, name: North, parent: school } }
roles: { teacher: { name: Teacher, owner: school } }
groups: { staff: { name: Staff, scope: north, roles: [teacher] } }
users: { ann@x.example: { groups: [staff] } }
`;
  const steps = await applyOn(world, text, { prune: false });
  expect(steps.map(({ command, input }) => [command, input])).toEqual([
    ['group-role.create', { group, role }],
    ['membership.create', { user, group }],
  ]);
});

describe('changes and removals', () => {
  /** The line of the full manifest that begins with this name. */
  const lineOf = (name: string) => new RegExp(` *${name}: .*\n`);
  const EFFECTS = [
    'allow: ["doors:open:door"], deny: [shelf]',
    'allow: [shelf], deny: ["doors:open:door"]',
  ] as const;
  const PERIOD = 'from: 2026-01-01, until: 2026-05-31';
  const OF_BEN = 'assignment ben > lobby > shared';

  /** What each of these does to the full manifest, as its steps. */
  test.each<[string, readonly (readonly [from: string | RegExp, to: string])[], readonly string[]]>([
    ['a page', [['Start', 'Begin']], ['change page dashboard']],
    ['a permission', [['dangerous: true', 'dangerous: false']], ['change permission doors:open:door']],
    ['a place', [['Mill Lane', 'Hill Lane, status: suspended']], ['change location location north']],
    ['a role that loses a permission', [['[shelf] }', '[] }']], ['remove role-permission shared > shelf']],
    [
      'an effect that turns',
      [EFFECTS],
      ['change role-permission keeper > doors:open:door', 'change role-permission keeper > shelf'],
    ],
    ['a group that is gone', [[lineOf('builders'), '']], ['remove group builders at tower']],
    [
      'a membership and a grant',
      [['groups: [staff], grants: { school: [shared] }', '']],
      ['remove grant ann > school', 'remove membership ann > staff'],
    ],
    ['a user', [[lineOf('ben'), '']], ['remove user ben']],
    [
      'a period that moves',
      [[PERIOD, 'from: 2026-05-01, until: 2026-09-01']],
      Array(2).fill(`change ${OF_BEN}`),
    ],
    ['a period elsewhere', [[PERIOD, 'from: 2026-08-01']], [`remove ${OF_BEN}`, `create ${OF_BEN}`]],
    [
      'an administrator',
      [['admin: true, globalRoles: [base]', '']],
      ['remove admin cem', 'remove global-role cem > base'],
    ],
    ['a subscription', [['tier: premium', 'status: expired']], ['change subscription library at north']],
    ['a licence', [[/ {2}- \{ account: bank, .*\n/, '  []\n']], ['remove license group corp at bank']],
    ['a setting', [['value: 12', 'value: 14']], ['change setting ann > size']],
    [
      'a route',
      [[/permission: "doors:open:door", scope/, 'permission: shelf, scope']],
      ['change route GET /doors/{door}'],
    ],
    [
      'a tree of places',
      [
        ...['tower', 'lobby', 'sensor', 'builders'].map((name) => [lineOf(name), ''] as const),
        ['scope: lobby,', 'scope: bridge,'],
      ],
      [
        'remove building building tower in bridge, with all that is below it',
        'create assignment ben > bridge > shared',
      ],
    ],
  ])('%s', async (_, edits, expected) => {
    const text = edits.reduce((at, [from, to]) => {
      expect(at.replace(from, to)).not.toBe(at);
      return at.replace(from, to);
    }, FULL);
    const without = await planOn(world, text, false);
    expect(without.steps.filter(({ verb }) => verb === 'remove' && !_.startsWith('a period'))).toEqual([]);
    const steps = await applyOn(world, text);
    expect(steps.map(({ verb, kind, label }) => `${verb} ${kind} ${label}`).sort()).toEqual(
      [...expected].sort(),
    );
    expect((await planOn(world, text)).steps).toEqual([]);
  });

  test.each([
    ['no API', '', false],
    ['another one', 'api: shop, ', false],
    ['it', 'api: default, ', true],
  ])('routes of an API go where the manifest names it, here %s', async (_, api, isPruned) => {
    const world = createMemoryWorld();
    const routes = (...lines: readonly string[]) => `pages: [a]\nroutes:\n${lines.join('')}`;
    const route = (path: string, of = '') =>
      `  - { ${of}method: GET, path: /${path}, permission: a, scope: "tenant:t" }\n`;
    await applyOn(world, routes(route('kept'), route('other')));
    const { steps, kept } = await planOn(world, routes(route('kept', api)), true, false);
    const label = 'GET /other';
    expect(steps.some((step) => step.verb === 'remove' && step.label === label)).toBe(isPruned);
    expect(kept.filter((each) => each.label === label)).toEqual(
      isPruned || api.includes('shop') ? [] : [{ kind: 'route', label, shared: true }],
    );
  });

  test('a section that is missing prunes nothing', async () => {
    const half = FULL.slice(0, FULL.indexOf('groups:\n'));
    const plan = await planOn(world, half);
    expect(plan.steps).toEqual([]);
  });

  test('another tenant of the table is left alone', async () => {
    const other =
      'scopes: { college: { type: tenant } }\nroles: {}\ngroups: {}\nusers: { zoe: { username: zoe } }';
    await applyOn(world, other, { prune: false });
    expect((await planOn(world, other, true, false)).steps).toEqual([]);
    expect((await planOn(world, FULL, true, false)).steps).toEqual([]);
  });
});

test('scope types that name each other are made in any order, and one that is there may name a new one', async () => {
  const world = createMemoryWorld();
  const floors = 'campus: { root: true, children: [floor] }, floor: { parents: [campus], children: [room] }';
  const first = `scopeTypes: { ${floors}, room: { parents: [floor] } }`;
  await applyOn(world, first);
  const desks = 'campus: { root: true, children: [floor, desk] }, desk: { parents: [desk, floor] }';
  const text = `scopeTypes: { ${desks}, floor: { parents: [campus], children: [room] }, room: { parents: [floor] } }
scopes: { hill: { type: campus }, first: { type: floor, parent: hill }, one: { type: desk, parent: first } }`;
  await applyOn(world, text);
  expect((await planOn(world, text)).steps).toEqual([]);
  const exported = await exportOn(world);
  expect((await planOn(world, JSON.stringify(exported))).steps).toEqual([]);
  const other = await worldOf(JSON.stringify(exported));
  expect(await exportOn(other)).toEqual(exported);
});
