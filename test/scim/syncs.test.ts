import { expect, test } from 'vitest';
import { createScimMetrics } from '../../scim/metrics.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createLogged } from '../support/log.ts';
import { commandsOf } from '../support/world.ts';
import { createFixture, ISSUER, membersOf, patchOf, userOf } from './support.ts';

/** A server whose writes stop after two, again in each request, with 60 users. */
async function stopping() {
  const { a, port, serve, world } = await createFixture();
  const ids: string[] = [];
  for (let at = 0; at < 60; at++) ids.push(await userOf(a, `user ${at}`));
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
  const killed = serve({ port: { ...port, provisioning } }).a;
  /** Sends a request until it is answered; what is seen after each time. */
  const untilAnswered = async <T>(method: string, path: string, body: object, look: () => Promise<T>) => {
    const seen: T[] = [];
    for (;;) {
      left = 2;
      const answer = await killed(method, path, body);
      seen.push(await look());
      if (answer.status < 300) return { answer, seen };
      expect([answer.status, answer.headers['Retry-After']]).toEqual([429, '5']);
    }
  };
  return { a, ids, untilAnswered };
}

test('a POST of a group, or a PATCH, that is killed goes on by the same request; no other one takes the names', async () => {
  const { a, ids, untilAnswered } = await stopping();
  const body = { displayName: 'Editors', externalId: 'e', members: ids.map((value) => ({ value })) };
  const others = [
    { ...body, externalId: 'f' },
    { ...body, displayName: 'editors' },
    { ...body, members: [] },
  ];
  const taken = async (bodies: readonly object[]) => {
    for (const each of bodies) expect((await a('POST', '/Groups', each)).status).toBe(409);
  };
  const { answer, seen } = await untilAnswered('POST', '/Groups', body, () => taken(others));
  expect([answer.status, seen.length > 2]).toEqual([201, true]);
  expect(await membersOf(a, answer.json.id)).toEqual([...ids].sort());
  await taken([body, ...others]);
  const left = patchOf({ op: 'replace', path: 'members', value: [{ value: ids[7] }] });
  await untilAnswered('PATCH', `/Groups/${answer.json.id}`, left, async () => {});
  expect(await membersOf(a, answer.json.id)).toEqual([ids[7]]);
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
  const metrics = createLogged();
  const { a, lines } = serve({
    metrics: createScimMetrics({ namespace: 'Test', write: metrics.write, now: () => 1 }),
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
  expect(metrics.lines.filter((line) => line.includes('"ScimAdministratorsEnded":1'))).toHaveLength(1);
});
