import { beforeEach, expect, test } from 'vitest';
import type { Item } from '../../../table/item.ts';
import { createMemoryWorld, type MemoryWorld } from '../apply/support.ts';
import { findingsOn, verifyOn } from '../findings.ts';

/** `verify` finds look-ups by name that are missing, stale or left over, and repairs them. */
let world: MemoryWorld;
let tenant = '';
beforeEach(async () => {
  world = createMemoryWorld();
  tenant = (await world.run('tenant.create', { name: 'Acme' })).id;
  await world.run('location.create', { name: 'North', code: 'N1', parent: `tenant:${tenant}` });
  await world.run('group.create', { name: 'Crew', scope: `tenant:${tenant}` });
});
const names = (): readonly Item[] =>
  world
    .items()
    .filter(({ Type }) => Type === 'NodeName')
    .sort((a, b) => (a.PK < b.PK ? -1 : 1));
const keyOf = ({ PK, SK }: Item) => ({ PK, SK });
const named = (name: string): Item => names().find(({ PK }) => PK.endsWith(`#${name}`)) as Item;
const remove = (...gone: readonly string[]) =>
  world.writer.send(gone.map((name) => ({ kind: 'delete', key: keyOf(named(name)) })));
/** Writes the look-up of the location with changes. */
const put = (changes: object) =>
  world.writer.send([{ kind: 'put', item: { ...named('north'), ...changes } }]);
const OLD = 'NAMES#SCOPE#old';
const repair = (more = {}) => verifyOn(world, true, more);

test('a table that was written by commands has a look-up for each name', async () => {
  const all = ['GROUP#crew', 'SCOPE#acme', 'SCOPE#n1', 'SCOPE#north'].map((name) => `NAMES#${name}`);
  expect(names().map(({ PK }) => PK)).toEqual(all);
  expect(await findingsOn(world)).toEqual([]);
});

test.each<[string, string, () => Promise<unknown>]>([
  ['one that is missing', 'name_missing', () => remove('n1', 'crew')],
  ['one with another path', 'name_differs', () => put({ above: ['tenant:other'] })],
  ['one of a name that its node does not have', 'name_left_over', () => put({ PK: OLD, GSI1SK: OLD })],
  ['one of a node that is not there', 'name_left_over', () => put({ SK: 'LOCATION#gone' })],
])('finds and repairs %s', async (_, code, damage) => {
  const before = names();
  await damage();
  const { open } = await verifyOn(world);
  expect([
    ...new Set(open.map((finding) => [finding.code, finding.effect, finding.repairable].join())),
  ]).toEqual([`${code},none,true`]);
  expect((await repair()).open).toEqual([]);
  expect(names()).toEqual(before);
});

test('a table of an earlier version gets its look-ups by a repair, tenant by tenant too', async () => {
  const before = names();
  await world.writer.send(before.map((item) => ({ kind: 'delete', key: keyOf(item) })));
  expect(await world.run('name.find', { name: 'North', kind: 'scope' })).toMatchObject({ candidates: [] });
  expect((await repair({ tenant: { type: 'tenant', id: tenant } })).repaired).toHaveLength(4);
  expect(names()).toEqual(before);
});

test('renaming and deleting work where the look-up is missing', async () => {
  const { of } = named('crew');
  const id = String(of).slice('group:'.length);
  await remove('crew');
  await world.run('group.update', { id, name: 'Staff' });
  expect(named('staff').of).toBe(of);
  await remove('staff');
  await world.run('group.delete', { id });
  expect(await findingsOn(world)).toEqual([]);
});
