import { describe, expect, test } from 'vitest';
import type { AccessDifference } from '../../../provisioning/access-difference/access-difference.ts';
import { parseKey } from '../../../table/keys.ts';
import { allowedIn, createMemoryWorld } from '../apply/support.ts';
import { createSchool, type Sent } from './school.ts';

/** The access difference beside all decisions before and after the commands were really sent. */

const world = await createSchool();
const { nodesOf, idOf, differenceBy } = world;
const before: ReadonlySet<string> = await allowedAfter();
/** Every decision about what a table holds, after these commands. */
async function allowedAfter(...commands: readonly Sent[]): Promise<ReadonlySet<string>> {
  const copy = createMemoryWorld(world.items());
  copy.clock.advance(world.clock.now() - copy.clock.now());
  for (const { command, input } of commands) await copy.run(command, input);
  const ids = (type: string) => nodesOf(type).map(({ id }) => `${type}:${id}`);
  const scopes = ['tenant', 'location'].flatMap(ids);
  const wings = nodesOf('wing').map(({ id }) => `wing:${id}`);
  const permissions = ['page', 'permission'].flatMap((kind) => nodesOf(kind).map(({ name }) => String(name)));
  return allowedIn(copy, ids('user'), permissions, [...scopes, ...wings]);
}

/** The rows of a difference as single decisions; those of scopes below come with the row above them. */
function covers({ rows }: AccessDifference['loses'], decision: string): boolean {
  const [subject = '', permission = '', scope = ''] = decision.split(' ');
  const above = world.items().find(({ PK, SK }) => {
    const key = parseKey({ PK, SK });
    return key?.form === 'decision' && `${key.type}:${key.id}` === scope;
  });
  const path = [scope, ...((above?.ancestors ?? []) as readonly string[])];
  return rows.some(
    ({ scope, subjects, permissions }) =>
      path.includes(scope) && subjects.includes(subject) && permissions.includes(permission),
  );
}

/** Compares a difference with decisions before and after the commands were really sent. */
async function expectExact(...commands: readonly Sent[]) {
  const difference = await differenceBy(...commands);
  const after = await allowedAfter(...commands);
  const label = JSON.stringify(commands);
  expect(difference.incomplete, label).toBeUndefined();
  for (const [side, from, to] of [
    [difference.loses, before, after],
    [difference.gains, after, before],
  ] as const) {
    const real = [...from].filter((decision) => !to.has(decision));
    const subjects = new Set(real.map((decision) => decision.split(' ')[0]));
    expect({ people: side.people, more: side.more }, label).toEqual({ people: subjects.size, more: false });
    for (const decision of real) expect(covers(side, decision), `${label}: ${decision}`).toBe(true);
    for (const { scope, subjects: some, permissions } of side.rows)
      for (const subject of some)
        for (const permission of permissions)
          expect(real, label).toContain(`${subject} ${permission} ${scope}`);
    const counted = side.rows.reduce(
      (sum, row) => sum + row.people * row.permissions.length * (row.scopesBelow + 1),
      0,
    );
    expect(counted, label).toBe(real.length);
  }
  return difference;
}

describe('the difference is that of the decisions before and after', () => {
  test.each(['user', 'role', 'group', 'page', 'permission', 'subscription', 'tenant', 'location'])(
    'each %s that is deleted',
    async (type) => {
      const nodes = nodesOf(type);
      expect(nodes.length).toBeGreaterThan(0);
      for (const node of nodes) {
        const name = parseKey(node) as { readonly id: string };
        const isScope = type === 'tenant' || type === 'location';
        const isNamed = type === 'page' || type === 'permission';
        const sent = isScope
          ? { command: 'scope.delete-tree', input: { scope: `${type}:${name.id}` } }
          : { command: `${type}.delete`, input: isNamed ? { name: name.id } : { id: name.id } };
        // A role from which others inherit cannot be deleted.
        if (type === 'role' && node.name === 'reader') continue;
        await expectExact(sent);
      }
    },
  );

  test('each edge that is deleted', async () => {
    const edges = {
      membership: ['user', 'group'],
      'group-role': ['group', 'role'],
      assignment: ['user', 'scope', 'role'],
    };
    const labels = { Membership: 'membership', GroupRole: 'group-role', Assignment: 'assignment' } as const;
    const seen = new Set<string>();
    for (const item of world.items()) {
      const kind = labels[item.Type as keyof typeof labels];
      if (!kind) continue;
      const input = Object.fromEntries(edges[kind].map((field) => [field, item[field]]));
      const text = JSON.stringify([kind, input]);
      if (seen.has(text)) continue;
      seen.add(text);
      await expectExact({ command: `${kind}.delete`, input });
    }
    expect(seen.size).toBe(7);
  });

  test('what is closed, opened, moved and sold', async () => {
    const [school, north] = [idOf('tenant', 'school'), idOf('location', 'north')];
    await expectExact({ command: 'tenant.update', input: { id: school, status: 'suspended' } });
    await expectExact({ command: 'location.update', input: { id: north, status: 'suspended' } });
    await expectExact({ command: 'tenant.update', input: { id: school, combination: 'allow-overrides' } });
    await expectExact({ command: 'user.update', input: { id: idOf('user', 'ann'), status: 'disabled' } });
    await expectExact({ command: 'module.update', input: { name: 'reports', soldBySubscription: false } });
    const east = nodesOf('wing')[0]?.id;
    const parent = `location:${idOf('location', 'south')}`;
    await expectExact({ command: 'scope.move', input: { scope: `wing:${east}`, parent } });
  });

  test('what is granted, and a sequence in which nothing is lost in the end', async () => {
    const gus = idOf('user', 'gus');
    await expectExact({ command: 'admin.create', input: { user: gus } });
    await expectExact({ command: 'global-role.create', input: { user: gus, role: idOf('role', 'helper') } });
    await expectExact({
      command: 'role.update',
      input: { id: idOf('role', 'censor'), parent: idOf('role', 'reader') },
    });
    const edge = { group: idOf('group', 'staff'), role: idOf('role', 'teacher') };
    const { loses, gains } = await expectExact(
      { command: 'group-role.delete', input: edge },
      { command: 'group-role.create', input: edge },
    );
    expect([loses.people, gains.people]).toEqual([0, 0]);
  });
});
