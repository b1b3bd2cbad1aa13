import { beforeEach, describe, expect, test } from 'vitest';
import { createLists, type Engine, type Lists } from '../../../engine/index.ts';
import { createWorld } from '../../support/world.ts';

/** The calls of searches, and the input that they refuse. */
let engine: Engine;
let lists: Lists;
const NOBODY = 'user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const NOWHERE = 'location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const [ann, boss] = ['user:ann', 'user:boss'];
const [tenant, client, project] = ['tenant:t', 'client:c', 'project:p'];
const buildings = Array.from({ length: 12 }, (_, n) => `building:b${n}`);
const members = Array.from({ length: 100 }, (_, n) => `user:u${n}`);
const ids = (refs: readonly string[], of: (id: string) => string) =>
  refs
    .map((ref) => ref.split(':')[1])
    .map((id) => `  ${id}: { id: ${id}, ${of(String(id))} }\n`)
    .join('');
const MANIFEST = `
pages: [${Array.from({ length: 60 }, (_, n) => `page.${n}`)}]
permissions: ["a:b:c"]
roles: { all: { id: all, allow: ["*:*:*"] }, idle: }
scopes:
  t: { id: t, type: tenant }
  c: { id: c, type: client }
  p: { id: p, type: project, parent: c }
${ids(buildings, () => 'type: building, parent: p')}
groups: { g: { id: g, scope: p, roles: [all] } }
users:
  boss: { id: boss, admin: true }
  ann:
    id: ann
    groups: [g]
    grants: { t: [all] }
    assignments: [{ role: all, scope: p }, { role: all, scope: b0 }, { role: idle, scope: c }]
${ids(members, () => 'groups: [g]')}
`;

const world = await createWorld(MANIFEST);
beforeEach(() => {
  world.settle();
  engine = world.newEngine();
  lists = createLists({ reader: world.reader, engine, clock: world.clock });
  world.calls.length = 0;
});

/** Calls since the previous call of this function, by operation. */
function cost(): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { operation, keys } of world.calls.splice(0)) {
    counted[operation] = (counted[operation] ?? 0) + 1;
    expect(keys).toBeLessThanOrEqual(100);
  }
  return counted;
}

describe('calls of a search', () => {
  test('permissions: a Query for each of eight partitions, a BatchGetItem for forty', async () => {
    expect((await lists.listPermissions(ann, tenant)).items).toHaveLength(61);
    expect(cost()).toEqual({ Query: 8, BatchGetItem: 2 });
    expect((await lists.listPermissions(ann, tenant, { kind: 'permission' })).items).toEqual(['a:b:c']);
    expect(cost()).toEqual({ Query: 4 });
  });

  test('permissions of an unknown subject: ends after the first decision', async () => {
    expect(await lists.listPermissions(NOBODY, tenant, { limit: 8 })).toEqual({ items: [] });
    expect(cost()).toMatchObject({ BatchGetItem: 1 });
  });

  test('scopes: those with a grant, then a Query for each of them with all below it', async () => {
    const { items, cursor } = await lists.listScopes(ann, 'a:b:c');
    expect([...items].sort()).toEqual([tenant, project, ...buildings].sort());
    expect(cursor).toBeUndefined();
    // The groups, and those of everyone; below the tenant and below the project. The question, the grants with
    // their paths; the decisions.
    expect(cost()).toEqual({ Query: 2 + 2, BatchGetItem: 3 + 1 });
  });

  test('scopes of one type', async () => {
    expect((await lists.listScopes(ann, 'a:b:c', { type: 'building' })).items).toHaveLength(12);
    expect(cost()).toEqual({ Query: 2 + 2, BatchGetItem: 3 + 1 });
    // Below a tenant, and for an administrator, those of other types are not looked at: an index lists each type.
    expect((await lists.listScopes(boss, 'a:b:c', { type: 'building' })).items).toHaveLength(12);
    expect(cost()).toEqual({ Query: 4, BatchGetItem: 1 + 1 });
    expect(await lists.listScopes(ann, 'a:b:c', { type: 'role' })).toEqual({ items: [] });
    expect(cost()).toEqual({});
  });

  test('scopes of an administrator: a Query for each of four partitions', async () => {
    expect((await lists.listScopes(boss, 'a:b:c')).items).toHaveLength(15);
    expect(cost()).toEqual({ Query: 4, BatchGetItem: 1 + 1 });
  });

  test('subjects: a Query for each source, two BatchGetItems for eighty', async () => {
    const { items, cursor } = await lists.listSubjects('a:b:c', project, { limit: 500 });
    expect([...items].sort()).toEqual([ann, boss, ...members].sort());
    expect(cursor).toBeUndefined();
    // Administrators, a role, a group in two pages, assignments at two scopes, two kinds of grants; and the path,
    // the candidates and their decisions.
    expect(cost()).toEqual({ Query: 1 + 1 + 2 + 2 + 2, BatchGetItem: 2 + 2 + 3 });
  });

  test.each(['strong', 'cached'] as const)('%s searches give the same result', async (consistency) => {
    const options = { consistency, limit: 1_000 };
    expect((await lists.listPermissions(ann, project, options)).items).toHaveLength(61);
    expect((await lists.listScopes(boss, 'a:b:c', options)).items).toHaveLength(15);
    expect((await lists.listSubjects('a:b:c', project, options)).items).toHaveLength(102);
    if (consistency === 'strong') expect(cost().TransactGetItems).toBeGreaterThan(0);
  });
});

describe('a page', () => {
  type Page = { readonly items: readonly string[]; readonly cursor?: string };
  async function walk(list: (cursor?: string) => Promise<Page>): Promise<readonly Page[]> {
    const pages: Page[] = [];
    do pages.push(await list(pages.at(-1)?.cursor));
    while (pages.at(-1)?.cursor !== undefined);
    return pages;
  }
  const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });

  test('ends when the time is up, with a cursor, and the next page continues', async () => {
    const hurried = createLists({ reader: world.reader, engine, clock: world.clock, budgetMs: 0 });
    const permissions = await walk((cursor) => hurried.listPermissions(ann, tenant, from(cursor)));
    expect(new Set(permissions.flatMap(({ items }) => items)).size).toBe(61);
    expect(permissions.length).toBeGreaterThan(61);
    for (const [who, type] of [[ann], [boss], [ann, 'building']] as const) {
      const scopes = await walk((cursor) => hurried.listScopes(who, 'a:b:c', { type, cursor }));
      const whole = await lists.listScopes(who, 'a:b:c', { type });
      expect(scopes.flatMap(({ items }) => items)).toEqual(whole.items);
    }
    const within = new Set([tenant]);
    const inTenant = await walk((cursor) => hurried.listScopes(ann, 'a:b:c', { within, ...from(cursor) }));
    expect(inTenant.flatMap(({ items }) => items)).toEqual([tenant]);
    // A cursor names nothing of another tree.
    for (const { cursor = '' } of inTenant)
      expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/client|project|building/);
    const subjects = await walk((cursor) => hurried.listSubjects('a:b:c', project, from(cursor)));
    expect(subjects.flatMap(({ items }) => items).sort()).toEqual([ann, boss, ...members].sort());
  });

  test('continues even if the last item was deleted in the meantime', async () => {
    const gone = (await world.run('building.create', { name: 'Gone', parent: project })).id;
    const all = (await lists.listScopes(ann, 'a:b:c', { type: 'building' })).items;
    const place = all.indexOf(`building:${gone}`);
    const { cursor } = await lists.listScopes(ann, 'a:b:c', { type: 'building', limit: place + 1 });
    await world.run('building.delete', { id: gone });
    const rest =
      cursor === undefined ? [] : (await lists.listScopes(ann, 'a:b:c', { type: 'building', cursor })).items;
    expect(rest).toEqual(all.slice(place + 1));
  });

  test('continues with the next root if its own is no longer among those asked for', async () => {
    const list = (roots: readonly string[], cursor?: string) =>
      lists.listScopes(boss, 'a:b:c', { within: new Set(roots), limit: 2, ...from(cursor) });
    const { items, cursor } = await list([client, tenant]);
    expect(items).toEqual([client, project]);
    expect(await list([tenant], cursor)).toEqual({ items: [tenant] });
  });

  test('has a cursor that all other lists refuse', async () => {
    const options = { limit: 1 };
    const cursors = {
      permissions: (await lists.listPermissions(ann, tenant, options)).cursor,
      pages: (await lists.listPermissions(ann, tenant, { ...options, kind: 'page' })).cursor,
      scopes: (await lists.listScopes(ann, 'a:b:c', options)).cursor,
      buildings: (await lists.listScopes(ann, 'a:b:c', { ...options, type: 'building' })).cursor,
      subjects: (await lists.listSubjects('a:b:c', project, options)).cursor,
    };
    const ask = {
      permissions: (cursor: string) => lists.listPermissions(ann, tenant, { cursor }),
      pages: (cursor: string) => lists.listPermissions(ann, tenant, { kind: 'page', cursor }),
      scopes: (cursor: string) => lists.listScopes(ann, 'a:b:c', { cursor }),
      buildings: (cursor: string) => lists.listScopes(ann, 'a:b:c', { type: 'building', cursor }),
      subjects: (cursor: string) => lists.listSubjects('a:b:c', project, { cursor }),
    };
    for (const [from, cursor] of Object.entries(cursors)) {
      for (const [to, list] of Object.entries(ask)) {
        const answer = list(String(cursor));
        if (from === to) await answer;
        else await expect(answer).rejects.toMatchObject({ code: 'invalid', field: 'cursor' });
      }
    }
    await expect(
      lists.listSubjects('a:b:c', client, { cursor: String(cursors.subjects) }),
    ).rejects.toMatchObject({ field: 'cursor' });
    // Forged cursors.
    const [list] = JSON.parse(Buffer.from(String(cursors.scopes), 'base64url').toString()) as [string];
    for (const place of [{ top: 'x' }, null, 'x', { top: 1 }]) {
      const cursor = Buffer.from(JSON.stringify([list, 0, place])).toString('base64url');
      await expect(lists.listScopes(ann, 'a:b:c', { cursor })).rejects.toMatchObject({ field: 'cursor' });
    }
  });
});

describe('bad input', () => {
  test('a budget that is negative is refused', () => {
    expect(() => createLists({ reader: world.reader, engine, clock: world.clock, budgetMs: -1 })).toThrow(
      'budgetMs',
    );
  });

  test.each([NOBODY, NOWHERE, 'user:', 'x', 'user:x#y', '\u0000'])('%j gives an empty list', async (text) => {
    const empty = { items: [] };
    expect(await lists.listPermissions(text, tenant)).toEqual(empty);
    expect(await lists.listPermissions(ann, text)).toEqual(empty);
    expect(await lists.listScopes(text, 'a:b:c')).toEqual(empty);
    expect(await lists.listScopes(ann, text)).toEqual(empty);
    expect(await lists.listSubjects('a:b:c', text)).toEqual(empty);
    expect(await lists.listSubjects(text, project)).toEqual(empty);
  });
});
