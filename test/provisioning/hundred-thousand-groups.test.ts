import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSplitter } from '../../provisioning/verify/split.ts';
import {
  Attribute,
  groupAttribute,
  groupRolesAttribute,
  roleAttribute,
} from '../../table/decision/attributes.ts';
import { entryChanges } from '../../table/decision/entries.ts';
import { createKnownSplits, noteSplits, SPLIT_THRESHOLDS } from '../../table/decision/split.ts';
import { stamped } from '../../table/decision/writes.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, type Key, nodeKey } from '../../table/keys.ts';
import { size } from '../support/tier.ts';
import { createLightWorld, type World } from '../support/world.ts';

/**
 * A scope of 100,000 groups with a role each, of which a subject has 20 (ADR 0003): what a check reads with nothing
 * cached. Loaded through the table's port: by commands it would take minutes. The unit tier has a little more of
 * everything than one item keeps.
 */
const GROUPS = size(3_000, 100_000);
/** In the soak tier about as many as the item of a scope holds itself. */
const AT_FIRST = size(2_100, 6_000);
const GROUPS_OF_SUBJECT = size(4_200, 20_000);
const ROLES = size(1_100, 5_000);
const OWN = 20;
const PAGE = 'dashboard';

let world: World;
let [root, building, usual, role] = ['', '', '', ''];
let [ann, bob] = ['', ''];

const idOf = (n: number): string => `01J8Z0E2Z8D2A3J7A7Y3${String(n).padStart(6, '0')}`;
const put = async (items: readonly Item[]) => {
  for (let n = 0; n < items.length; n += 100)
    await world.writer.send(items.slice(n, n + 100).map((item) => ({ kind: 'put', item })));
};
const read = async (key: Key): Promise<Item> => {
  const item = await world.reader.get(key);
  if (!item) throw new Error(`${key.PK} is missing`);
  return item;
};
const refOf = (text: string): Ref => parseRef(text, 'ref');
const common = { createdAt: 'x', updatedAt: 'x', rev: 0, v: 1 };
const ownership = (owner: string, type: string, id: string): Item => ({
  ...edgeKey(refOf(owner), { type, id }),
  Type: 'Ownership',
  owned: `${type}:${id}`,
  id,
  v: 1,
});
const split = async (key: Key, more: Partial<typeof SPLIT_THRESHOLDS> = {}) => {
  const { reader, writer, clock } = world;
  const thresholds = { ...SPLIT_THRESHOLDS, ...more };
  const splitter = createSplitter({ reader, writer, clock, newId: ulid, thresholds, joins: false });
  await splitter.look(await read(key));
  expect(splitter.counts).toEqual({ split: 1, unsplit: 0 });
};

beforeAll(async () => {
  world = await createLightWorld();
  const { run } = world;
  root = `client:${(await run('client.create', { name: ulid() })).id}`;
  const project = `project:${(await run('project.create', { name: 'p', parent: root })).id}`;
  const buildingOf = async () =>
    `building:${(await run('building.create', { name: 'b', parent: project })).id}`;
  [building, usual] = [await buildingOf(), await buildingOf()];
  await run('page.create', { name: PAGE });
  role = (await run('role.create', { name: 'r', scope: root })).id;
  await run('role-permission.create', { role, permission: PAGE, effect: 'ALLOW' });
  [ann, bob] = [(await run('user.create', {})).id, (await run('user.create', {})).id];
  const groupOf = async (scope: string, user: string, isGiven: boolean) => {
    const { id } = await run('group.create', { scope, name: 'g' });
    if (isGiven) await run('group-role.create', { group: id, role });
    await run('membership.create', { user, group: id });
  };
  await groupOf(usual, bob, true);
  for (let n = 0; n < OWN; n++) await groupOf(building, ann, true);

  const key = decisionKey(refOf(building));
  const ids = Array.from({ length: GROUPS - OWN }, (_, n) => idOf(n));
  const first = ids.slice(0, AT_FIRST);
  await put(
    first.flatMap((id): Item[] => [
      { ...nodeKey({ type: 'group', id }), ...common, Type: 'Group', id, scope: building },
      ownership(building, 'group', id),
    ]),
  );
  const roles = first.map((id) => [groupAttribute(id), new Set([role])]);
  await put([{ ...(await read(key)), ...Object.fromEntries(roles) }]);
  await split(key);
  // As commands write them.
  const splits = createKnownSplits();
  noteSplits(splits, key, await read(key));
  const stamp = () => ({ writtenAt: world.clock.now(), writeId: ulid() });
  for (let n = AT_FIRST; n < ids.length; n += 90) {
    const entries = ids
      .slice(n, n + 90)
      .map((id) => ({ at: key, attribute: groupRolesAttribute(id), member: role }));
    await world.writer.send(stamped(entryChanges([], entries), stamp(), splits));
  }
}, 240_000);

async function costs(user: string, scope: string, consistency: 'cached' | 'strong' = 'cached') {
  world.settle();
  const cost = { calls: 0, units: 0 };
  const engine = world.newEngine({
    observe: ({ calls, units }) => {
      cost.calls += calls;
      cost.units += units;
    },
  });
  expect((await engine.check(`user:${user}`, PAGE, scope, { consistency })).reason).toBe('role');
  return cost;
}

describe('a check with nothing cached, at a scope of very many groups', () => {
  test('takes two calls, and a unit for each group of the subject there', async () => {
    const [there, elsewhere] = [await costs(ann, building), await costs(bob, usual)];
    expect(elsewhere).toMatchObject({ calls: 2 });
    expect(there.calls).toBe(2);
    expect(there.units - elsewhere.units).toBeLessThanOrEqual(OWN + 1);
    expect((await costs(ann, building, 'strong')).calls).toBe(2);
  });

  test('costs the same as ever at the other scopes', async () => {
    const zone = (await world.run('zone.create', { name: 'z', parent: usual })).id;
    expect(await costs(bob, `zone:${zone}`)).toMatchObject({
      calls: 2,
      units: (await costs(bob, usual)).units + 1,
    });
  });

  test('below it takes two calls as well', async () => {
    const zone = (await world.run('zone.create', { name: 'z', parent: building })).id;
    expect(await costs(ann, `zone:${zone}`)).toMatchObject({ calls: 2 });
  });

  test('by a subject in very many groups, in a tenant of very many roles, takes three', async () => {
    const { units } = await costs(ann, building);
    const [subject, tenant] = [decisionKey({ type: 'user', id: ann }), decisionKey(refOf(root))];
    const groups = Array.from({ length: GROUPS_OF_SUBJECT }, (_, n) => `G${idOf(n)}`);
    const edges = groups.map(
      (group, n): Item => ({
        PK: subject.PK,
        SK: `GROUP#${group}`,
        Type: 'Membership',
        user: ann,
        group,
        ...common,
        scope: `project:${Math.floor(n / 100)}`,
        joinedAt: 'x',
      }),
    );
    // As many as an item holds: the others come when they stand apart.
    await put(edges.slice(0, GROUPS_OF_SUBJECT / 2));
    const item = await read(subject);
    await put([{ ...item, groups: new Set(groups.slice(0, GROUPS_OF_SUBJECT / 2)) }]);
    await split(subject);
    await put(edges.slice(GROUPS_OF_SUBJECT / 2));
    const roles = Array.from({ length: ROLES }, (_, n) => `R${idOf(n)}`);
    await put(roles.map((id) => ownership(root, 'role', id)));
    await put([
      { ...(await read(tenant)), ...Object.fromEntries(roles.map((id) => [roleAttribute(id), role])) },
    ]);
    await split(tenant);
    expect(await read(tenant)).toMatchObject({ [Attribute.roleTable]: 'folded' });
    const together = await costs(ann, building);
    expect(together.calls).toBe(3);
    // 34 units of them for the parents of 5,000 roles, and one for each scope of the path.
    expect(together.units - units).toBeLessThanOrEqual(size(14, 40));
  }, 60_000);
});
