import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { World } from '../support/world.ts';
import { row } from './row.ts';
import { BAD_CURSOR, valuesOf } from './setup.ts';

/** Seed 004, "Policy": what Verified Permissions has, by the names that people gave it. */
const newPolicy = (world: World, policyId: string, name: string, more: object = {}) =>
  world.run('policy.create', { policyId, name, ...more });

row('AZ-09', async ({ world, reads, pages }) => {
  // Not in the order of their names, and more than there are shards.
  const names = ['az09-b', 'AZ09-a.x', 'az09-a', 'az09', 'az09-c', 'az09-A-y', 'az09-a1'];
  for (const [n, name] of names.entries()) await newPolicy(world, `p-az09-${n}`, name);
  // One letter more before, one less, another after.
  for (const name of ['xaz09-a', 'az0', 'az1', 'az08-z']) await newPolicy(world, `q-${name}`, name);
  const found = async (prefix: string, limit: number) =>
    valuesOf(await pages('policy.list', { prefix }, limit), 'name');

  const ofA = ['az09-a', 'az09-A-y', 'AZ09-a.x', 'az09-a1'];
  const whole = ['az09', ...ofA, 'az09-b', 'az09-c'];
  await eventually(async () => expect(await found('az09', 3)).toEqual(whole));
  for (const limit of [1, 2, 7]) {
    expect(await found('az09', limit)).toEqual(whole);
    expect(await found('AZ09-A', limit)).toEqual(ofA);
  }
  expect((await pages('policy.list', { prefix: 'az09' }, 3)).map(({ length }) => length)).toEqual([3, 3, 1]);
  expect((await reads('policy.list', { prefix: 'az09-b' })).items).toEqual([
    expect.objectContaining({ policyId: 'p-az09-0', name: 'az09-b' }),
  ]);
  expect(await reads('policy.list', { prefix: 'az09-d' })).toEqual({ items: [] });
  // Without a beginning: all of them, by name.
  const all = valuesOf(await pages('policy.list', {}, 4), 'name');
  expect(all).toEqual(['az0', 'az08-z', ...whole, 'az1', 'xaz09-a']);

  await world.run('policy.update', { policyId: 'p-az09-0', name: 'az09-z' });
  await world.run('policy.delete', { policyId: 'p-az09-2' });
  await eventually(async () =>
    expect(await found('az09', 2)).toEqual(['az09', ...ofA.slice(1), 'az09-c', 'az09-z']),
  );
  const { cursor } = await reads('policy.list', { prefix: 'az09', limit: 1 });
  await expect(reads('policy.list', { prefix: 'az0', cursor })).rejects.toMatchObject(BAD_CURSOR);
  await expect(reads('policy.list', { prefix: 'az#' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'prefix',
  });
});

row('AZ-10', async ({ world, reads }) => {
  await newPolicy(world, 'p-az10', 'ticket-tenant-az10', { description: 'Stays in its tenant' });
  await newPolicy(world, 'p-az10-more', 'ticket-tenant-az10-more');
  expect(await reads('policy.read', { name: 'Ticket-Tenant-AZ10' })).toMatchObject({
    policyId: 'p-az10',
    name: 'ticket-tenant-az10',
    description: 'Stays in its tenant',
  });
  expect(await reads('policy.read', { name: 'ticket-tenant-az10-more' })).toMatchObject({
    policyId: 'p-az10-more',
  });
  expect(await reads('policy.read', { name: 'ticket-tenant' })).toBeUndefined();
  expect(await reads('policy.read', { name: 'p-az10' })).toBeUndefined();
  expect(
    await world.refused('policy.create', { policyId: 'p-az10-twin', name: 'TICKET-tenant-az10' }),
  ).toMatchObject({ code: 'conflict', field: 'name', holder: 'policy:p-az10' });
  await world.run('policy.update', { policyId: 'p-az10', name: 'ticket-az10' });
  expect(await reads('policy.read', { name: 'ticket-tenant-az10' })).toBeUndefined();
  expect(await reads('policy.read', { name: 'ticket-az10' })).toMatchObject({ policyId: 'p-az10' });
  await world.run('policy.delete', { policyId: 'p-az10' });
  expect(await reads('policy.read', { name: 'ticket-az10' })).toBeUndefined();
  await expect(reads('policy.read', { name: 'a#b' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'name',
  });
});

row('AZ-11', async ({ world, reads }) => {
  await newPolicy(world, 'p-abc123', 'az11-first', { description: 'First' });
  await newPolicy(world, 'P-abc123', 'az11-second');
  expect(await reads('policy.read', { policyId: 'p-abc123' })).toMatchObject({
    policyId: 'p-abc123',
    name: 'az11-first',
    description: 'First',
  });
  // Ids are not folded: Verified Permissions tells them apart.
  expect(await reads('policy.read', { policyId: 'P-abc123' })).toMatchObject({ name: 'az11-second' });
  expect(await reads('policy.read', { policyId: 'az11-first' })).toBeUndefined();
  expect(await reads('policy.read', { policyId: 'p-abc12' })).toBeUndefined();
  expect(await world.refused('policy.create', { policyId: 'p-abc123', name: 'az11-third' })).toMatchObject({
    code: 'conflict',
    field: 'policyId',
  });
  await world.run('policy.update', { policyId: 'p-abc123', name: 'az11-renamed', description: null });
  const changed = await reads('policy.read', { policyId: 'p-abc123' });
  expect(changed).toMatchObject({ policyId: 'p-abc123', name: 'az11-renamed' });
  expect(changed).not.toHaveProperty('description');
  await world.run('policy.delete', { policyId: 'p-abc123' });
  expect(await reads('policy.read', { policyId: 'p-abc123' })).toBeUndefined();
  expect(await reads('policy.read', { policyId: 'P-abc123' })).toMatchObject({ policyId: 'P-abc123' });
  await expect(reads('policy.read', { policyId: 'p#1' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'policyId',
  });
});
