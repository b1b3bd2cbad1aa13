import { beforeEach, describe, expect, test } from 'vitest';
import type { Handle } from '../../authorizer/service/http.ts';
import { withEveryone } from '../support/everyone.ts';
import { createFixture, record, send, serve, user } from './support.ts';

let handle: Handle;

const fixture = await createFixture();
beforeEach(() => {
  handle = serve(fixture);
});

interface Results {
  readonly page: { readonly next_token: string; readonly count: number };
  readonly results: readonly { readonly type?: string; readonly id?: string; readonly name?: string }[];
}

async function search(kind: string, body: object, token = fixture.token.a): Promise<Results> {
  const answer = await send(handle, `/access/v1/search/${kind}`, { token, body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
  return answer.json as Results;
}

/** All results, page by page: their names or ids. */
async function all(kind: string, body: object, limit?: number, token = fixture.token.a) {
  const found: string[] = [];
  let page: object = limit === undefined ? {} : { limit };
  for (let pages = 0; pages < 100; pages++) {
    const answer = await search(kind, { ...body, page }, token);
    expect(answer.page.count).toBe(answer.results.length);
    found.push(...answer.results.map(({ name, id = '' }) => name ?? id));
    if (answer.page.next_token === '') return found;
    page = { token: answer.page.next_token, ...(limit === undefined ? {} : { limit }) };
  }
  throw new Error('the pages do not end');
}

const subjects = (action: string, resource: object, type = 'user') => ({
  subject: { type },
  action: { name: action },
  resource,
});
const resources = (subject: string, action: string, type = 'record') => ({
  subject: user(subject),
  action: { name: action },
  resource: { type },
});
const actions = (subject: string, resource: object) => ({ subject: user(subject), resource });

describe('a caller finds only what it may evaluate', () => {
  test('resources of other tenants are left out, whoever the subject is', async () => {
    await fixture.world.run('assignment.create', {
      user: 'bob',
      scope: 'tenant:tenant-b',
      role: 'reader-b',
    });
    await fixture.world.run('admin.create', { user: 'stranger' });
    fixture.world.settle();
    handle = serve(fixture);
    const mine = ['record-1', 'record-2', 'record-3'];
    for (const subject of ['bob', 'stranger'])
      for (const limit of [1, 100]) {
        expect((await all('resource', resources(subject, 'read'), limit)).sort()).toEqual(mine);
        expect(await all('resource', resources(subject, 'read'), limit, fixture.token.b)).toEqual([
          'record-b',
        ]);
        const everywhere = await all('resource', resources(subject, 'read'), limit, fixture.token.everywhere);
        expect(everywhere.sort()).toEqual([...mine, 'record-b']);
      }
  });

  test('no page token holds a place of another tenant', async () => {
    const foreign = ['record-b', 'tenant-b'];
    let page: object = { limit: 1 };
    for (let token = '-'; token !== ''; page = { token }) {
      const answer = await search('resource', { ...resources('stranger', 'read'), page });
      token = answer.page.next_token;
      const text = Buffer.from(token, 'base64url').toString();
      const cursor = token === '' ? '' : Buffer.from(JSON.parse(text)[2], 'base64url').toString();
      for (const each of foreign) expect(cursor).not.toContain(each);
    }
  });

  test.each<[string, () => object]>([
    ['subject', () => subjects('read', record('record-b'))],
    ['action', () => actions('zoe', record('record-b'))],
  ])('%s search at a resource of another tenant is empty', async (kind, body) => {
    expect((await search(kind, body())).results).toEqual([]);
    expect((await search(kind, body(), fixture.token.b)).results.length).toBeGreaterThan(0);
  });
});

test('with many groups of everyone in other tenants, a caller finds the same at a bounded cost', async () => {
  const before = await all('resource', resources('alice', 'read'));
  const { reader, cost } = withEveryone(
    fixture.world.reader,
    // Damaged ones are passed over.
    ['', 'location:a b', ...Array.from({ length: 5_000 }, (_, n) => `tenant:t${n}`)],
  );
  handle = serve(fixture, {}, { reader });
  const unknown = { ...actions('alice', record('no-such')), action: { name: 'read' } };
  await send(handle, '/access/v1/evaluation', { token: fixture.token.a, body: unknown });
  expect(cost().keys).toBeLessThan(20);
  expect(await all('resource', resources('alice', 'read'))).toEqual(before);
  // Once for each caller: the scopes of a thousand groups.
  expect(cost().keys).toBeLessThan(1_100);
  await all('resource', resources('alice', 'read'));
  expect(cost().keys).toBeLessThan(20);
  await send(handle, '/access/v1/evaluation', { token: fixture.token.nobody, body: unknown });
  expect(cost().keys).toBeLessThan(1_100);
});

test.each<[string, string, 0 | 1]>([
  ['locations', 'location', 1],
  ['scopes that are no roots', 'building', 1],
  // It does not look at all roots: a list may be shorter.
  ['tenants', 'tenant', 0],
])(
  'a caller that evaluates as everyone is not refused for groups of everyone at many %s',
  async (_, type, listed) => {
    const own = await createFixture();
    const place = { scope: 'tenant:tenant-b', name: 'All', everyone: true };
    const { id: group } = await own.world.run('group.create', place);
    await own.world.run('group-role.create', { group, role: 'evaluator-b' });
    own.world.settle();
    const elsewhere = Array.from({ length: 1_500 }, (_, n) => `${type}:t${n}`);
    const { reader } = withEveryone(own.world.reader, [...elsewhere, 'tenant:tenant-b']);
    handle = serve(own, {}, { reader });
    const evaluate = async (id: string) => {
      const body = { subject: user('zoe'), action: { name: 'read' }, resource: record(id) };
      return (await send(handle, '/access/v1/evaluation', { token: own.token.nobody, body })).json?.decision;
    };
    expect([await evaluate('record-b'), await evaluate('no-such')]).toEqual([true, false]);
    const found = await all('resource', resources('zoe', 'read'), 100, own.token.nobody);
    expect(found).toEqual(['record-b'].slice(0, listed));
  },
);

describe('a page token', () => {
  const first = () => ({ ...subjects('read', record('record-1')), page: { limit: 1 } });
  const tokenOf = async () => (await search('subject', first())).page.next_token;
  const refused = async (body: object, token = fixture.token.a, kind = 'subject') => {
    const answer = await send(handle, `/access/v1/search/${kind}`, { token, body });
    expect(answer).toMatchObject({ status: 400, body: 'page.token does not belong to this query' });
  };

  test('is bound to its query, its caller and its page size', async () => {
    const token = await tokenOf();
    const body = { ...first(), page: { token } };
    expect((await search('subject', body)).results).toHaveLength(1);
    expect((await search('subject', { ...body, page: { token, limit: 1 } })).results).toHaveLength(1);
    await refused({ ...body, page: { token, limit: 2 } });
    await refused({ ...body, action: { name: 'write' } });
    await refused({ ...body, context: { a: 1 } });
    await refused({ ...body, resource: { ...record('record-1'), properties: { a: 1 } } });
    await refused({ ...body, subject: { type: 'user', properties: {} } });
    await refused(body, fixture.token.everywhere);
    await refused({ ...resources('bob', 'read'), page: { token } }, fixture.token.a, 'resource');
  });

  test('does not depend on the order of members, nor on what is ignored', async () => {
    const token = await tokenOf();
    const { subject, action, resource } = subjects('read', record('record-1'));
    const body = { page: { token }, resource, action, subject: { ...subject, id: 'ignored' }, foo: 1 };
    expect((await search('subject', body)).results).toHaveLength(1);
  });

  test('of a page of no results starts at the beginning', async () => {
    const none = await search('subject', { ...first(), page: { limit: 0 } });
    expect(none.results).toEqual([]);
    expect(none.page.next_token).not.toBe('');
  });
});

test('pages neither lose nor repeat a resource that stays while others are written', async () => {
  const stays = new Set<string>();
  const parent = 'tenant:tenant-a';
  const create = async (name: string) =>
    (await fixture.world.run('scope.create', { type: 'record', name, parent })).id;
  for (let at = 0; at < 20; at++) stays.add(await create(`stays ${at}`));
  const goes = [await create('goes 1'), await create('goes 2'), await create('goes 3')];
  const found: string[] = [];
  let page: object = { limit: 3 };
  for (let pages = 0; ; pages++) {
    const answer = await search('resource', { ...resources('bob', 'read'), page });
    found.push(...answer.results.map((each) => String(each.id)));
    if (answer.page.next_token === '') break;
    page = { token: answer.page.next_token };
    await create(`comes ${pages}`);
    const gone = goes.pop();
    if (gone) await fixture.world.run('scope.delete', { scope: `record:${gone}` });
  }
  expect(new Set(found).size).toBe(found.length);
  for (const each of stays) expect(found).toContain(each);
});
