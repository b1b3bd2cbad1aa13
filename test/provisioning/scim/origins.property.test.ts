import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import { edgeKey } from '../../../table/keys.ts';
import * as fc from '../../support/fast-check.ts';
import { findingsOn } from '../findings.ts';
import { createLedgerWorld, type LedgerWorld } from '../support.ts';

/**
 * Memberships that an operator and two connections give, against a set of origins for each: whatever order they come and
 * go in, whoever is active, and wherever decision items hold them.
 */
const [USERS, GROUPS, CONNECTIONS] = [
  ['ann', 'bea'],
  ['finance', 'audit'],
  ['a', 'b'],
] as const;
const ISSUER = 'https://login.acme.example';
const MANIFEST = `
pages: [finance, audit]
scopes: { acme: { id: acme, type: tenant } }
roles:
  finance: { id: finance, owner: acme, allowOnly: true, allow: [finance] }
  audit: { id: audit, owner: acme, allowOnly: true, allow: [audit] }
groups:
  finance: { id: finance, scope: acme, roles: [finance], allowOnly: true }
  audit: { id: audit, scope: acme, roles: [audit], allowOnly: true }
externalGroups:
  - { scope: acme, issuer: "${ISSUER}", externalId: finance, group: finance }
  - { scope: acme, issuer: "${ISSUER}", externalId: audit, group: audit }
users:
  ann: { id: ann, email: ann@acme.example }
  bea: { id: bea, email: bea@acme.example }
`;

const step = fc.record({
  what: fc.constantFrom(
    ...['give', 'take', 'link', 'unlink', 'on', 'off', 'group', 'ungroup'],
    ...['add', 'add', 'add', 'remove', 'replace', 'migrate', 'join'],
  ),
  user: fc.constantFrom(...USERS),
  group: fc.constantFrom(...GROUPS),
  connection: fc.constantFrom(...CONNECTIONS),
  both: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What should be, in the plainest way. */
function createModel() {
  const origins = new Map<string, Set<string>>();
  /** Whether each user of a connection is active there. */
  const active = new Map<string, boolean>();
  const groups = new Set<string>();
  const of = (user: string, group: string): Set<string> => {
    const known = origins.get(`${user} ${group}`) ?? new Set();
    origins.set(`${user} ${group}`, known);
    return known;
  };
  const isLinked = (connection: string, user: string) => active.has(`${connection} ${user}`);
  const end = (connection: string, users: readonly string[], some: readonly string[]) => {
    for (const user of users) for (const group of some) of(user, group).delete(connection);
  };
  /** Does it, and answers whether that should succeed. */
  function take({ what, user, group, connection, both }: Step): boolean {
    const [link, own] = [`${connection} ${user}`, `${connection} ${group}`];
    const users = both ? USERS : [user];
    switch (what) {
      case 'give':
        if (of(user, group).has('hand')) return false;
        of(user, group).add('hand');
        return true;
      case 'take':
        return of(user, group).delete('hand');
      case 'link':
        if (active.has(link)) return false;
        active.set(link, !both);
        return true;
      case 'unlink':
        end(connection, [user], GROUPS);
        return active.delete(link);
      case 'on':
      case 'off':
        if (active.has(link)) active.set(link, what === 'on');
        return active.has(link);
      case 'group':
        if (groups.has(own)) return false;
        groups.add(own);
        return true;
      case 'ungroup':
        end(connection, USERS, [group]);
        return groups.delete(own);
      case 'add':
      case 'replace':
        if (!groups.has(own) || !users.every((each) => isLinked(connection, each))) return false;
        if (what === 'replace') end(connection, USERS, [group]);
        for (const each of users) of(each, group).add(connection);
        return true;
      case 'remove':
        if (groups.has(own)) end(connection, users, [group]);
        return groups.has(own);
      default:
        return true;
    }
  }
  const counts = (user: string, group: string): boolean =>
    [...of(user, group)].some((origin) => origin === 'hand' || active.get(`${origin} ${user}`) === true);
  return { take, of, counts };
}

function commandOf({ what, user, group, connection, both }: Step) {
  const users = both ? USERS : [user];
  const [link, own] = [
    { connection, user },
    { connection, group },
  ];
  const commands: Readonly<Record<string, readonly [string, object]>> = {
    give: ['membership.create', { user, group }],
    take: ['membership.delete', { user, group }],
    link: ['scim-user.create', { connection, userName: user, email: `${user}@acme.example`, active: !both }],
    unlink: ['scim-user.delete', link],
    on: ['scim-user.update', { ...link, active: true }],
    off: ['scim-user.update', { ...link, active: false }],
    group: ['scim-group.create', { connection, displayName: group, externalId: group }],
    ungroup: ['scim-group.delete', own],
    add: ['scim-group.members', { ...own, add: users }],
    remove: ['scim-group.members', { ...own, remove: users }],
    replace: ['scim-group.members', { ...own, replace: users }],
  };
  return commands[what];
}

/** Splits what can be, subjects or not, or joins it. */
async function migrating(world: LedgerWorld, joins: boolean, subjects: boolean) {
  const thresholds = { groupsOfSubject: subjects ? 0 : 100, groupsOfScope: 0, rolesOfRoot: 0 };
  const { unsplit } = await migrate({ ...world, newId: ulid, joins, thresholds });
  expect(unsplit).toBe(0);
}

async function holds(steps: readonly Step[]): Promise<void> {
  const [world, model] = [await createLedgerWorld(), createModel()];
  await world.apply(MANIFEST);
  await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
  for (const id of CONNECTIONS)
    await world.run('scim-connection.create', { id, scope: 'tenant:acme', name: id, issuer: ISSUER });
  for (const each of steps) {
    world.clock.advance(1);
    const sent = commandOf(each);
    if (sent === undefined) await migrating(world, each.what === 'join', each.both);
    const answer = sent ? await world.provision({ command: sent[0], input: sent[1] }) : { ok: true };
    expect([each, answer.ok]).toEqual([each, model.take(each)]);
  }
  world.settle();
  const engine = world.newEngine();
  for (const user of USERS)
    for (const group of GROUPS) {
      const item = await world.reader.get(edgeKey({ type: 'user', id: user }, { type: 'group', id: group }));
      const found = item && [...((item.origins as readonly string[] | undefined) ?? ['hand'])];
      const wanted = [...model.of(user, group)].sort();
      expect([user, group, found ?? []]).toEqual([user, group, wanted]);
      const { allowed } = await engine.check(`user:${user}`, group, 'tenant:acme', { consistency: 'strong' });
      expect([user, group, allowed]).toEqual([user, group, model.counts(user, group)]);
    }
  expect(await findingsOn(world)).toEqual([]);
}

test('a membership counts while one of its origins does, and ends with the last one', async () => {
  const sequences = fc.array(step, { minLength: 12, maxLength: 40 });
  await fc.assert(fc.asyncProperty(sequences, holds), { numRuns: 15, endOnFailure: true });
});

const OF_ANN = { user: 'ann', group: 'finance', connection: 'a', both: false } as const;

test('one that counts again is listed where the scope says, though its subject holds its groups itself', () =>
  holds(['link', 'group', 'add', 'off', 'migrate', 'on'].map((what) => ({ what, ...OF_ANN }))));
