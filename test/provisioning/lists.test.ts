import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { createInputs } from './kinds.ts';
import { createLedgerWorld, type Input, type Result } from './support.ts';

/** What rows.integration.test.ts, which walks every list by pages, does not ask: bounds, cursors, orders. */
const LISTS = [...COMMANDS.keys()].filter((name) => name.endsWith('.list'));

const world = await createLedgerWorld();
await world.apply(`
scopes:
  Many: { id: many, type: tenant }
  Account: { id: works, type: account }
groups: { all: { id: all, scope: Many }, other: { id: other, scope: Many } }
users:
  ann: { id: ann, tenant: Account, groups: [all] }
  bob: { id: bob, tenant: Account, groups: [all] }
`);
const inputOf = createInputs(world);
const inputs: Record<string, Input> = {};
for (const list of LISTS) inputs[list] = await inputOf(list);

test('a list without a limit has one', async () => {
  const api = 'crowded';
  const route = { api, method: 'GET', permission: 'p', scope: 'tenant:{claim:t}' };
  const paths = Array.from({ length: 101 }, (_, i) => `/${i}`);
  await Promise.all(paths.map((path) => world.run('route.create', { ...route, path })));
  const first = await world.run('route.list', { api });
  expect((first.items as unknown[]).length).toBe(100);
  const second = await world.run('route.list', { api, cursor: first.cursor });
  expect((second.items as unknown[]).length).toBe(1);
});

test('users by the instant of their creation, either way, in the tenant and with the status they have now', async () => {
  const { run, clock } = world;
  const ids = async (more: Input) =>
    ((await run('user.list', { tenant: 'account:works', ...more })).items as Result[]).map(({ id }) => id);
  const from = clock.now() + 1_000;
  for (const id of ['first', 'second']) {
    clock.advance(1_000);
    await run('user.create', { id, tenant: 'account:works' });
  }
  const at = (ms: number) => new Date(ms).toISOString();
  expect(await ids({ from: at(from) })).toEqual(['first', 'second']);
  expect(await ids({ from: at(from), descending: true })).toEqual(['second', 'first']);
  expect(await ids({ from: at(from), until: at(from + 1_000) })).toEqual(['first']);
  // A period that ends before it begins is empty, not a fault.
  expect(await ids({ from: at(from + 1_000), until: at(from) })).toEqual([]);
  for (const [list, by] of [
    ['user.list', { status: 'active' }],
    ['audit.list', { tenant: 'account:works' }],
  ] as const) {
    const rows = async (more: Input) => (await run(list, { ...by, ...more })).items as Result[];
    expect((await rows({ descending: true })).toReversed()).toEqual(await rows({}));
  }
  await run('user.update', { id: 'first', tenant: null });
  expect(await ids({ from: at(from) })).toEqual(['second']);
  await run('user.update', { id: 'first', status: 'inactive' });
  const withStatus = async (status: string) =>
    ((await run('user.list', { status })).items as Result[]).map(({ id }) => id);
  expect(await withStatus('active')).not.toContain('first');
  expect(await withStatus('inactive')).toEqual(['first']);
});

test.each(LISTS)('%s refuses limits and cursors that are none', async (list) => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const wrong = {
    limit: [0, -1, 1_001, 1.5, '10', null, true],
    cursor: [
      ...['', 7, '%%%', Buffer.from('{').toString('base64url'), encoded({})],
      // Of another list, and too long.
      ...[encoded(['x', 0, null]), 'A'.repeat(2_049)],
    ],
  };
  for (const [field, values] of Object.entries(wrong))
    for (const value of values)
      expect(await world.refused(list, { ...inputs[list], [field]: value }), `${value}`).toMatchObject({
        code: 'invalid',
        field,
        retryable: false,
      });
});

describe('a cursor', () => {
  const cursorOf = async (list: string, by: Input): Promise<string> =>
    String((await world.run(list, { ...by, limit: 1 })).cursor);
  const forge = (cursor: string, change: (parts: [unknown, unknown, unknown]) => unknown): string => {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown, unknown];
    return Buffer.from(JSON.stringify(change(parts))).toString('base64url');
  };

  test('of another list of the same kind is refused', async () => {
    const cursor = await cursorOf('membership.list', { group: 'all' });
    expect(await world.outcome('membership.list', { group: 'other', cursor })).toBe('invalid cursor');
    expect(await world.refused('user.list', { cursor })).toMatchObject({ field: 'cursor' });
  });

  test.each([
    ['a range that the list has not', (p: unknown[]) => [p[0], 99, p[2]]],
    ['a range that is no number', (p: unknown[]) => [p[0], '0', p[2]]],
    ['a key that is no object', (p: unknown[]) => [p[0], p[1], 'META']],
    ['a key that is a list', (p: unknown[]) => [p[0], p[1], ['META']]],
    ['a key without its parts', (p: unknown[]) => [p[0], p[1], {}]],
    ['a key with a part that is no text', (p: unknown[]) => [p[0], p[1], { PK: 1, SK: 'x' }]],
    ['a key of another partition', (p: unknown[]) => [p[0], p[1], { PK: 'GLOBAL#GATEHOUSE', SK: 'x' }]],
    ['more than three parts', (p: unknown[]) => [...p, 1]],
  ])('with %s is refused', async (_, change) => {
    const by = { group: 'all' };
    const cursor = forge(await cursorOf('membership.list', by), change);
    expect(await world.outcome('membership.list', { ...by, cursor })).toBe('invalid cursor');
  });
});

test('names come along when they are asked for, as they are now', async () => {
  const { run, apply } = world;
  await apply(`
scopes: { North: { id: north, type: location, code: NAMES1 } }
groups: { old: { id: renamed, scope: North, groupType: TEACHER } }
users: { Ann: { id: named, userType: LEAD, groups: [old], grants: { North: [] } } }
`);
  await run('group.update', { id: 'renamed', name: 'new' });
  await run('user.update', { id: 'named', displayName: 'Ann' });
  const first = async (command: string, by: Input) =>
    ((await run(command, { withNames: true, ...by })).items as unknown[])[0];
  const ofUser = { user: 'named' };
  const names = { userDisplayName: 'Ann', userType: 'LEAD' };
  expect(await first('membership.list', ofUser)).toMatchObject({ groupName: 'new', groupType: 'TEACHER' });
  expect(await first('membership.list', { group: 'renamed' })).toMatchObject(names);
  expect(await first('grant.list', { scope: 'location:north' })).toMatchObject(names);
  expect(await first('grant.list', ofUser)).toMatchObject({ locationCode: 'NAMES1', locationName: 'North' });
  expect(await first('membership.list', { ...ofUser, withNames: false })).not.toHaveProperty('groupName');
});

test('no name comes along of a user whom another tenant lists', async () => {
  const { run, apply } = world;
  await apply(`
scopes: { Host: { id: host, type: tenant }, Hall: { id: hall, type: location, code: HALL1, parent: Host }, Home: { id: home, type: tenant } }
groups: { crowd: { id: crowd, scope: Hall } }
users:
  guest: { id: guest, displayName: Guest, tenant: Home, groups: [crowd], grants: { Host: [] } }
  local: { id: local, displayName: Local, tenant: Host, groups: [crowd], grants: { Host: [] } }
`);
  for (const [command, by] of [
    ['membership.list', { group: 'crowd' }],
    ['grant.list', { scope: 'tenant:host' }],
  ] as const) {
    const { items } = await run(command, { ...by, withNames: true });
    const shown = (items as { user: string; userDisplayName?: string }[]).map((item) => [
      item.user,
      item.userDisplayName,
    ]);
    expect(Object.fromEntries(shown)).toEqual({ guest: undefined, local: 'Local' });
  }
});

test('the log of a tenant names what is its own or nobody’s, who acted, and nothing that an application wrote', async () => {
  const { run, apply } = world;
  await apply(`
scopes: { Ours: { id: ours, type: tenant }, Theirs: { id: theirs, type: tenant } }
groups: { team: { id: team, scope: Ours, name: Team }, secret: { id: secret, scope: Theirs, name: Secret } }
users:
  anyones: { id: anyones, displayName: Anyone’s, groups: [team] }
  ours: { id: our-user, displayName: Ours, tenant: Ours, groups: [team] }
  theirs: { id: their-user, displayName: Theirs, tenant: Theirs, groups: [team] }
  acting: { id: acting, displayName: Acting, tenant: Theirs }
`);
  const record = { tenant: 'tenant:ours', action: 'seen' };
  const seen = [
    ['group', 'secret'],
    ['user', 'their-user'],
    ['user', 'acting'],
  ] as const;
  for (const [entityType, entityId] of seen) await run('audit.create', { ...record, entityType, entityId });
  const names = async () =>
    Object.keys((await run('audit.list', { tenant: 'tenant:ours', withNames: true })).names as object).sort();
  const own = ['group:team', 'tenant:ours', 'user:anyones', 'user:our-user'];
  expect(await names()).toEqual(own);
  await world.provision({
    command: 'audit.create',
    input: { ...record, entityType: 'door', entityId: '1' },
    actor: 'user:acting',
  });
  expect(await names()).toEqual([...own, 'user:acting'].sort());
});
