import { expect, onTestFinished, test } from 'vitest';
import { createNodeServer } from '../../authorizer/service/node-server.ts';
import { createHandleFrom } from '../../scim/compose.ts';
import { createWorld } from '../support/world.ts';
import { connect, patchOf } from './support.ts';

const MANIFEST = `
pages: [documents]
scopes: { acme: { id: acme, type: tenant } }
roles: { reader: { id: reader, owner: acme, allowOnly: true, allow: [documents] } }
`;

test('over HTTP: who comes into a group may do what it carries, and no longer when it ends', async () => {
  const world = await createWorld(MANIFEST);
  const token = await connect(world, 'acme', 'example.com');
  const env = { TABLE_NAME: world.table };
  const handle = createHandleFrom(env, { ...world, log: () => {} });
  const log = { error: () => {}, info: () => {} };
  const server = createNodeServer({
    handle,
    isReachable: async () => true,
    maxRequests: 10,
    graceMs: 0,
    log,
    clock: world.clock,
  });
  const url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}/scim/v2`;
  onTestFinished(() => server.stop());
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
  };

  const { json: ann } = await send('POST', '/Users', {
    userName: 'ann',
    emails: [{ value: 'ann@example.com' }],
  });
  const { json: readers } = await send('POST', '/Groups', { displayName: 'Readers' });
  await world.run('group-role.create', { group: readers.id, role: 'reader' });
  const mayRead = async () => {
    world.settle();
    return (await world.newEngine().check(`user:${ann.id}`, 'documents', 'tenant:acme')).allowed;
  };
  expect(await mayRead()).toBe(false);

  const add = patchOf({ op: 'add', path: 'members', value: [{ value: ann.id }] });
  expect((await send('PATCH', `/Groups/${readers.id}`, add)).status).toBe(204);
  expect(await mayRead()).toBe(true);

  const end = patchOf({ op: 'Replace', path: 'active', value: 'False' });
  expect((await send('PATCH', `/Users/${ann.id}`, end)).json.active).toBe(false);
  expect(await mayRead()).toBe(false);
  // An operator's suspension would stay; what the provider ended, it begins again.
  await send('PATCH', `/Users/${ann.id}`, patchOf({ op: 'replace', value: { active: true } }));
  expect(await mayRead()).toBe(true);

  expect(
    (await send('PATCH', `/Groups/${readers.id}`, patchOf({ op: 'remove', path: 'members' }))).status,
  ).toBe(204);
  expect(await mayRead()).toBe(false);
  expect((await fetch(`${url}/Users`)).status).toBe(401);
});
