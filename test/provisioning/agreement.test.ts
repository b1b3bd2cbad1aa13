import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { modelOf } from '../proof/oracle/model-of-items.ts';
import { judge } from '../proof/oracle/oracle.ts';
import fc from '../support/fast-check.ts';
import { findingsIn } from './findings.ts';
import { pick } from './kinds.ts';
import { decisionsOf, rebuild } from './rebuild.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from './support.ts';
import { faultsOf } from './verify.ts';

/**
 * Decision items repeat what nodes and edges say, in the same transaction. Whatever commands come, one by
 * one or at once: what the items hold is what the edges say, and the engine decides as the edges would.
 */
const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const ids = (count: number) => Array.from({ length: count }, () => ulid());
const [users, groups, roles] = [ids(3), ids(3), ids(6)];
const [tenant, nested, school] = ids(3);
const scopes = [`tenant:${tenant}`, `location:${nested}`, `location:${school}`];
const roleScopes = ['global', 'global', 'tenant', scopes[0], scopes[0], scopes[2]];
const permissions = ['home', 'grades', 'a:b:c'];
const instants = ['2026-01-10T00:00:00.000Z', '2026-01-20T00:00:00.000Z', '2026-01-30T00:00:00.000Z'];

const user = one(...users);
const role = one(...roles);
const group = one(...groups);
const scope = one(...scopes);
const permission = one(...permissions, 'a:*:*', 'a:b:*', '*:*:*');
const effect = one('ALLOW', 'DENY');
const instant = one(...instants);
/** Roles of a grant. */
const some = fc.uniqueArray(one(...roles.slice(0, 4)), { maxLength: 3 });

/** A command as generated; what it aims at may be known only when it is its turn. */
type Step =
  | { readonly command: string; readonly input: Input }
  /** A node goes with all its edges, or comes back without them under the same id. */
  | { readonly toggle: string }
  /** One of the last edges made is changed or goes. */
  | { readonly edge: number; readonly verb: string; readonly changes: Readonly<Record<string, Input>> };

const step = <T extends Input>(weight: number, command: string, input: fc.Arbitrary<T>) => ({
  weight,
  arbitrary: input.map((each): Step => ({ command, input: each })),
});
const changes = fc
  .record({
    validity: fc.oneof(fc.record({ startsAt: instant }), fc.record({ endsAt: instant })),
    effect,
    some,
  })
  .map(({ validity, effect: turned, some: granted }) => ({
    membership: { joinedAt: instants[0] },
    assignment: validity,
    'role-permission': { effect: turned },
    grant: { roles: granted },
  }));

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  step(4, 'membership.create', fc.record({ user, group })),
  step(4, 'group-role.create', fc.record({ group, role })),
  step(5, 'role-permission.create', fc.record({ role, permission, effect })),
  step(3, 'assignment.create', fc.record({ user, role, scope, startsAt: one(instants[0]), endsAt: instant })),
  step(2, 'global-role.create', fc.record({ user, role: one(...roles.slice(0, 2)) })),
  step(1, 'admin.create', fc.record({ user })),
  step(
    3,
    'grant.create',
    fc.record({ user, scope: one(...scopes.slice(0, 1), ...scopes.slice(2)), roles: some }),
  ),
  {
    weight: 16,
    arbitrary: fc.record({ edge: fc.nat(4), verb: one('update', 'update', 'update', 'delete'), changes }),
  },
  {
    weight: 3,
    arbitrary: one(...users, ...groups, ...roles, 'home', 'grades').map((id) => ({ toggle: id })),
  },
  step(4, 'role.update', fc.record({ id: role, parent: fc.option(role) })),
  step(1, 'user.update', fc.record({ id: user, status: one('active', 'active', 'disabled') })),
  step(1, 'user.update', fc.record({ id: user, endsAt: fc.option(instant) })),
  step(
    1,
    'tenant.update',
    fc.record({ id: one(tenant), combination: one('allow-overrides', 'deny-overrides') }),
  ),
  step(
    1,
    'location.update',
    fc.record({ id: one(nested, school), status: one('active', 'active', 'suspended') }),
  ),
);

const ENDS: Readonly<Record<string, readonly string[]>> = {
  membership: ['user', 'group'],
  'group-role': ['group', 'role'],
  'role-permission': ['role', 'permission'],
  assignment: ['user', 'role', 'scope'],
  'global-role': ['user', 'role'],
  admin: ['user'],
  grant: ['user', 'scope'],
};

function creationOf(id: string): { type: string; input: Input } {
  if (users.includes(id)) return { type: 'user', input: { id, email: `${id}@example.com` } };
  if (groups.includes(id)) {
    return { type: 'group', input: { id, name: 'group', scope: scopes[groups.indexOf(id)] } };
  }
  if (roles.includes(id))
    return { type: 'role', input: { id, name: id, scope: roleScopes[roles.indexOf(id)] } };
  return { type: 'page', input: { name: id } };
}

async function createPools(): Promise<LedgerWorld> {
  const world = await createLedgerWorld();
  await world.run('tenant.create', { id: tenant, name: 'Tenant' });
  await world.run('location.create', { id: nested, name: 'Nested', parent: scopes[0] });
  await world.run('location.create', { id: school, name: 'School' });
  await world.run('permission.create', { name: 'a:b:c' });
  for (const id of [...users, ...groups, ...roles, 'home', 'grades']) {
    const { type, input } = creationOf(id);
    await world.run(`${type}.create`, input);
  }
  return world;
}

/** A refusal is an answer; a fault is not, and neither is a race that nobody could win. */
const EXPECTED = new Set(['invalid', 'not_found', 'conflict', 'stale']);

/** Carries out the batches in order, the steps of each at once. */
async function carryOut(world: LedgerWorld, batches: readonly (readonly Step[])[]): Promise<void> {
  const gone = new Set<string>();
  const made: { type: string; name: Input }[] = [];
  const eventOf = (next: Step): { command: string; input: Input } => {
    if ('command' in next) return next;
    if ('toggle' in next) {
      const { type, input } = creationOf(next.toggle);
      if (gone.delete(next.toggle)) return { command: `${type}.create`, input };
      gone.add(next.toggle);
      return { command: `${type}.delete`, input: pick(input, [type === 'page' ? 'name' : 'id']) };
    }
    const { type, name } = made.at(-1 - next.edge) ?? { type: 'admin', name: { user: users[0] } };
    const change = next.verb === 'update' ? next.changes[type] : undefined;
    return change
      ? { command: `${type}.update`, input: { ...name, ...change } }
      : { command: `${type}.delete`, input: name };
  };
  for (const batch of batches) {
    const events = batch.map(eventOf);
    const answers = await Promise.all(events.map((event) => world.provision(event)));
    for (const [position, answer] of answers.entries()) {
      const { command, input } = events[position] as { command: string; input: Input };
      if (!answer.ok) expect(EXPECTED, `${command}: ${answer.error.message}`).toContain(answer.error.code);
      const [type = ''] = command.split('.');
      if (answer.ok && ENDS[type] && command.endsWith('.create'))
        made.push({ type, name: pick(input, ENDS[type]) });
    }
  }
}

async function expectAgreement(world: LedgerWorld): Promise<void> {
  const items = await world.everything();
  expect(faultsOf(items)).toEqual([]);
  expect(await findingsIn(items, world.clock)).toEqual([]);
  expect(decisionsOf(items)).toEqual(rebuild(items));
  const engine = world.newEngine();
  const model = modelOf(items);
  for (const at of [Date.parse('2026-01-15T00:00:00.000Z'), Date.parse('2026-01-25T00:00:00.000Z')]) {
    const questions = users.flatMap((id) =>
      permissions.flatMap((name) =>
        scopes.map((where) => ({ subject: `user:${id}`, permission: name, scope: where, at })),
      ),
    );
    const { decisions } = await engine.checkMany(questions);
    expect(decisions.map(({ reason }) => reason)).toEqual(
      questions.map((question) => judge(model, question).reason),
    );
  }
}

describe('decision items say what nodes and edges say', () => {
  const sequence = (minimum: number, maximum: number) =>
    fc.array(fc.array(anyStep, { minLength: minimum, maxLength: maximum }), {
      minLength: 100 / maximum,
      maxLength: 100 / maximum,
    });

  test.each([
    ['one after the other', 1, 1],
    ['several at once', 2, 5],
  ])('after any sequence of commands, %s', async (_, minimum, maximum) => {
    await fc.assert(
      fc.asyncProperty(sequence(minimum, maximum), async (batches) => {
        const world = await createPools();
        await carryOut(world, batches);
        await expectAgreement(world);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });
});
