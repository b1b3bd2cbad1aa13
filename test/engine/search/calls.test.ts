import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccessBound, createLists, type Engine, type Lists } from '../../../engine/index.ts';
import type { ScopeListOptions } from '../../../engine/search/resource-search.ts';
import { testEngine } from '../../../testing/index.ts';
import { withEveryone } from '../../support/everyone.ts';
import { createLightWorld } from '../../support/world.ts';

/**
 * The calls of a resource search follow the candidates that it looks at, not the types of scopes that there are:
 * at most three for a hundred candidates, beside those for the subject's own grants.
 */
const PROJECTS = 10;
const DEVICES = 105;
const ROOTS = 20;
const TYPES = 10;
const ALL = 1 + PROJECTS + 1 + DEVICES + ROOTS;
const BELOW_CLIENT = PROJECTS + 1 + DEVICES;

let engine: Engine;
let lists: Lists;
const [boss, owner, tenants] = ['user:boss', 'user:owner', 'user:tenants'];
const [client, building] = ['client:c', 'building:b'];
const numbered = (count: number, of: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => `  ${of(number)}\n`).join('');
/** More than the bound looks at of one role. */
const PAGES = Array.from({ length: 110 }, (_, n) => `page-${n}`);
const MANIFEST = `
pages: [home, ${PAGES}]
roles: { all: { id: all, allow: [home] }, wide: { deny: [${PAGES}] } }
scopes:
  C: { id: c, type: client }
  B: { id: b, type: building, parent: P0 }
${numbered(PROJECTS, (n) => `P${n}: { type: project, parent: C }`)}
${numbered(DEVICES, (n) => `D${n}: { type: device, parent: B }`)}
${numbered(ROOTS, (n) => `L${n}: { type: location }`)}
users:
  boss: { id: boss, admin: true }
  owner: { id: owner, grants: { C: [all] } }
  wide: { id: wide, assignments: [{ role: wide, scope: C }] }
  tenants: { id: tenants, grants: { ${Array.from({ length: ROOTS }, (_, n) => `L${n}: [all]`).join(', ')} } }
`;

const world = await createLightWorld();
await world.apply(MANIFEST);
beforeEach(() => {
  world.settle();
  engine = world.newEngine();
  lists = createLists({ reader: world.reader, engine, clock: world.clock });
  world.calls.length = 0;
});

/** Calls since the previous call of this function. */
const calls = (): number => world.calls.splice(0).length;
const allowance = (candidates: number): number => 3 * Math.ceil(candidates / 100);

/** What an administrator's search costs beside the candidates: the items of the question, and four partitions. */
const OF_ADMIN = 1 + 4;
/** The items of the question, the granted scope, its root's effects and path. */
const OF_GRANT = 1 + 3;

test('an access bound is none where it would take more Queries or a wider role than its limit', async () => {
  const boundOf = (most: number, subject = owner) => {
    const accessBound = createAccessBound({ reader: world.reader, engine, most, now: world.clock.now });
    return accessBound(subject, { types: new Set(['device']), withPermissions: true, at: world.clock.now() });
  };
  // The client, its projects and the building, of which the devices take two Queries.
  expect(await boundOf(DEVICES)).toMatchObject({ scopes: { length: DEVICES }, permissions: ['home'] });
  calls();
  expect(await boundOf(PROJECTS)).toBeUndefined();
  expect(calls()).toBeLessThanOrEqual(PROJECTS + 8);
  expect(await boundOf(DEVICES, 'user:wide')).toBeUndefined();
});

describe.each([false, true])('with ten types of scopes that nobody uses: %s', (hasTypes) => {
  beforeAll(async () => {
    if (!hasTypes) return;
    const names = Array.from({ length: TYPES }, (_, n) => `type-${n}`);
    for (const name of names)
      await world.run('scope-type.create', { name, root: true, parents: ['building'], children: ['device'] });
  });

  test('all scopes of an administrator', async () => {
    expect((await lists.listScopes(boss, 'home', { limit: 1_000 })).items).toHaveLength(ALL);
    expect(calls()).toBeLessThanOrEqual(allowance(ALL) + OF_ADMIN);
  });

  test.each([2, 7, 50])('pages of %i of an administrator', async (limit) => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await lists.listScopes(boss, 'home', { limit, cursor });
      expect(calls()).toBeLessThanOrEqual(allowance(100) + OF_ADMIN);
      found.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(found).size).toBe(ALL);
    expect(found).toHaveLength(ALL);
  });

  test('all scopes below a grant', async () => {
    expect((await lists.listScopes(owner, 'home', { limit: 1_000 })).items).toHaveLength(1 + BELOW_CLIENT);
    expect(calls()).toBeLessThanOrEqual(allowance(1 + BELOW_CLIENT) + OF_GRANT);
    expect((await lists.listScopes(owner, 'home', { limit: 1_000, type: 'project' })).items).toHaveLength(
      PROJECTS,
    );
    expect(calls()).toBeLessThanOrEqual(allowance(PROJECTS) + OF_GRANT);
  });

  test('many grants at scopes with nothing below', async () => {
    expect((await lists.listScopes(tenants, 'home')).items).toHaveLength(ROOTS);
    // A scope of an added type may be below each location.
    expect(calls()).toBeLessThanOrEqual(allowance(ROOTS) + OF_GRANT + 1 + (hasTypes ? ROOTS : 0));
  });

  test('an access bound: a Query for each scope that may have others below it', async () => {
    const accessBound = createAccessBound({ reader: world.reader, engine, most: 100, now: world.clock.now });
    const question = { types: new Set(['project']), withPermissions: false, at: world.clock.now() };
    const bound = await accessBound(owner, question);
    // With added types, a project may be below any scope: too many to look at.
    if (hasTypes) expect(bound).toBeUndefined();
    else expect(bound?.scopes).toHaveLength(PROJECTS);
    expect(calls()).toBeLessThanOrEqual(4 + (hasTypes ? 100 : 0));
  });
});

test.each([
  ['tenants are not read', 5_000, 'tenant', { rounds: 6, keys: 20 }],
  ['other scopes are read together', 9_000, 'location', { rounds: 20, keys: 9_100 }],
  ['of too many, none: all scopes within are candidates', 11_000, 'location', { rounds: 6, keys: 20 }],
])('a search within roots, with groups of everyone elsewhere: %s', async (_, count, type, most) => {
  const within = new Set([client]);
  const whole = await lists.listScopes(owner, 'home', { within, limit: 1_000 });
  const elsewhere = Array.from({ length: count }, (_, n) => `${type}:elsewhere-${n}`);
  const { reader, cost } = withEveryone(world.reader, elsewhere);
  const { listScopes } = createLists({ reader, engine, clock: world.clock });
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listScopes(owner, 'home', { within, limit: 50, cursor });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(found).toEqual(whole.items);
  const { rounds, keys } = cost();
  expect([rounds <= most.rounds, keys <= most.keys]).toEqual([true, true]);
});

test('a search within no roots reads nothing, whatever is granted elsewhere', async () => {
  const { reader, cost } = withEveryone(world.reader, ['location:elsewhere']);
  const { listScopes } = createLists({ reader, engine, clock: world.clock });
  expect(await listScopes(owner, 'home', { within: new Set() })).toEqual({ items: [] });
  expect(cost()).toEqual({ rounds: 0, keys: 0 });
});

test('a page ends after a thousand candidates, with a cursor', async () => {
  const asked: number[] = [];
  const refusing = {
    checkMany: async (requests: readonly unknown[]) => {
      asked.push(requests.length);
      const decisions = requests.map(() => ({ allowed: false, reason: 'no_grant' }) as const);
      return { decisions, expiresAt: 0, staleUntil: 0, validUntil: 0, isStale: false };
    },
  };
  const many = createLists({
    reader: {
      ...world.reader,
      list: async (query) => {
        const page = await world.reader.list(query);
        // As if there were ten times as many.
        return { ...page, items: page.items.flatMap((item) => Array.from({ length: 10 }, () => item)) };
      },
    },
    engine: refusing,
    clock: world.clock,
  });
  const page = await many.listScopes(boss, 'home');
  expect(page.items).toEqual([]);
  expect(page.cursor).toBeDefined();
  expect(asked.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_000);
  expect(asked.length).toBeLessThanOrEqual(12);
});

test('a scope that moves is found below its new parent', async () => {
  const make = async (command: string, input: Record<string, unknown>) =>
    (await world.run(command, input)).id;
  const other = `building:${await make('building.create', {
    name: 'O',
    parent: `project:${await make('project.create', { name: 'P', parent: client })}`,
  })}`;
  const zone = `zone:${await make('zone.create', { name: 'Z', parent: building })}`;
  const device = `device:${await make('device.create', { name: 'D', parent: zone })}`;
  const user = await make('user.create', {});
  const role = await make('role.create', { name: 'mine', scope: client });
  await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
  await world.run('assignment.create', { user, scope: other, role });
  await world.run('scope.move', { scope: zone, parent: other });
  world.settle();
  const { items } = await lists.listScopes(`user:${user}`, 'home');
  expect([...items].sort()).toEqual([other, device, zone].sort());
});

test.each([boss, owner])('a list of %s goes on where a page of an older release ended', async (subject) => {
  const { items } = await lists.listScopes(subject, 'home', { limit: 1_000 });
  const { cursor = '' } = await lists.listScopes(subject, 'home', { limit: 50 });
  const [list, range, { walk, ...after }] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  expect(walk).toBeDefined();
  const older = Buffer.from(JSON.stringify([list, range, after])).toString('base64url');
  const rest = await lists.listScopes(subject, 'home', { limit: 1_000, cursor: older });
  expect(rest.items).toEqual(items.slice(50));
});

describe('a list keeps its rest where, between two pages,', () => {
  const roots = new Set(['client:a', 'client:b']);
  const open = () =>
    testEngine(`
pages: [home]
scopes:
  a: { id: a, type: client }
  b: { id: b, type: client }
  p1: { id: p1, type: project, parent: a }
  p2: { id: p2, type: project, parent: a }
  p3: { id: p3, type: project, parent: a }
  p9: { id: p9, type: project, parent: b }
  b9: { id: b9, type: building, parent: p9 }
roles: { r: { owner: a, allow: [home] }, s: { owner: b, allow: [home] } }
users:
  above: { assignments: [{ role: r, scope: a }, { role: s, scope: p9 }] }
  below: { assignments: [{ role: r, scope: p1 }, { role: s, scope: p9 }] }
  lowest: { assignments: [{ role: r, scope: p1 }, { role: s, scope: b9 }] }
`);

  test.each<[string, string, ScopeListOptions]>([
    ['of scopes below a grant', 'above', { limit: 2 }],
    ['within roots', 'below', { limit: 1, within: roots }],
  ])('the subject becomes an administrator: %s', async (_, name, options) => {
    const changing = await open();
    const { listScopes } = createLists(changing);
    const subject = changing.ref(name);
    const before = await listScopes(subject, 'home', { ...options, limit: 100 });
    const found: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await listScopes(subject, 'home', { ...options, cursor });
      if (isFirst) await changing.command('admin.create', { user: subject.slice('user:'.length) });
      changing.clock.advance(120_000);
      found.push(...page.items);
      cursor = page.cursor;
    }
    expect(found).toEqual(expect.arrayContaining([...before.items]));
  });

  test.each([
    ['too many', 'below', 0, 11_000],
    ['fewer', 'lowest', 11_000, 0],
  ])('groups of everyone elsewhere become %s', async (_, name, first, then) => {
    const changing = await open();
    const listsWith = (count: number) => {
      const elsewhere = Array.from({ length: count }, (_, n) => `location:elsewhere-${n}`);
      return createLists({ ...changing, reader: withEveryone(changing.reader, elsewhere).reader });
    };
    const list = (count: number, options: ScopeListOptions) =>
      listsWith(count).listScopes(changing.ref(name), 'home', { within: roots, ...options });
    const before = await list(0, {});
    const page = await list(first, { limit: 1 });
    const rest = await list(then, { cursor: page.cursor });
    expect([...page.items, ...rest.items]).toEqual(expect.arrayContaining([...before.items]));
  });
});
