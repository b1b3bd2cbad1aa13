import { expect, test } from 'vitest';
import { createAccessBound } from '../../../engine/index.ts';
import type { SearchReader } from '../../../engine/search/sources.ts';
import { scopesUnder } from '../../../engine/search/tree.ts';
import { Attribute } from '../../../table/decision/attributes.ts';
import { FORMS } from '../../../table/form.ts';
import { type Key, partitionOf } from '../../../table/keys.ts';
import { OWNERSHIP } from '../../../table/partition-queries.ts';
import { createMemoryWorld, createWorld } from '../../support/world.ts';

/** What the access bound does not read, however much there is of it. */
const ID = '01J8X2W3Y4Z5A6B7C8D9E0F1G2';
const unexpected = async (): Promise<never> => {
  throw new Error('an unexpected read');
};

test('a partition without end of scopes that are below others is left at the limit', async () => {
  let queries = 0;
  const reader: SearchReader = {
    getMany: unexpected,
    // No types of scopes were added.
    listAll: async () => [],
    list: async () => {
      queries += 1;
      const id = `01J8X2W3Y4Z5A6B7C8D9${String(queries).padStart(6, '0')}`;
      const device = { PK: partitionOf({ type: 'building', id: ID }), SK: `DEVICE#${id}`, Type: OWNERSHIP };
      return { items: [{ ...device, owned: `device:${id}`, parent: `zone:${ID}` }], cursor: 'more' };
    },
  };
  expect(await scopesUnder(reader, [`building:${ID}`], new Set(['device']), 7)).toBeUndefined();
  expect(queries).toBe(7);
});

test('what stands in a closed zone is not open because its building lists it too', async () => {
  const { reader, apply } = createMemoryWorld();
  await apply(`
scopes:
  C: { type: client }
  P: { type: project, parent: C }
  B: { id: b, type: building, parent: P }
  Z: { type: zone, parent: B, status: inactive }
  D: { type: device, parent: Z }
  E: { id: e, type: device, parent: B }
`);
  expect(await scopesUnder(reader, ['building:b'], new Set(['device']), 7)).toEqual(['device:e']);
});

test('a subject in more than 1,000 groups has no bound, and its groups are not read', async () => {
  const groups = (count: number) =>
    new Set(Array.from({ length: count }, (_, n) => `01J8X2W3Y4Z5A6B7C8D9${String(n).padStart(6, '0')}`));
  const boundOf = async (count: number) => {
    let lists = 0;
    const reader: SearchReader = {
      getMany: async (keys: readonly Key[]) =>
        keys.map((key) => ({
          ...key,
          Type: 'Decision',
          status: 'active',
          groups: groups(count),
          [Attribute.version]: FORMS.usual,
          [Attribute.writtenAt]: 1,
          [Attribute.writeId]: 'w',
        })),
      // The groups of everyone.
      list: async () => ({ items: [] }),
      listAll: async () => {
        lists += 1;
        return [];
      },
    };
    const accessBoundOf = createAccessBound({
      reader,
      engine: { effectiveRoles: unexpected },
      most: 100,
      now: () => 2,
    });
    const question = { types: new Set<string>(), withPermissions: false, at: 2 };
    return { bound: await accessBoundOf(`user:${ID}`, question), lists };
  };
  expect(await boundOf(1_001)).toEqual({ bound: undefined, lists: 0 });
  expect(await boundOf(1_000)).toEqual({ bound: { scopes: [], permissions: [] }, lists: 1 });
});

test('a permission that came from one role to another is in the bound, though the cache has the roles from before', async () => {
  const { run, newEngine, reader, clock } = await createWorld();
  const tenant = `account:${(await run('account.create', { name: 'School' })).id}`;
  const user = (await run('user.create', {})).id;
  await run('page.create', { name: 'menu' });
  const give = async (name: string): Promise<string> => {
    const role = (await run('role.create', { name, scope: tenant })).id;
    await run('role-permission.create', { role, permission: 'menu', effect: 'ALLOW' });
    await run('assignment.create', { user, scope: tenant, role });
    return role;
  };
  const before = await give('before');
  const engine = newEngine();
  const accessBoundOf = createAccessBound({ reader, engine, most: 10, now: clock.now });
  const question = { types: new Set<string>(), withPermissions: true, at: clock.now() };
  expect((await accessBoundOf(`user:${user}`, question))?.permissions).toEqual(['menu']);
  clock.advance(1_000);
  await give('after');
  await run('role.delete', { id: before });
  clock.advance(1_000);
  expect((await accessBoundOf(`user:${user}`, question))?.permissions).toEqual(['menu']);
});

test('more permissions than the limit are no bound, though each of the roles has fewer', async () => {
  const { newEngine, reader, clock } = await createWorld(`
pages: [a, b, c, d]
scopes: { t: { id: t, type: account } }
roles: { one: { owner: t, allow: [a, b] }, two: { owner: t, allow: [c, d] } }
users: { ann: { id: ann, grants: { t: [one, two] } } }
`);
  const permissionsWithin = async (most: number) => {
    const ask = createAccessBound({ reader, engine: newEngine(), most, now: clock.now });
    const question = { types: new Set<string>(), withPermissions: true, at: clock.now() };
    return (await ask('user:ann', question))?.permissions;
  };
  expect(await permissionsWithin(4)).toEqual(['a', 'b', 'c', 'd']);
  expect(await permissionsWithin(3)).toBeUndefined();
});
