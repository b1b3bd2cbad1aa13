import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { migrate } from '../../provisioning/verify/index.ts';
import { decisionKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

/** As split-groups.test.ts has it on the table in memory, once on a DynamoDB engine. */
test('groups stand apart, change, and come back, on DynamoDB', async () => {
  const { run, reader, writer, clock, settle, newEngine } = await createWorld(`
pages: [dashboard]
scopes: { acme: { id: acme, type: client } }
roles: { r: { owner: acme, allow: [dashboard] } }
groups:
  g1: { id: g1, scope: acme }
  g2: { id: g2, scope: acme }
  g3: { id: g3, scope: acme }
  last: { id: last, scope: acme, roles: [r] }
users: { ann: { id: ann, groups: [g1, g2, g3] } }
`);
  const [scope, user, last] = ['client:acme', 'ann', 'last'];
  const join = () => run('membership.create', { user, group: last });
  const key = decisionKey({ type: 'user', id: user });
  const reason = async () => {
    settle();
    return (await newEngine().check(`user:${user}`, 'dashboard', scope)).reason;
  };
  const migrating = (joins: boolean) =>
    migrate({
      reader,
      writer,
      clock,
      newId: ulid,
      joins,
      thresholds: { groupsOfSubject: 2, groupsOfScope: 2, rolesOfRoot: 2 },
    });

  expect(await migrating(false)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await reader.get(key)).toMatchObject({ groupsIn: 'scope', v: 2 });
  expect(await reason()).toBe('no_grant');
  await join();
  expect(await reason()).toBe('role');
  await run('membership.delete', { user, group: last });
  await run('user.update', { id: user, status: 'active' });
  expect(await reason()).toBe('no_grant');
  await join();
  expect(await migrating(true)).toMatchObject({ split: 1, unsplit: 0 });
  expect(await reader.get(key)).toMatchObject({ groups: new Set(['g1', 'g2', 'g3', 'last']), v: 1 });
  expect(await reason()).toBe('role');
});
