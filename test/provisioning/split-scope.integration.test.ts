import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { groupAttribute } from '../../table/decision/attributes.ts';
import type { SplitThresholds } from '../../table/decision/split.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, nodeKey } from '../../table/keys.ts';
import { size } from '../support/tier.ts';
import { createWorld } from '../support/world.ts';

/** As split.integration.test.ts has it in memory, once on a DynamoDB engine, with many groups. */
const GROUPS = size(200, 10_000);
/** As many as an item holds with their roles. */
const GIVEN = Math.min(GROUPS, 5_000);
const OWN = 20;
const THRESHOLDS: SplitThresholds = { groupsOfSubject: 2_000, groupsOfScope: 100, rolesOfRoot: 1_000 };

test('the groups of a scope stand apart, change, and come back, on DynamoDB', async () => {
  const own = Array.from({ length: OWN }, (_, n) => `g${n}`);
  const { run, reader, writer, clock, settle, newEngine } = await createWorld(`
pages: [dashboard]
scopes: { acme: { id: acme, type: client } }
roles: { r: { id: r, owner: acme, allow: [dashboard] } }
groups: { ${own.map((id) => `${id}: { id: ${id}, scope: acme }`)} }
users: { ann: { id: ann, groups: [${own}] } }
`);
  const [scope, user, role] = ['client:acme', 'ann', 'r'];
  const [group] = own;
  await run('group-role.create', { group, role });

  const at = decisionKey(parseRef(scope, 'scope'));
  const ids = Array.from({ length: GROUPS - OWN }, () => ulid());
  const put = async (items: readonly Item[]) => {
    for (let n = 0; n < items.length; n += 100)
      await writer.send(items.slice(n, n + 100).map((item) => ({ kind: 'put', item })));
  };
  const common = { createdAt: 'x', updatedAt: 'x', rev: 0, v: 1, scope };
  await put(
    ids.flatMap((id): Item[] => [
      { ...nodeKey({ type: 'group', id }), ...common, Type: 'Group', id },
      { ...edgeKey(parseRef(scope, 'scope'), { type: 'group', id }), ...common, Type: 'Ownership', id },
    ]),
  );
  const given = ids.slice(0, GIVEN).map((id) => [groupAttribute(id), new Set([role])]);
  await put([{ ...((await reader.get(at)) as Item), ...Object.fromEntries(given) }]);

  const migrating = (joins: boolean) =>
    migrate({ reader, writer, clock, newId: ulid, joins, thresholds: THRESHOLDS });
  const subject = decisionKey({ type: 'user', id: user });
  const cost = { calls: 0, units: 0 };
  const reason = async () => {
    settle();
    Object.assign(cost, { calls: 0, units: 0 });
    const engine = newEngine({ observe: ({ calls, units }) => Object.assign(cost, { calls, units }) });
    return (await engine.check(`user:${user}`, 'dashboard', scope)).reason;
  };

  expect(await reason()).toBe('role');
  expect(cost.calls).toBe(1);
  expect(await migrating(false)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await reader.get(at)).toMatchObject({ groupRoles: 'apart', v: 2 });
  expect(await reason()).toBe('role');
  // The subject, the scope, the page, what holds everywhere, and the effects; then one for each group.
  expect(cost).toMatchObject({ calls: 2 });
  expect(cost.units).toBeLessThanOrEqual(OWN + 6);
  await run('group-role.delete', { group, role });
  expect(await reason()).toBe('no_grant');
  await run('group-role.create', { group: own[1], role });
  expect(await reason()).toBe('role');
  await run('membership.delete', { user, group: own[1] });
  expect(await reason()).toBe('no_grant');
  await run('membership.create', { user, group: own[1] });
  expect(await migrating(true)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await reader.get(at)).not.toHaveProperty('groupRoles');
  expect(await reader.get(subject)).toMatchObject({ groups: new Set(own), v: 1 });
  expect(await reason()).toBe('role');
  expect(cost.calls).toBe(1);
});
