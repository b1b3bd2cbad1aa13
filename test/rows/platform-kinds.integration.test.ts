import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { idOf, newAccount, newEnterprise } from './platform-setup.ts';
import { type RowContext, row } from './row.ts';
import { BAD_CURSOR, create, newGroup, newLocation, several, sorted, valuesOf } from './setup.ts';

/**
 * Seed 002, GSI1: all of a kind. The table begins empty and no row makes what one after it lists, so that each
 * list is compared as a whole.
 */

/** The list page by page, once it holds as many as it should: an index follows the table by a moment. */
async function holds({ reads, pages }: RowContext, list: string, ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { items } = await reads(list, {});
    expect(sorted(...items.map(({ id }) => String(id)))).toEqual(sorted(...ids));
  });
  for (const limit of [1, 2, ids.length]) {
    const seen = await pages(list, {}, limit);
    expect(valuesOf(seen, 'id')).toHaveLength(ids.length);
    expect(new Set(valuesOf(seen, 'id'))).toEqual(new Set(ids));
  }
}

row('PL-01', async (context) => {
  const { world, reads } = context;
  // More than there are shards, so that one holds several.
  const made = await several(6, async (n) => idOf(await newAccount(world, `PL01 ${n}`)));
  // Not an account, though it looks like one.
  await create(world, 'tenant', { name: 'PL01 0' });
  await create(world, 'client', { name: 'PL01 0' });
  await holds(context, 'account.list', made);
  const [first, ...rest] = made;
  expect((await reads('account.list', {})).items.find(({ id }) => id === first)).toMatchObject({
    name: 'PL01 0',
    status: 'active',
  });
  await world.run('account.delete', { id: first });
  await holds(context, 'account.list', rest);
});

row('PL-02', async (context) => {
  const { world, reads } = context;
  const made = await several(5, async (n) => idOf(await newEnterprise(world, `PL02 ${n}`)));
  await newAccount(world, 'PL02 0');
  await holds(context, 'enterprise.list', made);
  await world.run('enterprise.update', { id: made[1], status: 'suspended', name: 'PL02 renamed' });
  await eventually(async () => {
    const { items } = await reads('enterprise.list', {});
    expect(items.find(({ id }) => id === made[1])).toMatchObject({
      name: 'PL02 renamed',
      status: 'suspended',
    });
  });
  await world.run('enterprise.delete', { id: made[4] });
  await holds(context, 'enterprise.list', made.slice(0, 4));
});

row('PL-14', async (context) => {
  const { world, reads } = context;
  const newNotification = (deliveryStatus: string, more: object = {}) =>
    create(world, 'notification', { notificationType: 'invitation', deliveryStatus, ...more });
  // Of an account or of none, whatever became of them, sent whenever.
  const made = [
    await newNotification('sent', {
      account: await newAccount(world, 'PL14'),
      sentAt: '2020-01-01T00:00:00Z',
    }),
    ...(await several(4, (n) => newNotification(['sent', 'failed', 'skipped'][n % 3] ?? ''))),
    await newNotification('failed', { errorMessage: 'No such mailbox', recipientEmail: 'Ann@Example.com' }),
  ];
  await holds(context, 'notification.list', made);
  expect((await reads('notification.list', {})).items.find(({ id }) => id === made[5])).toMatchObject({
    notificationType: 'invitation',
    deliveryStatus: 'failed',
    errorMessage: 'No such mailbox',
    recipientEmail: 'ann@example.com',
    sentAt: new Date(world.clock.now()).toISOString(),
  });
  await world.run('notification.delete', { id: made[0] });
  await holds(context, 'notification.list', made.slice(1));
});

row('PL-20', async (context) => {
  const { world, reads } = context;
  const [here, there] = [await newLocation(world), await newLocation(world)];
  const made = await several(9, (n) => newGroup(world, n % 2 === 0 ? here : there, `pl20 ${n}`));
  await holds(context, 'group.list', made);
  const { items } = await reads('group.list', {});
  expect(items.find(({ id }) => id === made[1])).toMatchObject({
    scope: `location:${there}`,
    name: 'pl20 1',
    groupType: 'TEACHER',
  });
  await world.run('group.delete', { id: made[0] });
  await holds(context, 'group.list', made.slice(1));
});

row('PL-21', async (context) => {
  const { world, reads } = context;
  const ids = {
    product: await several(5, (n) => create(world, 'product', { name: `pl21 product ${n}` })),
    service: await several(5, (n) => create(world, 'service', { name: `pl21 service ${n}` })),
  };
  await holds(context, 'product.list', ids.product);
  await holds(context, 'service.list', ids.service);
  const enterprise = await newEnterprise(world, 'PL21');
  const [product] = ids.product;
  // One that is in use goes from the enterprise as well.
  await world.run('enterprise-product.create', { enterprise, product });
  await world.run('product.delete', { id: product });
  await holds(context, 'product.list', ids.product.slice(1));
  await holds(context, 'service.list', ids.service);
  const { cursor } = await reads('product.list', { limit: 1 });
  await expect(reads('service.list', { limit: 1, cursor })).rejects.toMatchObject(BAD_CURSOR);
});
