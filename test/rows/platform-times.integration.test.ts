import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { day, idOf, newAccount, newEnterprise, newLicense } from './platform-setup.ts';
import { row } from './row.ts';
import { BAD_CURSOR, create, HOUR, several, valuesOf } from './setup.ts';

/**
 * Seed 002, GSI2 and GSI3: what belongs to an account or has a status, by date. An index follows the table by
 * a moment, so what was just written is waited for.
 */

row('PL-05', async ({ world, reads, pages, record }) => {
  const [mine, other] = [await newAccount(world, 'PL05'), await newAccount(world, 'PL05 other')];
  const start = world.clock.now();
  const at = (hours: number) => new Date(start + hours * HOUR).toISOString();
  const made: string[] = [];
  const foreign: string[] = [];
  for (let n = 0; n < 4; n++) {
    made.push(await create(world, 'user', { tenant: mine, displayName: `mine ${n}` }));
    foreign.push(await create(world, 'user', { tenant: other }));
    world.clock.advance(HOUR);
  }
  const [first = '', second = '', third = '', fourth = ''] = made;
  // Of no account, a guest, and a technical user: none is a user of the account.
  const guest = await create(world, 'user', {});
  await world.run('grant.create', { user: guest, scope: mine });
  await create(world, 'technical-user', { account: mine, name: 'bot' });
  const account = idOf(mine);
  const holds = (expected: readonly string[], of = account) =>
    eventually(async () => {
      expect(valuesOf(await pages('user.list', { tenant: `account:${of}` }, 2), 'id')).toEqual(expected);
    });

  await holds(made);
  await holds(foreign, idOf(other));
  expect((await pages('user.list', { tenant: `account:${account}` }, 3)).map(({ length }) => length)).toEqual(
    [3, 1],
  );
  expect((await reads('user.list', { tenant: `account:${account}`, limit: 1 })).items[0]).toMatchObject({
    displayName: 'mine 0',
    tenant: mine,
  });
  // From an instant on, until before another, whatever the offset in which they are given.
  const ids = async (period: { from?: string; until?: string }) =>
    valuesOf(await pages('user.list', { tenant: `account:${account}`, ...period }, 1), 'id');
  expect(await ids({ from: at(1), until: at(3) })).toEqual([second, third]);
  expect(await ids({ from: at(1).replace('13:00:00.000Z', '15:00:00+02:00') })).toEqual([
    second,
    third,
    fourth,
  ]);
  expect(await ids({ until: at(0) })).toEqual([]);
  const never = { tenant: mine, from: at(2), until: at(1) };
  expect(await record(() => world.run('user.list', never))).toEqual({ items: [] });
  await expect(ids({ from: 'yesterday' })).rejects.toMatchObject({ code: 'invalid', field: 'from' });

  await world.run('user.update', { id: second, tenant: other });
  await world.run('user.delete', { id: third });
  await world.run('user.update', { id: guest, tenant: mine });
  await holds([first, fourth, guest]);
  await holds(
    [foreign[0] ?? '', second, ...foreign.slice(1)].sort(byCreation([...made, ...foreign])),
    idOf(other),
  );
  const { cursor } = await reads('user.list', { tenant: `account:${account}`, limit: 1 });
  await expect(reads('user.list', { tenant: other, cursor })).rejects.toMatchObject(BAD_CURSOR);

  /** They were created two an hour; two of one hour are in the order of their ids. */
  function byCreation(ids: readonly string[]) {
    const hour = (id: string) => ids.indexOf(id) % made.length;
    return (a: string, b: string) => hour(a) - hour(b) || (a < b ? -1 : 1);
  }
});

row('PL-12', async ({ world, reads, pages }) => {
  const accounts = [await newAccount(world, 'PL12 a'), await newAccount(world, 'PL12 b')];
  const enterprise = await newEnterprise(world, 'PL12');
  const ending = (n: number, endDate?: string, status = 'active') =>
    newLicense(world, accounts[n % 2] ?? '', enterprise, { status, ...(endDate ? { endDate } : {}) });
  // Not in the order of their dates: more than there are shards, of both accounts.
  const dates = [day(3, 5), day(2, 1), day(1, 10), day(2, 20), day(1, 31), day(2, 10), day(2, 28)];
  const ids = await several(dates.length, (n) => ending(n, dates[n]));
  const of = (...wanted: readonly string[]) => wanted.map((date) => ids[dates.indexOf(date)]);
  const forever = await ending(0);
  const past = await ending(1, day(2, 5), 'expired');
  // The 15th of January: one has ended already, though nobody has said so.
  const until = day(2, 28);

  await eventually(async () => {
    expect((await reads('license.list', { status: 'active' })).items).toHaveLength(8);
    expect(valuesOf([(await reads('license.list', { status: 'expired' })).items], 'id')).toEqual([past]);
  });
  const soon = of(day(1, 31), day(2, 1), day(2, 10), day(2, 20));
  const from = new Date(world.clock.now()).toISOString();
  for (const limit of [1, 2, 3, 4]) {
    const seen = await pages('license.list', { status: 'active', from, until }, limit);
    expect(valuesOf(seen, 'id')).toEqual(soon);
    expect(seen[0]).toHaveLength(limit);
  }
  expect(valuesOf([(await reads('license.list', { status: 'active', until })).items], 'id')).toEqual([
    ...of(day(1, 10)),
    ...soon,
  ]);
  // Without a date to end by: one that never ends comes last.
  expect(valuesOf(await pages('license.list', { status: 'active', from: day(2, 28) }, 2), 'id')).toEqual([
    ...of(day(2, 28), day(3, 5)),
    forever,
  ]);

  // Prolonged, given an end, ended and taken away.
  const [first, second, third] = soon;
  await world.run('license.update', { id: first, endDate: day(2, 15) });
  await world.run('license.update', { id: second, status: 'expired' });
  await world.run('license.delete', { id: third });
  await world.run('license.update', { id: forever, endDate: day(2, 25) });
  await eventually(async () => {
    expect(valuesOf(await pages('license.list', { status: 'active', from, until }, 2), 'id')).toEqual([
      first,
      soon[3],
      forever,
    ]);
  });
  expect(valuesOf([(await reads('license.list', { status: 'expired', from, until })).items], 'id')).toEqual([
    second,
    past,
  ]);
  // By now the first of them has ended: who asks from now on does not get it.
  world.clock.advance(Date.parse(day(2, 16)) - world.clock.now());
  const now = new Date(world.clock.now()).toISOString();
  expect(valuesOf(await pages('license.list', { status: 'active', from: now, until }, 1), 'id')).toEqual([
    soon[3],
    forever,
  ]);
  const { cursor } = await reads('license.list', { status: 'active', until, limit: 1 });
  await expect(reads('license.list', { status: 'active', until: day(3, 1), cursor })).rejects.toMatchObject(
    BAD_CURSOR,
  );
  await expect(reads('license.list', { status: 'active', until: 'soon' })).rejects.toMatchObject({
    field: 'until',
  });
  await expect(reads('license.list', { status: 'ended' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'status',
  });
});

row('PL-13', async ({ world, reads, pages }) => {
  const dates = [day(6, 4), day(6, 1), day(6, 5), day(6, 3), day(6, 2)];
  const tenant = await newAccount(world, 'PL13');
  const users = (status: string) =>
    several(dates.length, (n) =>
      create(world, 'user', { status, endsAt: dates[n], ...(n % 2 === 0 ? { tenant } : {}) }),
    );
  const [active, inactive] = [await users('active'), await users('inactive')];
  const disabled = await create(world, 'user', { status: 'disabled', endsAt: day(6, 3) });
  // Without an end: last of all.
  const [forever, gone] = [
    await create(world, 'user', {}),
    await create(world, 'user', { status: 'inactive' }),
  ];
  const inOrder = (ids: readonly string[]) => [1, 4, 3, 0, 2].map((place) => ids[place] ?? '');
  const ids = async (input: { status: string; from?: string; until?: string }, limit = 2) =>
    valuesOf(await pages('user.list', input, limit), 'id');
  // The users of this row, among all those of this file.
  const known = new Set([...active, ...inactive, disabled, forever, gone]);
  const mine = (all: readonly unknown[]) => all.filter((id) => known.has(String(id)));

  await eventually(async () => {
    expect(mine(await ids({ status: 'active' }))).toEqual([...inOrder(active), forever]);
    expect(await ids({ status: 'inactive' })).toEqual([...inOrder(inactive), gone]);
    expect(await ids({ status: 'disabled' })).toEqual([disabled]);
  });
  const period = { from: day(6, 2), until: day(6, 5) };
  for (const limit of [1, 2, 3]) {
    expect(await ids({ status: 'active', ...period }, limit)).toEqual(inOrder(active).slice(1, 4));
    expect(await ids({ status: 'inactive', ...period }, limit)).toEqual(inOrder(inactive).slice(1, 4));
  }
  const [first = '', second = '', third = ''] = inOrder(active);
  await world.run('user.update', { id: first, status: 'inactive' });
  await world.run('user.update', { id: second, endsAt: null });
  await world.run('user.delete', { id: third });
  await eventually(async () => {
    expect(await ids({ status: 'active', until: day(7, 1) })).toEqual(inOrder(active).slice(3));
    expect(await ids({ status: 'active', from: day(7, 1) })).toContain(second);
    expect(new Set(await ids({ status: 'inactive', until: day(6, 2) }))).toEqual(
      new Set([first, inOrder(inactive)[0]]),
    );
  });
  await expect(reads('user.list', { status: 'idle' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'status',
  });
});
