import { beforeEach, describe, expect, test } from 'vitest';
import type { CheckOptions, Engine } from '../../engine/index.ts';
import { parseRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import * as fc from '../support/fast-check.ts';
import { createWorld } from '../support/world.ts';

/**
 * A caller may name the ancestors of the scope, since a path often contains them. They are prefetched, never
 * trusted: correct ones save a call, wrong ones cost read units. On a real DynamoDB engine; every scope is new
 * to the engine.
 */
let engine: Engine;
const role = 'porter';
/** Two clients with a project each and a building in each; a location under a tenant, and one that stands alone. */
const [client, project, building] = ['client:one', 'project:one', 'building:one'];
const [otherClient, otherProject, otherBuilding] = ['client:other', 'project:other', 'building:other'];
const [tenant, below, alone, damaged] = ['tenant:one', 'location:below', 'location:alone', 'project:damaged'];

const make = async (command: string, input: Record<string, unknown>) => (await world.run(command, input)).id;
let scopes = 0;
const newScope = async (type: string, parent?: string) =>
  `${type}:${await make(`${type}.create`, { name: `N${scopes++}`, ...(parent ? { parent } : {}) })}`;
const never = (type: string, n = 0) => `${type}:01J8Z0E2Z8D2A3J7A7Y2H${String(n).padStart(5, '0')}`;
async function memberAt(scope: string): Promise<string> {
  const user = await make('user.create', {});
  await world.run('assignment.create', { user, role, scope });
  return `user:${user}`;
}

const world = await createWorld(`
pages: [doors, lights]
scopes:
  Client: { id: one, type: client }
  Project: { id: one, type: project, parent: Client }
  Building: { id: one, type: building, parent: Project }
  Other client: { id: other, type: client }
  Other project: { id: other, type: project, parent: Other client }
  Other building: { id: other, type: building, parent: Other project }
  Tenant: { id: one, type: tenant }
  Below: { id: below, type: location, parent: Tenant }
  Alone: { id: alone, type: location }
  Damaged: { id: damaged, type: project, parent: Client }
roles:
  porter: { id: porter, global: true, allow: [doors] }
  # One client denies by a role of its own: what the root owns must be that of the real root.
  barred: { owner: Other client, deny: [doors] }
users:
  barred:
    id: barred
    assignments: [{ role: porter, scope: Other project }, { role: barred, scope: Other building }]
`);
const ofOne = await Promise.all([client, project, otherClient, tenant, alone].map(memberAt));
const subjects = [...ofOne, 'user:barred'];
const key = decisionKey(parseRef(damaged, ''));
await world.writer.send([{ kind: 'update', key, set: { 'lock|until': '2027' } }]);
const gone = await newScope('project', client);
await world.run('project.delete', { id: parseRef(gone, '').id });
beforeEach(() => {
  world.settle();
  world.calls.splice(0);
  engine = world.newEngine();
});

/** Keys of each call since the previous call of this function. */
const cost = () => world.calls.splice(0).map(({ keys }) => keys);
const check = (subject: string, scope: string, prefetch: readonly string[], options: CheckOptions = {}) =>
  engine.check(subject, 'doors', scope, { ...options, prefetch });

describe('a first nested check with its ancestors named', () => {
  test('is one call instead of two', async () => {
    const subject = await memberAt(project);
    world.settle();
    cost();
    expect(await check(subject, building, [project, client])).toMatchObject({ allowed: true });
    expect(cost()).toEqual([7]);
    expect(await engine.check(subject, 'doors', building)).toMatchObject({ allowed: true });
    expect(cost()).toEqual([]);
  });

  test('is one call with strong consistency too', async () => {
    const subject = await memberAt(project);
    world.settle();
    cost();
    expect(await check(subject, building, [project, client])).toMatchObject({ allowed: true });
    expect(cost()).toEqual([7]);
    const strong = await check(subject, building, [project, client], { consistency: 'strong' });
    expect(strong).toMatchObject({ allowed: true });
    engine = world.newEngine();
    expect(await check(subject, building, [project, client], { consistency: 'strong' })).toEqual(strong);
    expect(world.calls.splice(0).map(({ operation }) => operation)).toEqual(
      Array(2).fill('TransactGetItems'),
    );
  });

  test('is one call with a freshness token, if another scope of the tree is known', async () => {
    const user = parseRef(subjects[1] as string, '').id;
    await engine.check(subjects[1] as string, 'doors', project);
    const answer = await world.provision({ command: 'user.update', input: { id: user, displayName: 'A' } });
    if (!answer.ok) throw new Error(answer.error.message);
    cost();
    const consistency = { atLeast: String(answer.token) };
    expect(await check(subjects[1] as string, building, [project, client], { consistency })).toMatchObject({
      allowed: true,
    });
    expect(cost()).toHaveLength(1);
  });

  test('is one call for a type that can be a root, and two if the scope is a root', async () => {
    expect(await check(subjects[3] as string, below, [tenant])).toMatchObject({ allowed: true });
    expect(cost()).toEqual([6]);
    engine = world.newEngine();
    expect(await check(subjects[4] as string, alone, [tenant])).toMatchObject({ allowed: true });
    expect(cost()).toEqual([6, 1]);
  });

  test('batches are one call too, with different or equal ancestors, and so are effective roles', async () => {
    const requests = [
      { subject: subjects[1] as string, permission: 'doors', scope: building, prefetch: [project, client] },
      { subject: subjects[1] as string, permission: 'doors', scope: otherBuilding },
    ];
    const prefetch = [otherProject, otherClient];
    const { decisions } = await engine.checkMany(requests, { prefetch });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false]);
    expect(cost()).toEqual([11]);
    engine = world.newEngine();
    const second = await engine.checkMany(requests.slice(1), { prefetch });
    expect(second.decisions).toMatchObject([{ reason: 'no_grant' }]);
    expect(cost()).toEqual([7]);
    engine = world.newEngine();
    const roles = await engine.effectiveRoles(subjects[1] as string, building, {
      prefetch: [project, client],
    });
    expect(roles).toEqual({ tenant: client, roles: [role] });
    expect(cost()).toEqual([5]);
  });
});

describe('wrong ancestors change only the cost:', () => {
  test.each<readonly [string, () => readonly string[], readonly number[]]>([
    ['of another tenant', () => [otherProject, otherClient], [7, 3]],
    ['incomplete', () => [project], [6, 2]],
    ['in the wrong order', () => [client, project], [7, 1]],
    ['deleted', () => [gone, client], [7, 1]],
    ['never created', () => [never('project'), never('client')], [7, 3]],
    ['the scope itself', () => [building], [5, 3]],
    ['far too many', () => [project, client, ...Array(500).fill(client)], [7]],
    ['malformed', () => ['', 'project', 'user:1', '*', never('user'), `${client} doors`], [4, 3]],
    [
      'whose items are not sound',
      () => [damaged, client],
      // The first read fails as a whole for who asked; what of it was sound is kept.
      [7, 1],
    ],
  ])('one %s', async (_, prefetch, price) => {
    const subject = await memberAt(project);
    world.settle();
    cost();
    expect(await check(subject, building, prefetch())).toEqual({ allowed: true, reason: 'role' });
    expect(cost()).toEqual(price);
  });

  test('a missing scope is unknown, and is not read a second time', async () => {
    expect(await check(subjects[0] as string, never('building'), [project, client])).toEqual({
      allowed: false,
      reason: 'scope_unknown',
    });
    cost();
    expect(await check(subjects[1] as string, never('building'), [otherProject])).toMatchObject({
      reason: 'scope_unknown',
    });
    expect(cost()).toEqual([1]);
  });

  test('a damaged ancestor is a fault, whether named or not', async () => {
    const inside = await newScope('building', project);
    const key = decisionKey(parseRef(inside, ''));
    await world.writer.send([{ kind: 'update', key, set: { ancestors: [damaged, client] } }]);
    world.settle();
    for (const prefetch of [[], [damaged, client]])
      await expect(check(subjects[0] as string, inside, prefetch)).rejects.toMatchObject({
        code: 'damaged_item',
      });
  });

  test('more names than fit into one call change no decision', async () => {
    const prefetch = (n: number) => Array.from({ length: 16 }, (_, m) => never('project', 100 * n + m));
    const requests = Array.from({ length: 8 }, (_, n) => ({
      subject: subjects[1] as string,
      permission: 'doors',
      scope: building,
      prefetch: prefetch(n),
    }));
    for (const consistency of ['cached', 'strong'] as const) {
      engine = world.newEngine();
      const { decisions } = await engine.checkMany(requests, { consistency });
      expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    }
  });

  test('a cached scope that is named needlessly does not shorten the time-to-live of decisions', async () => {
    await engine.check(subjects[2] as string, 'doors', otherProject);
    world.clock.advance(30_000);
    await engine.check(subjects[4] as string, 'doors', alone, { consistency: 'strong' });
    const requests = [{ subject: subjects[0] as string, permission: 'doors', scope: below }];
    const { expiresAt } = await engine.checkMany(requests, { prefetch: [otherProject] });
    expect(expiresAt).toBe(world.clock.now() + 60_000);
  });

  test('any names give the same decision, in at most two calls, or three if an item is damaged', async () => {
    const scopes = [
      ...[client, project, building, otherClient, otherProject, otherBuilding, tenant, below, alone],
    ];
    const pool = [...scopes, gone, damaged, never('zone'), never('client'), 'x:1', '', never('user')];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...subjects),
        fc.constantFrom(...scopes),
        fc.array(fc.constantFrom(...pool), { maxLength: 18 }),
        fc.constantFrom('cached' as const, 'strong' as const),
        async (subject, scope, prefetch, consistency) => {
          engine = world.newEngine();
          const expected = await engine.check(subject, 'doors', scope, { consistency });
          const roles = await engine.effectiveRoles(subject, scope, { consistency });
          engine = world.newEngine();
          cost();
          expect(await check(subject, scope, prefetch, { consistency })).toEqual(expected);
          expect(world.calls.splice(0).length).toBeLessThanOrEqual(prefetch.includes(damaged) ? 3 : 2);
          engine = world.newEngine();
          expect(await engine.effectiveRoles(subject, scope, { consistency, prefetch })).toEqual(roles);
        },
      ),
      { numRuns: 120 },
    );
  });
});
