import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { migrate } from '../../provisioning/verify/index.ts';
import { decisionKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

/** As split-groups.test.ts has it on the table in memory, once on a DynamoDB engine. */
test('groups stand apart, change, and come back, on DynamoDB', async () => {
  const { run, reader, writer, clock, settle, newEngine } = await createWorld();
  const scope = `client:${(await run('client.create', { name: ulid() })).id}`;
  await run('page.create', { name: 'dashboard' });
  const role = (await run('role.create', { name: 'r', scope })).id;
  await run('role-permission.create', { role, permission: 'dashboard', effect: 'ALLOW' });
  const user = (await run('user.create', {})).id;
  const groups: string[] = [];
  for (const name of ['1', '2', '3', '4']) groups.push((await run('group.create', { scope, name })).id);
  const [first, second, third, last] = groups;
  await run('group-role.create', { group: last, role });
  const join = (group: string | undefined) => run('membership.create', { user, group });
  for (const group of [first, second, third]) await join(group);
  const key = decisionKey({ type: 'user', id: user });
  const reason = async () => {
    settle();
    return (await newEngine().check(`user:${user}`, 'dashboard', scope)).reason;
  };
  const migrating = (joins: boolean) =>
    migrate({
      ...{ reader, writer, clock, newId: ulid, joins },
      thresholds: { groupsOfSubject: 2, groupsOfScope: 2, rolesOfRoot: 2 },
    });

  expect(await migrating(false)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await reader.get(key)).toMatchObject({ groupsIn: 'scope', v: 2 });
  expect(await reason()).toBe('no_grant');
  await join(last);
  expect(await reason()).toBe('role');
  await run('membership.delete', { user, group: last });
  await run('user.update', { id: user, status: 'active' });
  expect(await reason()).toBe('no_grant');
  await join(last);
  expect(await migrating(true)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await reader.get(key)).toMatchObject({ groups: new Set(groups), v: 1 });
  expect(await reason()).toBe('role');
});
