import { expect, test } from 'vitest';
import { hasEffect } from '../../provisioning/edges/role-effects.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { createLedgerWorld } from './support.ts';

/** What a command finds damaged in the table, beside what it changes. */
const world = await createLedgerWorld();
const damage = async (type: string, id: string, more: Readonly<Record<string, unknown>>) => {
  const item = (await world.reader.get(nodeKey({ type, id }))) as Item;
  await world.writer.send([{ kind: 'put', item: { ...item, ...more } as Item }]);
};

test.each<[string, unknown]>([
  ['empty', ''],
  ['no id', 'a#b'],
  ['too long', 'x'.repeat(3_000)],
  ['no text', 7],
])('a parent of a role that is %s is none', async (name, parent) => {
  const { id: tenant } = await world.run('tenant.create', { name });
  const { id } = await world.run('role.create', { name, scope: `tenant:${tenant}` });
  await damage('role', id, { parent });
  expect(await hasEffect(world.reader, id, () => true)).toBe(false);
});

test.each([
  ['path', { path: '/a//b' }],
  ['permission', { permission: 'tickets:{' }],
  ['scope', { scope: 'tenant:{t}x' }],
])('a route whose %s cannot be read is not changed beside it', async (field, damaged) => {
  const route = { method: 'GET', path: `/${field}/{t}`, permission: 'dashboard', scope: 'tenant:{t}' };
  const { id } = await world.run('route.create', route);
  await damage('route', id, damaged);
  const changes = field === 'permission' ? { scope: 'tenant:t' } : { permission: 'reports' };
  expect(await world.outcome('route.update', { id, ...changes })).toBe(`invalid ${field}`);
});
