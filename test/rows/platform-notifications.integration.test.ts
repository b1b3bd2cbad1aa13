import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { World } from '../support/world.ts';
import { day, newAccount } from './platform-setup.ts';
import { row } from './row.ts';
import { BAD_CURSOR, create, several, sorted, valuesOf } from './setup.ts';

/** Seed 002, "Notification Audit Log": by account and by delivery status. Each row has a part of the year. */
const newNotification = (world: World, deliveryStatus: string, sentAt: string, more: object = {}) =>
  create(world, 'notification', { notificationType: 'invitation', deliveryStatus, sentAt, ...more });

row('PL-15', async ({ world, reads, pages }) => {
  const [mine, other] = [await newAccount(world, 'PL15'), await newAccount(world, 'PL15 other')];
  // Written in another order than sent, and whatever became of them.
  const dates = [day(1, 3), day(1, 1), day(1, 4), day(1, 2)];
  const statuses = ['sent', 'failed', 'skipped', 'sent'];
  const newOf = (account: string | undefined) => (n: number) =>
    newNotification(world, statuses[n] ?? '', dates[n] ?? '', { account });
  const [made, foreign] = [await several(4, newOf(mine)), await several(4, newOf(other))];
  await newOf(undefined)(0);
  await create(world, 'user', { tenant: mine });
  const account = mine;
  const inOrder = (ids: readonly string[]) => [1, 3, 0, 2].map((place) => ids[place]);
  const ids = async (input: { account: string; from?: string; until?: string }, limit = 3) =>
    valuesOf(await pages('notification.list', input, limit), 'id');

  await eventually(async () => {
    expect(await ids({ account })).toEqual(inOrder(made));
    expect(await ids({ account: other })).toEqual(inOrder(foreign));
  });
  expect((await pages('notification.list', { account: account }, 3)).map(({ length }) => length)).toEqual([
    3, 1,
  ]);
  const period = { from: day(1, 2), until: day(1, 4) };
  for (const limit of [1, 2])
    expect(await ids({ account, ...period }, limit)).toEqual(inOrder(made).slice(1, 3));
  expect((await reads('notification.list', { account, limit: 1 })).items[0]).toMatchObject({
    account: mine,
    deliveryStatus: 'failed',
    sentAt: day(1, 1),
  });
  // Sent again later, and taken away.
  await world.run('notification.update', { id: made[1], deliveryStatus: 'sent', sentAt: day(1, 5) });
  await world.run('notification.delete', { id: made[2] });
  await eventually(async () => expect(await ids({ account })).toEqual([made[3], made[0], made[1]]));
  const { cursor } = await reads('notification.list', { account, limit: 1 });
  await expect(reads('notification.list', { account: other, cursor })).rejects.toMatchObject(BAD_CURSOR);
});

row('PL-16', async ({ world, reads, pages }) => {
  const dates = [day(2, 3), day(2, 1), day(2, 5), day(2, 4), day(2, 2)];
  const newOf = (status: string, more: object) =>
    several(dates.length, (n) => newNotification(world, status, dates[n] ?? '', more));
  const failed = await newOf('failed', { errorMessage: 'No such mailbox' });
  const skipped = await newOf('skipped', { skipReason: 'unsubscribed' });
  await newOf('sent', {});
  const inOrder = (ids: readonly string[]) => [1, 4, 0, 3, 2].map((place) => ids[place]);
  const period = { from: day(2, 1), until: day(3, 1) };
  const ids = async (deliveryStatus: 'failed' | 'skipped', limit = 2) =>
    valuesOf(await pages('notification.list', { deliveryStatus, ...period }, limit), 'id');

  await eventually(async () => {
    expect(await ids('failed')).toEqual(inOrder(failed));
    expect(await ids('skipped')).toEqual(inOrder(skipped));
  });
  for (const limit of [1, 3, 5]) expect(await ids('failed', limit)).toEqual(inOrder(failed));
  const [first] = (await reads('notification.list', { deliveryStatus: 'skipped', ...period })).items;
  expect(first).toMatchObject({ deliveryStatus: 'skipped', skipReason: 'unsubscribed', sentAt: day(2, 1) });
  // With no bounds, all there ever were.
  const whole = (await reads('notification.list', { deliveryStatus: 'failed' })).items;
  expect(valuesOf([whole], 'id')).toEqual(expect.arrayContaining(failed));
  for (const each of whole) expect(each).toMatchObject({ deliveryStatus: 'failed' });

  await world.run('notification.update', { id: failed[0], deliveryStatus: 'sent', errorMessage: null });
  await world.run('notification.delete', { id: failed[1] });
  await world.run('notification.update', { id: skipped[2], deliveryStatus: 'failed' });
  await eventually(async () => {
    const [fourth, second] = [failed[3], failed[4]];
    const last = sorted(failed[2] ?? '', skipped[2] ?? '');
    expect(await ids('failed')).toEqual([second, fourth, ...last]);
    expect(await ids('skipped')).toEqual(inOrder(skipped).slice(0, 4));
  });
  const status = 'lost' as 'failed';
  await expect(reads('notification.list', { deliveryStatus: status })).rejects.toMatchObject({
    code: 'invalid',
    field: 'deliveryStatus',
  });
});

row('PL-17', async ({ world, reads, pages, record }) => {
  const accounts = [await newAccount(world, 'PL17 a'), await newAccount(world, 'PL17 b')];
  const dates = [day(8, 3), day(8, 1), day(8, 5), day(8, 4), day(8, 2), day(8, 6)];
  const made = await several(dates.length, (n) =>
    newNotification(world, 'sent', dates[n] ?? '', { account: accounts[n % 2] }),
  );
  for (const status of ['failed', 'skipped']) await newNotification(world, status, day(8, 3));
  const of = (...days: readonly number[]) => days.map((n) => made[dates.indexOf(day(8, n))]);
  const ids = async (period: { from?: string; until?: string }, limit = 2) =>
    valuesOf(await pages('notification.list', { deliveryStatus: 'sent', ...period }, limit), 'id');
  const august = { from: day(8, 1), until: day(9, 1) };

  await eventually(async () => expect(await ids(august)).toEqual(of(1, 2, 3, 4, 5, 6)));
  // The first instant belongs to the range, the last does not.
  const range = { from: day(8, 2), until: day(8, 5) };
  for (const limit of [1, 2, 3, 4]) expect(await ids(range, limit)).toEqual(of(2, 3, 4));
  expect(await ids({ from: '2026-08-02T00:00:00.001Z', until: '2026-08-05T00:00:00.001Z' })).toEqual(
    of(3, 4, 5),
  );
  expect(await ids({ from: '2026-08-03T02:00:00+02:00', until: '2026-08-03T23:00:00-02:00' })).toEqual(
    of(3, 4),
  );
  const never = { deliveryStatus: 'sent', from: day(8, 5), until: day(8, 2) } as const;
  expect(await record(() => world.run('notification.list', never))).toEqual({ items: [] });
  expect(await ids({ from: day(8, 5), until: day(9, 1) })).toEqual(of(5, 6));
  // A day is all of it.
  expect(await ids({ from: '2026-08-02', until: '2026-08-04' })).toEqual(of(2, 3, 4));
  await expect(ids({ from: '2026-08' })).rejects.toMatchObject({ code: 'invalid', field: 'from' });

  await world.run('notification.update', { id: of(2)[0], sentAt: day(8, 7) });
  await world.run('notification.update', { id: of(3)[0], deliveryStatus: 'failed' });
  await world.run('notification.delete', { id: of(4)[0] });
  await eventually(async () => expect(await ids(august)).toEqual(of(1, 5, 6, 2)));
  const { cursor } = await reads('notification.list', { deliveryStatus: 'sent', ...august, limit: 1 });
  await expect(
    reads('notification.list', { deliveryStatus: 'sent', ...range, cursor }),
  ).rejects.toMatchObject(BAD_CURSOR);
});
