import { expect, test } from 'vitest';
import { createScimMetrics } from '../../scim/metrics.ts';
import { GatehouseError } from '../../table/errors.ts';
import { commandsOf } from '../support/world.ts';
import { createFixture, groupOf, ISSUER, membersOf, patchOf, userOf } from './support.ts';

const add = (ids: readonly string[]) => ({
  op: 'add',
  path: 'members',
  value: ids.map((value) => ({ value })),
});

test('the same sync twice writes nothing the second time', async () => {
  const { a, writes } = await createFixture();
  const [ann, ben] = [await userOf(a, 'ann'), await userOf(a, 'ben')];
  const group = await groupOf(a, 'Editors');
  const sync = async () => {
    await a('PUT', `/Users/${ann}`, {
      userName: 'ann',
      displayName: 'Ann',
      emails: [{ value: 'ann@example.com' }],
    });
    await a('PATCH', `/Users/${ben}`, patchOf({ op: 'Replace', path: 'active', value: 'False' }));
    await a('PUT', `/Groups/${group}`, {
      displayName: 'Editors',
      externalId: 'e',
      members: [{ value: ann }],
    });
    await a('PATCH', `/Groups/${group}`, patchOf(add([ann, ben])));
  };
  const before = writes();
  await sync();
  const first = writes();
  expect(first).toBeGreaterThan(before);
  await a('PATCH', `/Groups/${group}`, patchOf(add([ann, ben])));
  await a('PATCH', `/Users/${ben}`, patchOf({ op: 'Replace', path: 'active', value: 'False' }));
  await a('PUT', `/Users/${ann}`, {
    userName: 'ann',
    displayName: 'Ann',
    emails: [{ value: 'ann@example.com' }],
  });
  await a('PUT', `/Groups/${group}`, {
    displayName: 'Editors',
    externalId: 'e',
    members: [{ value: ann }, { value: ben }],
  });
  expect(writes()).toBe(first);
});

test('a PATCH that is killed goes on where it was by the same request', async () => {
  const { a, port, serve, world, writes } = await createFixture();
  const ids: string[] = [];
  for (let at = 0; at < 60; at++) ids.push(await userOf(a, `user ${at}`));
  const group = await groupOf(a, 'Editors', ...ids.slice(0, 30));
  const body = patchOf(
    ...ids.slice(0, 30).map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` })),
    add(ids.slice(30)),
  );
  const sizes: number[] = [];
  let left = 2;
  const provisioning = commandsOf({
    ...world,
    writer: {
      send: async (actions, notes) => {
        if (left-- <= 0) throw new GatehouseError('throttled', 'killed');
        return world.writer.send(actions, notes);
      },
    },
  }).provision;
  const killed = serve({ port: { ...port, provisioning } });
  const began = writes();
  for (;;) {
    const { status, headers } = await killed.a('PATCH', `/Groups/${group}`, body);
    sizes.push((await membersOf(a, group)).length);
    if (status === 204) break;
    expect([status, headers['Retry-After']]).toEqual([429, '5']);
    left = 2;
  }
  // Removals come first: in between there are never more than before or after.
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(30);
  expect(await membersOf(a, group)).toEqual([...ids.slice(30)].sort());
  const once = writes() - began;
  expect((await a('PATCH', `/Groups/${group}`, body)).status).toBe(204);
  expect(writes() - began).toBe(once);
});

const OPERATOR = `
scopes: { tenant a: { id: a, type: tenant } }
permissions: ["provisioning:create:group"]
roles: { operator: { id: operator, owner: tenant a, allow: ["provisioning:create:group"] } }
users: { olga: { id: olga, issuer: "${ISSUER}", sub: olga, grants: { tenant a: [operator] } } }
`;

test.each<[string, (send: Awaited<ReturnType<typeof createFixture>>['a']) => ReturnType<typeof send>]>([
  [
    'PATCH active',
    (send) => send('PATCH', '/Users/olga', patchOf({ op: 'replace', path: 'active', value: false })),
  ],
  ['DELETE', (send) => send('DELETE', '/Users/olga')],
])('the end of somebody who administers the tenant is done by %s, and said aloud', async (_, end) => {
  const { serve, world } = await createFixture();
  await world.apply(OPERATOR);
  const metrics: string[] = [];
  const { a, lines } = serve({
    metrics: createScimMetrics({ namespace: 'Test', write: (line) => metrics.push(line), now: () => 1 }),
  });
  await a('POST', '/Users', {
    userName: 'olga',
    'urn:ietf:params:scim:schemas:extension:gatehouse:2.0:User': { sub: 'olga' },
  });
  await userOf(a, 'ann');
  const said = () =>
    lines.filter((line) => line.includes('administrator ended')).map((line) => JSON.parse(line));
  expect(said()).toEqual([]);
  expect((await end(a)).status).toBeLessThan(300);
  expect(said()).toMatchObject([{ level: 'WARN', connection: 'a' }]);
  expect(metrics.filter((line) => line.includes('"ScimAdministratorsEnded":1'))).toHaveLength(1);
});
