import { beforeEach, describe, expect, test } from 'vitest';
import type { Handle } from '../../authorizer/service/http.ts';
import { createFixture, record, send, serve, user } from './support.ts';

/** Which permission an action is, and where objects are decided that no table keeps. */
let handle: Handle;

const fixture = await createFixture();
const { run } = fixture.world;
const create = (name: string, more: object) => run('resource-type.create', { name, ...more });
await create('invoice', { scope: 'tenant:{tenant}' });
await create('bill', { permission: 'invoice:{action}:invoice', scope: 'tenant:tenant-a' });
await create('paper', {
  permission: 'record:{action}:record',
  actions: { look: 'record:read:record', write: 'invoice:approve:invoice', file: 'record:write:record' },
  scope: 'tenant:tenant-a',
});
await run('resource-type.create', { name: 'folder', actions: { open: 'record:read:record' } });
fixture.world.settle();
beforeEach(() => {
  handle = serve(fixture);
  fixture.world.calls.length = 0;
});

async function evaluate(subject: string, action: string, resource: object) {
  const body = { subject: user(subject), action: { name: action }, resource };
  const { json } = await send(handle, '/access/v1/evaluation', { token: fixture.token.a, body });
  return [json.decision, json.context.reason];
}
const invoice = (tenant: string | undefined, name = '4711') => ({
  type: 'invoice',
  id: name,
  properties: { tenant },
});
const search = async (kind: string, body: object) =>
  (await send(handle, `/access/v1/search/${kind}`, { token: fixture.token.a, body })).json.results;

describe('objects that no table keeps', () => {
  test('are decided at the scope that a property names', async () => {
    expect(await evaluate('alice', 'approve', invoice('tenant-a'))).toEqual([true, 'role']);
    expect(await evaluate('bob', 'approve', invoice('tenant-a'))).toEqual([false, 'no_grant']);
  });

  test("are unknown where the property is missing, no id, or of a tenant that is not the caller's", async () => {
    for (const resource of [
      invoice(undefined),
      invoice('#'),
      invoice('tenant-b'),
      { type: 'invoice', id: '1', properties: { tenant: 7 } },
      { type: 'invoice', id: '1' },
    ])
      expect(await evaluate('alice', 'approve', resource)).toEqual([false, 'scope_unknown']);
  });

  test('are decided at a scope that their type names, whatever their id is, up to 256 characters', async () => {
    for (const name of ['1', 'a/b c#é', 'x'.repeat(256)])
      expect(await evaluate('alice', 'approve', { type: 'bill', id: name })).toEqual([true, 'role']);
    expect(await evaluate('alice', 'approve', { type: 'bill', id: 'x'.repeat(257) })).toEqual([
      false,
      'scope_unknown',
    ]);
  });

  test('are not listed; who may, and what one may, are', async () => {
    const resource = invoice('tenant-a');
    const [subject, action] = [user('alice'), { name: 'approve' }];
    expect(await search('resource', { subject, action, resource: { type: 'invoice' } })).toEqual([]);
    expect(await search('subject', { subject: { type: 'user' }, action, resource })).toEqual([subject]);
    expect(await search('action', { subject, resource })).toEqual([action]);
  });
});

describe('actions', () => {
  test('are the permission that the type names, or else that of its template', async () => {
    const paper = { type: 'paper', id: '1' };
    expect(await evaluate('bob', 'look', paper)).toEqual([true, 'role']);
    expect(await evaluate('bob', 'read', paper)).toEqual([true, 'role']);
    expect(await evaluate('bob', 'file', paper)).toEqual([false, 'no_grant']);
    expect(await evaluate('alice', 'write', paper)).toEqual([true, 'role']);
    expect(await evaluate('bob', 'open', { type: 'folder', id: 'folder' })).toEqual([true, 'role']);
  });

  async function pageOf(subject: string, resource: object, page: object) {
    const body = { subject: user(subject), resource, page };
    return (await send(handle, '/access/v1/search/action', { token: fixture.token.a, body })).json;
  }

  async function allOf(subject: string, resource: object, first: object): Promise<readonly string[]> {
    const found: string[] = [];
    let page = first;
    for (let pages = 0; pages < 20; pages++) {
      const json = await pageOf(subject, resource, page);
      found.push(...json.results.map(({ name }: { name: string }) => name));
      if (json.page.next_token === '') break;
      page = { token: json.page.next_token };
    }
    return found;
  }

  test.each([1, 2, 100])('are searched in both, each once, in pages of %s', async (limit) => {
    const found = await allOf('alice', { type: 'paper', id: '1' }, { limit });
    expect(found).toEqual(['file', 'look', 'write', 'read']);
  });

  test('go on where a page of an older release ended, which names the action', async () => {
    const paper = { type: 'paper', id: '1' };
    const { page } = await pageOf('alice', paper, { limit: 1 });
    const [digest, limit, cursor] = JSON.parse(Buffer.from(page.next_token, 'base64url').toString());
    // Its own word, so that an older release refuses it.
    expect(cursor).toMatch(/^actions /);
    const token = Buffer.from(JSON.stringify([digest, limit, 'own file'])).toString('base64url');
    expect(await allOf('alice', paper, { token })).toEqual(['look', 'write', 'read']);
  });

  // One takes some 80,000 steps of a budget of a million: 12 leave too little for another.
  test.each([12, 30])('are all found, though the budget ends behind %s or before', async (count) => {
    const names = Array.from({ length: count }, (_, n) => `do-${n + 10}`);
    const permissions = [...names.map((name) => `heavy:${name}:own`), 'heavy:a:other', 'heavy:b:other'];
    const when = 'resource.properties.tags.all(t, resource.properties.tags.all(u, u + t != action.name))';
    await fixture.world.apply(`
properties: [{ of: "resource:heavy", name: tags, type: "list<string>", source: passed }]
permissions: ${JSON.stringify(permissions)}
resourceTypes:
  heavy:
    permission: "heavy:{action}:other"
    actions: { ${names.map((name) => `${name}: "heavy:${name}:own"`)} }
    scope: "tenant:tenant-a"
scopes: { Tenant a: { id: tenant-a, type: tenant } }
roles: { heavy: { owner: Tenant a, allow: [{ permission: "heavy:*:*", when: "${when}" }] } }
users: { hal: { id: hal, assignments: [{ role: heavy, scope: Tenant a }] } }
`);
    fixture.world.settle();
    const properties = { tags: Array.from({ length: 50 }, (_, n) => `tag-${n}`) };
    const found = await allOf('hal', { type: 'heavy', id: '1', properties }, { limit: 100 });
    expect(found.toSorted()).toEqual(['a', 'b', ...names]);
  });
});

test('a type that is deleted has the usual mapping again', async () => {
  const { run } = fixture.world;
  await run('resource-type.create', { name: 'record', actions: { read: 'record:write:record' } });
  fixture.world.settle();
  handle = serve(fixture);
  expect(await evaluate('bob', 'read', record('record-1'))).toEqual([false, 'no_grant']);
  await run('resource-type.delete', { name: 'record' });
  fixture.world.settle();
  expect(await evaluate('bob', 'read', record('record-1'))).toEqual([true, 'role']);
});

test('a type that is damaged is a fault, not the usual mapping', async () => {
  const { reader } = fixture.world;
  const damaged = serve(
    fixture,
    {},
    {
      reader: {
        ...reader,
        getMany: async (keys, notes) =>
          (await reader.getMany(keys, notes)).map((item) =>
            item?.PK === 'RESOURCE_TYPE#bill' ? { ...item, permission: 'nonsense' } : item,
          ),
      },
    },
  );
  const body = { subject: user('alice'), action: { name: 'approve' }, resource: { type: 'bill', id: '1' } };
  const answer = await send(damaged, '/access/v1/evaluation', { token: fixture.token.a, body });
  expect(answer.status).toBe(503);
});

test.each<[string, object]>([
  ['name', { name: 'Not A Type' }],
  ['permission', { name: 'x', permission: 'a:b:c' }],
  ['permission', { name: 'x', permission: '{action}:{action}:c' }],
  ['permission', { name: 'x', permission: 'a:{action}' }],
  ['scope', { name: 'x', scope: 'tenant' }],
  ['scope', { name: 'x', scope: 'tenant:{a b}' }],
  ['scope', { name: 'x', scope: 'spaceship:{id}' }],
  ['actions.read', { name: 'x', actions: { read: 'a:b' } }],
  ['actions', { name: 'x', actions: ['read'] }],
])('a type with a wrong %s is refused: %j', async (field, input) => {
  const error = await fixture.world.refused('resource-type.create', { ...input });
  expect(error).toMatchObject({ code: 'invalid', field });
});
