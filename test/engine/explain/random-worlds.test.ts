import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createExplainer, formatExplanation, type Reason } from '../../../engine/index.ts';
import fc from '../../support/fast-check.ts';
import { SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { createLightWorld, type World } from '../../support/world.ts';

/** In random worlds, an explanation decides as `check` does, and its parts agree with the decision. */
const ids = (count: number) => Array.from({ length: count }, () => ulid());
const PERMISSIONS = ['home', 'a:b:c'];
const GRANTABLE = [...PERMISSIONS, 'a:*:*', '*:*:*'];
const INSTANTS = ['2026-01-10T00:00:00.000Z', '2026-01-20T00:00:00.000Z'];
const AT = ['2026-01-05T00:00:00.000Z', '2026-01-15T00:00:00.000Z', '2026-01-25T00:00:00.000Z'];

const index = fc.nat({ max: 9 });
const step = fc.record({ what: fc.nat({ max: 13 }), a: index, b: index, c: index, d: index });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Pools {
  readonly users: readonly string[];
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;

async function createPools({ run }: World): Promise<Pools> {
  const [users, roles, groups] = [ids(3), ids(5), ids(4)];
  const [client, project, building, other] = ids(4);
  await run('client.create', { id: client, name: ulid() });
  await run('project.create', { id: project, name: 'P', parent: `client:${client}` });
  await run('building.create', { id: building, name: 'B', parent: `project:${project}` });
  await run('client.create', { id: other, name: ulid() });
  const scopes = [`client:${client}`, `project:${project}`, `building:${building}`, `client:${other}`];
  const owners = ['global', 'tenant', scopes[0], scopes[0], scopes[3]];
  for (const [n, id] of roles.entries()) await run('role.create', { id, name: id, scope: owners[n] });
  for (const [n, id] of groups.entries()) await run('group.create', { id, name: id, scope: scopes[n] });
  for (const id of users) await run('user.create', { id });
  // Random commands alone deny too rarely.
  await run('role-permission.create', { role: roles[1], permission: 'home', effect: 'DENY' });
  await run('group-role.create', { group: groups[0], role: roles[1] });
  await run('membership.create', { user: users[2], group: groups[0] });
  return { users, scopes, roles, groups };
}

/** One command of many kinds. Some are refused and change nothing, which is intended. */
function commandOf({ what, a, b, c, d }: Step, { users, scopes, roles, groups }: Pools) {
  const [user, role, group, scope] = [pick(users, a), pick(roles, b), pick(groups, c), pick(scopes, d)];
  const effect = d % 5 < 2 ? 'DENY' : 'ALLOW';
  const id = scope.split(':')[1];
  switch (what) {
    case 0:
    case 1:
      return ['membership.create', { user, group }] as const;
    case 2:
    case 3:
      return ['group-role.create', { group, role }] as const;
    case 4:
    case 5:
      return ['role-permission.create', { role, permission: pick(GRANTABLE, c), effect }] as const;
    case 6:
      return [
        'assignment.create',
        { user, role, scope, ...(c % 2 ? { endsAt: pick(INSTANTS, a) } : {}) },
      ] as const;
    case 7:
      return ['assignment.create', { user, role, scope, startsAt: pick(INSTANTS, c) }] as const;
    case 8:
      return ['grant.create', { user, scope: pick([scopes[0], scopes[3]], d), roles: [role] }] as const;
    case 9:
      return ['role.update', { id: role, parent: pick(roles, c) }] as const;
    case 10:
      return d !== 1
        ? (['global-role.create', { user, role }] as const)
        : (['admin.create', { user: users[0] }] as const);
    case 11:
      return [
        'client.update',
        { id: pick([scopes[0], scopes[3]], a)?.split(':')[1], combination: 'deny-overrides' },
      ] as const;
    case 12:
      if (d === 1) return ['project.update', { id: scopes[1]?.split(':')[1], status: 'on-hold' }] as const;
      if (d === 2) return ['user.update', { id: user, status: 'disabled' }] as const;
      if (d === 3) return ['user.update', { id: user, endsAt: INSTANTS[1] }] as const;
      return ['membership.create', { user, group }] as const;
    default:
      if (d > 8) return ['module.update', { name: 'a', soldBySubscription: true }] as const;
      return [
        'subscription.create',
        { scope: `${scope.split(':')[0]}:${id}`, module: 'a', startDate: INSTANTS[0] },
      ] as const;
  }
}

test('the decision equals that of `check`, and the explanation supports it', async () => {
  const world = await createLightWorld();
  await world.run('permission.create', { name: 'a:b:c' });
  await world.run('page.create', { name: 'home' });
  await world.run('module.create', { name: 'a' });
  const counts = new Map<Reason, number>();
  const explainer = createExplainer(world);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const pools = await createPools(world);
      await world.run('module.update', { name: 'a', soldBySubscription: false });
      for (const each of steps) {
        const [command, input] = commandOf(each, pools);
        await world.provision({ command, input });
      }
      world.settle();
      const engine = world.newEngine();
      for (const user of pools.users) {
        for (const scope of pools.scopes) {
          for (const permission of PERMISSIONS) {
            const at = Date.parse(pick(AT, user.length + scope.length + permission.length));
            const question = [`user:${user}`, permission, scope] as const;
            const explained = await explainer.explain(...question, { at });
            const { allowed, reason } = await engine.check(...question, { at, consistency: 'strong' });
            expect(explained).toMatchObject({ allowed, reason });
            counts.set(reason, (counts.get(reason) ?? 0) + 1);

            const refusing = explained.steps.filter(({ passed }) => passed === false);
            const deciding = explained.steps.find(({ decides }) => decides);
            if (allowed) expect(refusing).toEqual([]);
            else expect(refusing.at(-1)).toEqual(deciding);
            expect(deciding?.passed).toBe(allowed);
            if (allowed) expect(explained.allowedBy.items.length).toBeGreaterThan(0);
            if (reason === 'denied_by_role') expect(explained.deniedBy.items.length).toBeGreaterThan(0);
            if (reason === 'no_grant')
              expect([explained.allowedBy.items, explained.deniedBy.items]).toEqual([[], []]);
            expect(formatExplanation(explained)).toMatch(/^[\x20-\x7e\n]*$/);
          }
        }
      }
    }),
    { numRuns: size(6, 30), seed: SEED, endOnFailure: true },
  );
  for (const reason of ['role', 'no_grant', 'denied_by_role'] as const)
    expect(counts.get(reason) ?? 0, [...counts].join(' ')).toBeGreaterThan(2);
});
