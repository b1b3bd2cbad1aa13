import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { stamped, touchDecision } from '../../table/decision/writes.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { size } from '../support/tier.ts';
import { type Event, inParallel } from './stepwise.ts';
import { createLightLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/**
 * Sizes far beyond a transaction: each works end to end, or is refused before anything is written. The soak tier has
 * ten times as much of each.
 */
const HUNDRED = size(100, 1_000);
let world: LedgerWorld;
const id: Record<string, string> = {};
const make = async (name: string, command: string, input: Input) => {
  id[name] = (await world.run(command, input)).id;
};
const count = (many: number) => [...Array(many).keys()];

/** Puts the actions of many commands into few transactions, without the records of what happened. */
async function seed(events: readonly Event[]): Promise<readonly string[]> {
  const isData = (action: Action) =>
    action.kind !== 'put' ||
    !['AuditLog', 'AuditCount', 'PseudonymKey', 'Operation'].includes(String(action.item.Type));
  const planned = await inParallel(events, 8, async (event) => {
    const actions: Action[] = [];
    const send = async (each: readonly Action[]) => void actions.push(...each.filter(isData));
    const answer = await createProvisioning({ ...world, writer: { send }, newId: () => ulid() })(event);
    if (!answer.ok) throw new Error(`${event.command}: ${answer.error.message}`);
    return { actions, id: String(answer.result.id) };
  });
  let batch: readonly Action[] = [];
  for (const { actions } of planned) {
    const more = mergeActions([...batch, ...actions]);
    if (more.length > 100) {
      await world.writer.send(batch);
      batch = actions;
    } else batch = more;
  }
  await world.writer.send(batch);
  return planned.map((each) => each.id);
}
const all = (command: string, inputs: readonly Input[]) => inputs.map((input) => ({ command, input }));

/** Bytes of an item as DynamoDB counts them, near enough: names and values in UTF-8. */
function bytesOf(value: unknown): number {
  if (value instanceof Set || Array.isArray(value))
    return [...value].reduce<number>((sum, each) => sum + 1 + bytesOf(each), 3);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + bytesOf(each), 3);
  return typeof value === 'string' ? Buffer.byteLength(value) : 8;
}

/** A check with nothing cached: its answer, its calls, and what they read, in bytes and units of 4 KB. */
async function coldCheck(subject: string, permission: string, scope: string) {
  const items: Item[] = [];
  let calls = 0;
  const reader = {
    getSnapshot: world.reader.getSnapshot,
    getMany: async (keys: Parameters<LedgerWorld['reader']['getMany']>[0]) => {
      calls += 1;
      const found = await world.reader.getMany(keys);
      items.push(...found.filter((item) => item !== undefined));
      return found;
    },
  };
  world.settle();
  const before = world.calls.length;
  const { reason } = await world.newEngine({ reader }).check(subject, permission, scope);
  const sent = world.calls.slice(before);
  expect(sent.map(({ operation }) => operation)).toEqual(sent.map(() => 'BatchGetItem'));
  const bytes = Object.fromEntries(
    items.map((item) => [`${item.PK.split('#')[0]} / ${item.SK}`, bytesOf(item)]),
  );
  const units = items.reduce((sum, item) => sum + Math.ceil(bytesOf(item) / 4096), 0);
  return { reason, calls, sent: sent.length, bytes, units };
}
const figures: string[] = [];
const report = (what: string, { calls, bytes, units }: Awaited<ReturnType<typeof coldCheck>>) =>
  figures.push(`${what}: ${calls} call(s), ${units} units, ${JSON.stringify(bytes)}`);

beforeAll(async () => {
  world = await createLightLedgerWorld();
  await make('plain', 'user.create', {});
  await make('user', 'user.create', {});
  await make('location', 'location.create', { name: 'Large' });
  await make('other', 'location.create', { name: 'Other' });
  await make('role', 'role.create', { name: 'large', scope: 'global' });
  await world.run('page.create', { name: 'home' });
});
const large = () => `location:${id.location}`;

describe('a location with hundreds of groups, and a user in more of them, with many assignments', () => {
  let groups: readonly string[] = [];
  beforeAll(async () => {
    const of = (scope: string, many: number) => count(many).map(() => ({ scope, name: 'group' }));
    groups = await seed(
      all('group.create', [...of(large(), 2 * HUNDRED - 10), ...of(`location:${id.other}`, HUNDRED)]),
    );
    const more = await inParallel(of(large(), 10), 4, (input) => world.run('group.create', input));
    groups = [...more.map((group) => group.id), ...groups];
    const withRole = groups.slice(0, 2 * HUNDRED).map((group) => ({ group, role: id.role }));
    await seed(all('group-role.create', withRole.slice(10)));
    await inParallel(withRole.slice(0, 10), 4, (input) => world.run('group-role.create', input));
    const joined = groups.map((group) => ({ group, user: id.user }));
    await seed(all('membership.create', joined.slice(10)));
    await inParallel(joined.slice(0, 10), 4, (input) => world.run('membership.create', input));
    const roles = await seed(
      all(
        'role.create',
        count(HUNDRED / 4).map((i) => ({ name: `r${i}`, scope: 'global' })),
      ),
    );
    const assigned = roles.flatMap((role) =>
      [large(), `location:${id.other}`].map((scope) => ({
        role,
        scope,
        user: id.user,
        startsAt: '2026-01-01T00:00:00.000Z',
      })),
    );
    await seed(all('assignment.create', assigned.slice(10)));
    await inParallel(assigned.slice(0, 10), 4, (input) => world.run('assignment.create', input));
    await world.run('role-permission.create', { role: id.role, permission: 'home', effect: 'ALLOW' });
  });

  test('every page of their lists', async () => {
    expect(await world.listed('membership.list', { user: id.user, limit: HUNDRED })).toHaveLength(
      3 * HUNDRED,
    );
    expect(await world.listed('group.list', { scope: large(), limit: HUNDRED })).toHaveLength(2 * HUNDRED);
    expect(await world.listed('assignment.list', { user: id.user, limit: 0.3 * HUNDRED })).toHaveLength(
      HUNDRED / 2,
    );
    expect(await world.listed('group-role.list', { role: id.role, limit: HUNDRED })).toHaveLength(
      2 * HUNDRED,
    );
  });

  test('a cold check is one call, for the user and for anybody else there', async () => {
    const both = await coldCheck(`user:${id.user}`, 'home', large());
    expect(both).toMatchObject({ reason: 'role', calls: 1, sent: 1 });
    report(
      `user of ${3 * HUNDRED} groups and ${HUNDRED / 2} assignments at a location of ${2 * HUNDRED} groups`,
      both,
    );
    const there = await coldCheck(`user:${id.plain}`, 'home', large());
    expect(there).toMatchObject({ reason: 'no_grant', calls: 1, sent: 1 });
    report('user of nothing there', there);
    const elsewhere = await coldCheck(`user:${id.user}`, 'home', `location:${id.other}`);
    expect(elsewhere).toMatchObject({ reason: 'no_grant', calls: 1, sent: 1 });
    report('that user at the other location', elsewhere);
  });

  test('the user is deleted in steps, and one group of the many as well', async () => {
    await world.run('group.delete', { id: groups[0] });
    const before = world.transactions.length;
    await world.run('user.delete', { id: id.user });
    figures.push(`deletion of that user: ${world.transactions.length - before} transactions`);
    expect(await world.listed('membership.list', { user: id.user })).toEqual([]);
    expect(await world.listed('membership.list', { group: groups.at(-1) })).toEqual([]);
    expect(await world.reader.listAll({ ranges: [{ partition: `USER#${id.user}` }] })).toEqual([]);
  });
});

describe('a role with hundreds of permissions, and a permission of a hundred roles', () => {
  const name = (i: number) => `module:read:thing-${i}`;
  beforeAll(async () => {
    const names = count(2 * HUNDRED).map((i) => ({ name: name(i) }));
    await seed(all('permission.create', names));
    const granted = names.map((permission) => ({
      role: id.role,
      permission: permission.name,
      effect: 'ALLOW',
    }));
    await seed(all('role-permission.create', granted.slice(10)));
    await inParallel(granted.slice(0, 10), 4, (input) => world.run('role-permission.create', input));
    const roles = await seed(
      all(
        'role.create',
        count(HUNDRED).map((i) => ({ name: `s${i}`, scope: 'global' })),
      ),
    );
    const holding = roles.map((role, i) => ({ role, permission: name(0), effect: i % 2 ? 'ALLOW' : 'DENY' }));
    await seed(all('role-permission.create', holding.slice(10)));
    await inParallel(holding.slice(0, 10), 4, (input) => world.run('role-permission.create', input));
    await world.run('assignment.create', { user: id.plain, scope: `location:${id.other}`, role: id.role });
  });

  test('every page of their lists', async () => {
    expect(await world.listed('role-permission.list', { role: id.role, limit: 0.7 * HUNDRED })).toHaveLength(
      2 * HUNDRED + 1,
    );
    expect(
      await world.listed('role-permission.list', { permission: name(0), limit: 0.3 * HUNDRED }),
    ).toHaveLength(HUNDRED + 1);
  });

  test('a cold check is one call', async () => {
    const granted = await coldCheck(`user:${id.plain}`, name(0), `location:${id.other}`);
    expect(granted).toMatchObject({ reason: 'role', calls: 1, sent: 1 });
    report(`a permission of ${HUNDRED + 1} roles`, granted);
    const one = await coldCheck(`user:${id.plain}`, name(7), `location:${id.other}`);
    expect(one).toMatchObject({ reason: 'role', calls: 1, sent: 1 });
    report(`one permission of a role that has ${2 * HUNDRED + 1}`, one);
  });

  test('both are deleted in steps', async () => {
    const before = world.transactions.length;
    await world.run('permission.delete', { name: name(0) });
    const between = world.transactions.length;
    await world.run('role.delete', { id: id.role });
    figures.push(
      `deletion of the permission: ${between - before} transactions, of the role: ${world.transactions.length - between}`,
    );
    expect(await world.reader.listAll({ ranges: [{ partition: `ROLE#${id.role}` }] })).toEqual([]);
    expect(await coldCheck(`user:${id.plain}`, name(7), `location:${id.other}`)).toMatchObject({
      reason: 'no_grant',
    });
  });
});

describe('depth', () => {
  test('eight levels and sixteen: two calls; the seventeenth is refused', async () => {
    const client = `client:${(await world.run('client.create', { name: 'Deep' })).id}`;
    const project = `project:${(await world.run('project.create', { name: 'p', parent: client })).id}`;
    let parent = `building:${(await world.run('building.create', { name: 'b', parent: project })).id}`;
    await make('visitor', 'role.create', { name: 'visitor', scope: client });
    await world.run('role-permission.create', { role: id.visitor, permission: 'home', effect: 'ALLOW' });
    await world.run('assignment.create', { user: id.plain, scope: client, role: id.visitor });
    for (let level = 3; level <= 16; level++) {
      parent = `zone:${(await world.run('zone.create', { name: `z${level}`, parent })).id}`;
      if (level !== 8 && level !== 16) continue;
      const checked = await coldCheck(`user:${id.plain}`, 'home', parent);
      expect(checked).toMatchObject({ reason: 'role', calls: 2, sent: 2 });
      figures.push(`${level} scopes above: ${checked.calls} calls, ${checked.units} units`);
    }
    const written = world.transactions.length;
    for (const type of ['zone', 'device']) {
      expect(await world.refused(`${type}.create`, { name: 'x', parent })).toMatchObject({
        code: 'limit_exceeded',
        field: 'parent',
      });
    }
    expect(world.transactions.length).toBe(written);
    await world.run('scope.delete-tree', { scope: client });
    expect(await world.refused('client.read', { id: client.split(':')[1] })).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a decision item that is full', () => {
  test('the membership that would pass 400 KB is refused, and nothing of it is written', async () => {
    const user = (await world.run('user.create', {})).id;
    const group = (await world.run('group.create', { scope: `location:${id.other}`, name: 'last' })).id;
    const ref = { type: 'user', id: user };
    // Groups that are not there, as many as it takes: only the size matters here.
    for (const portion of [1_000, 100, 10, 1]) {
      for (let isFull = false; !isFull; ) {
        const groups = new Set(count(portion).map(() => ulid()));
        const joined = { ...touchDecision(ref), add: { groups } };
        isFull = await world.writer.send(stamped([joined], { writtenAt: 1, writeId: 'joined' })).then(
          () => false,
          ({ code }) => code === 'limit_exceeded',
        );
      }
    }
    const stateOf = () => world.reader.listAll({ ranges: [{ partition: `USER#${user}` }] });
    const before = await stateOf();
    expect(await world.refused('membership.create', { user, group })).toMatchObject({
      code: 'limit_exceeded',
      retryable: false,
    });
    expect(await stateOf()).toEqual(before);
    expect(await world.listed('membership.list', { group })).toEqual([]);
    const full = await world.reader.get(decisionKey(ref));
    figures.push(
      `a user's decision item is full with ${(full?.groups as Set<string> | undefined)?.size} groups, ${bytesOf(full)} bytes`,
    );
  });
});

test('the figures', () => {
  if (process.env.FIGURES) console.info(figures.join('\n'));
  expect(figures.length).toBeGreaterThan(5);
});
