import { expect, test } from 'vitest';
import { Attribute, heirsAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, type Key, tenantEffectsKey } from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { sizeOf } from '../../table/size.ts';
import { createLightWorld } from '../support/world.ts';
import { foldRoles } from './folded.ts';

/**
 * A tenant of 10,000 roles, of which 500 name one permission (ADR 0003): what a check reads with nothing cached.
 * Loaded through the table's port: by commands it would take minutes.
 */
const ROLES = 10_000;
const NAMING = 500;
/** As many as a root lists today. */
const LISTED = 6_000;
const UNIT = 4_096;

const PERMISSION = 'files:read:own';
const numbers = [...Array(ROLES).keys()];

const idOf = (n: number): string => `01J8Z0E2Z8D2A3J7A7Y3${String(n).padStart(6, '0')}`;

const put = async (items: readonly Item[]) => {
  for (let n = 0; n < items.length; n += 100)
    await world.writer.send(items.slice(n, n + 100).map((item) => ({ kind: 'put', item })));
};

/** A role as the list of its owner has it. */
const ownership = (n: number): Item => ({
  ...edgeKey({ type: 'tenant', id: tenant }, { type: 'role', id: idOf(n) }),
  Type: 'Ownership',
  owned: `role:${idOf(n)}`,
  v: 1,
});

const world = await createLightWorld();
await world.run('permission.create', { name: PERMISSION });
const tenant = (await world.run('tenant.create', { name: 'Acme' })).id;
const location = (await world.run('location.create', { name: 'Hall', parent: `tenant:${tenant}` })).id;
const role = (await world.run('role.create', { name: 'clerk', scope: `tenant:${tenant}` })).id;
const ann = (await world.run('user.create', {})).id;
await world.run('assignment.create', { user: ann, role, scope: `tenant:${tenant}` });
await world.run('role-permission.create', { role, permission: PERMISSION, effect: 'ALLOW' });
const key: Key = decisionKey({ type: 'tenant', id: tenant });
const effects = tenantEffectsKey({ type: 'tenant', id: tenant }, parsePermissionName(PERMISSION, ''));
const [root, named] = await world.reader.getMany([key, effects]);
if (!root || !named) throw new Error('the decision items of the tenant are missing');
const naming = new Set([role, ...numbers.slice(0, NAMING - 1).map(idOf)]);
await put([{ ...named, [Attribute.allow]: naming }]);
const listed = numbers.slice(0, LISTED).map((n) => [roleAttribute(idOf(n)), '']);
await put([{ ...root, ...Object.fromEntries(listed) }]);
await put(numbers.slice(0, LISTED).map(ownership));

/** What a check of a fresh engine reads: calls, and units of the items, an absent one being one. */
async function coldCheck(scope: string) {
  world.settle();
  world.calls.length = 0;
  const read: Key[] = [];
  const { reader } = world;
  const noting: typeof reader = {
    ...reader,
    getMany: (keys, notes) => {
      read.push(...keys);
      return reader.getMany(keys, notes);
    },
  };
  const { reason } = await world.newEngine({ reader: noting }).check(`user:${ann}`, PERMISSION, scope);
  const calls = world.calls.length;
  const items = await reader.getMany(read);
  const units = items.reduce((sum, item) => sum + (item ? Math.ceil(sizeOf(item) / UNIT) : 1), 0);
  return { reason, calls, units };
}
const flat = () => coldCheck(`tenant:${tenant}`);
const nested = () => coldCheck(`location:${location}`);

test('listed, 6,000 roles fill their item; folded, those that say nothing take no room', async () => {
  expect(await flat()).toEqual({ reason: 'role', calls: 1, units: 53 });
  expect(await foldRoles(world)).toMatchObject({ split: 1, unsplit: 0 });
  await put(numbers.slice(LISTED).map(ownership));
  expect(await flat()).toEqual({ reason: 'role', calls: 1, units: 8 });
  expect(await nested()).toEqual({ reason: 'role', calls: 2, units: 10 });
});

test.each([
  // Each of 5,000 inherits, or holds a pattern: 28 bytes.
  [5_000, 41],
  [ROLES, 75],
])('of 10,000 roles, %i that inherit take %i units in all', async (many, units) => {
  const root = await world.reader.get(key);
  const heirs: Record<string, Set<string>> = {};
  for (const n of numbers.slice(0, many)) {
    const parent = heirsAttribute(idOf(ROLES + Math.floor(n / 20)));
    heirs[parent] = (heirs[parent] ?? new Set()).add(idOf(n));
  }
  await put([{ ...(root as Item), ...heirs }]);
  expect(await flat()).toEqual({ reason: 'role', calls: 1, units });
  expect(await nested()).toEqual({ reason: 'role', calls: 2, units: units + 2 });
});

test('one more role is one transaction, and so is one that inherits', async () => {
  const before = await world.reader.get(key);
  const parent = (await world.run('role.create', { name: 'top', scope: `tenant:${tenant}` })).id;
  const child = await world.run('role.create', { name: 'low', scope: `tenant:${tenant}`, parent });
  const after = await world.reader.get(key);
  expect(Object.keys(after ?? {}).length - Object.keys(before ?? {}).length).toBe(1);
  expect(after?.[heirsAttribute(parent)]).toEqual(new Set([child.id]));
});
