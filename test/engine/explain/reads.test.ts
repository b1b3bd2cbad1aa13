import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createExplainer } from '../../../engine/index.ts';
import { decisionKey, nodeKey } from '../../../table/keys.ts';
import { type Asked, createRuleWorld, type RuleWorld } from '../rule/world.ts';

/** The calls of an explanation, which do not grow with the number of the subject's grants. */
const world: RuleWorld = await createRuleWorld();
beforeEach(() => void world.calls.splice(0));
const operations = () => world.calls.map(({ operation }) => operation);
const SNAPSHOT = 'TransactGetItems';
const BATCH = 'BatchGetItem';

describe('calls of a strong explanation with an empty cache', () => {
  const ask = (subject: string, scope: string, permission = 'doors:open:door'): Asked => ({
    subject,
    permission,
    scope,
  });
  test.each<[string, Asked, readonly string[]]>([
    ['an allow in a flat scope', ask('asta', 'Northwind'), [SNAPSHOT, BATCH]],
    ['an allow in a nested scope', ask('gina', 'Lighthouse'), [SNAPSHOT, SNAPSHOT, BATCH]],
    ['a suspended ancestor', ask('gina', 'Mill'), [SNAPSHOT, SNAPSHOT, BATCH]],
    ['no grant here or elsewhere', ask('nobody', 'Lighthouse'), [SNAPSHOT, SNAPSHOT, BATCH]],
    ['no grant, a group elsewhere', ask('boris', 'Lighthouse'), [SNAPSHOT, SNAPSHOT, BATCH, BATCH, BATCH]],
    [
      'no grant, roles of another tenant: the maximum',
      ask('fred', 'Lighthouse'),
      [SNAPSHOT, SNAPSHOT, BATCH, BATCH, BATCH, BATCH],
    ],
    [
      'no subscription: a Query for each scope on the path',
      ask('hans', 'Lighthouse', 'hvac:set:climate'),
      [SNAPSHOT, SNAPSHOT, 'Query', 'Query', 'Query', BATCH],
    ],
  ])('%s', async (_, asked, expected) => {
    await world.explain(asked);
    expect(operations()).toEqual(expected);
  });

  test('with a known path one snapshot; a cached explanation none', async () => {
    const explainer = createExplainer(world);
    const question = world.question(ask('gina', 'Lighthouse'));
    await explainer.explain(...question);
    world.calls.length = 0;
    await explainer.explain(...question);
    expect(operations()).toEqual([SNAPSHOT, BATCH]);
    world.calls.length = 0;
    await explainer.explain(...question, { consistency: 'cached' });
    expect(operations()).toEqual([BATCH]);
  });
});

describe('a subject with many grants elsewhere', () => {
  const COUNT = 60;
  let subject: string;
  beforeAll(async () => {
    const { run, ref, id } = world;
    const owner = (await run('user.create', {})).id;
    subject = `user:${owner}`;
    const role = id('caretaker');
    for (let n = 0; n < COUNT; n++) {
      const scope = `location:${(await run('location.create', { name: `Place ${n}` })).id}`;
      const own = (await run('role.create', { name: `own ${n}`, scope })).id;
      await run('role-permission.create', { role: own, permission: 'doors:open:door', effect: 'ALLOW' });
      await run('assignment.create', { user: owner, scope, role: own });
      await run('grant.create', { user: owner, scope, roles: [own] });
      const group = (await run('group.create', { scope, name: 'group' })).id;
      await run('group-role.create', { group, role: own });
      await run('membership.create', { user: owner, group });
      const here = (await run('group.create', { scope: ref.Boathouse, name: `here ${n}` })).id;
      await run('group-role.create', { group: here, role });
    }
    world.settle();
  });

  test('costs the same number of calls, of at most 100 keys; the explanation states how many grants were read', async () => {
    const explanation = await world.explain({ subject, permission: 'doors:open:door', scope: 'Boathouse' });
    expect(operations()).toEqual([SNAPSHOT, SNAPSHOT, BATCH, BATCH, BATCH, BATCH]);
    for (const { keys } of world.calls) expect(keys).toBeLessThanOrEqual(100);
    const { suggestions } = explanation;
    const part = { of: COUNT, read: 20 };
    expect(suggestions?.lookedAt).toEqual({ groups: part, assignments: part, grants: part });
    expect(suggestions?.granted.items).toHaveLength(20);
    expect(suggestions?.granted.more).toBe(3 * 20 - 20);
    // The group of boatmen is at this scope too.
    expect(suggestions?.groups).toMatchObject({ items: { length: 20 }, more: COUNT + 2 - 20 });
    const check = await world.newEngine().check(subject, 'doors:open:door', String(world.ref.Boathouse));
    expect(explanation).toMatchObject(check);
  });
});

describe('damaged or deleted items', () => {
  test('a damaged suggestion is left out; a damaged decision input fails as in `check`', async () => {
    const { ref, id, reader, clock } = world;
    const damaged = [
      decisionKey({ type: 'client', id: String(id('Other')) }),
      nodeKey({ type: 'group', id: String(id('strangers')) }),
    ];
    const spoil = (keys: readonly { PK: string; SK: string }[], items: readonly unknown[]) =>
      items.map((item, position) =>
        damaged.some(({ PK, SK }) => keys[position]?.PK === PK && keys[position]?.SK === SK)
          ? { ...(item as object), status: 7, scope: 7 }
          : item,
      ) as Awaited<ReturnType<typeof reader.getMany>>;
    const explainer = createExplainer({
      clock,
      reader: {
        ...reader,
        getMany: async (keys) => spoil(keys, await reader.getMany(keys)),
        getSnapshot: async (keys) => spoil(keys, await reader.getSnapshot(keys)),
      },
    });
    const explain = (scope: string) =>
      explainer.explain(String(ref.fred), 'doors:open:door', String(ref[scope]));
    expect((await explain('Lighthouse')).suggestions?.granted.items).toEqual([]);
    await expect(explain('Other')).rejects.toMatchObject({ code: 'damaged_item' });
  });
});
