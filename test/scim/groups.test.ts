import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Client,
  createFixture,
  type Fixture,
  GROUP,
  groupOf,
  membersOf,
  PUBLIC_URL,
  patchOf,
  userOf,
} from './support.ts';

let fixture: Fixture;
let send: Client;
let [ann, ben, cas]: string[] = [];
beforeEach(async () => {
  fixture = await createFixture();
  send = fixture.a;
  ann = await userOf(send, 'ann');
  ben = await userOf(send, 'ben');
  cas = await userOf(send, 'cas');
});

test('a group that is made has what was sent, an id, and an address', async () => {
  const sent = { schemas: [GROUP], displayName: 'Editors', externalId: 'g-1', members: [{ value: ann }] };
  const { status, json } = await send('POST', '/Groups', sent);
  expect(status).toBe(201);
  const created = expect.any(String);
  const location = `${PUBLIC_URL}/scim/v2/Groups/${json.id}`;
  expect(json).toEqual({
    ...sent,
    id: expect.any(String),
    members: [{ value: ann, $ref: `${PUBLIC_URL}/scim/v2/Users/${ann}`, type: 'User' }],
    meta: { resourceType: 'Group', created, lastModified: created, location },
  });
  expect((await send('GET', `/Groups/${json.id}`)).json).toEqual(json);
});

test('a member that is no user of the connection is refused, and nothing is written', async () => {
  const foreign = await userOf(fixture.b, 'foreign');
  const id = await groupOf(send, 'Editors', String(ann));
  const before = fixture.writes();
  for (const value of [foreign, 'nobody', 'not an id']) {
    const members = [{ value: ben }, { value }];
    const answers = [
      await send('POST', '/Groups', { displayName: 'Writers', members }),
      await send('PUT', `/Groups/${id}`, { displayName: 'Writers', members }),
      await send('PATCH', `/Groups/${id}`, patchOf({ op: 'add', path: 'members', value: members })),
      await send(
        'PATCH',
        `/Groups/${id}`,
        patchOf({ op: 'add', value: { displayName: 'Writers', members } }),
      ),
    ];
    for (const { status, json } of answers) expect([status, json.scimType]).toEqual([400, 'invalidValue']);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  }
  expect(fixture.writes()).toBe(before);
  expect(await membersOf(send, id)).toEqual([ann]);
});

test('a replacement has the members that it says, and none where it says none', async () => {
  const id = await groupOf(send, 'Editors', String(ann), String(ben));
  const members = [{ value: ben }, { value: cas }];
  expect((await send('PUT', `/Groups/${id}`, { displayName: 'Writers', members })).json.displayName).toBe(
    'Writers',
  );
  expect(await membersOf(send, id)).toEqual([ben, cas]);
  await send('PUT', `/Groups/${id}`, { displayName: 'Writers' });
  expect(await membersOf(send, id)).toEqual([]);
});

describe('PATCH of members', () => {
  const to = (op: string, ...who: readonly string[]) => ({
    op,
    path: 'members',
    value: who.map((value) => ({ $ref: null, value })),
  });
  const without = (who: string) => ({ op: 'remove', path: `members[value eq "${who}"]` });

  test.each<[string, readonly unknown[], string]>([
    ['adds', [to('add', 'CAS')], 'ANN BEN CAS'],
    ['adds one that is no list', [{ op: 'Add', path: 'members', value: { value: 'CAS' } }], 'ANN BEN CAS'],
    ['adds without a path', [{ op: 'add', value: { members: [{ value: 'CAS' }] } }], 'ANN BEN CAS'],
    ['removes one by a filter', [without('ANN')], 'BEN'],
    ['removes several', [{ op: 'remove', path: 'members[value eq "ANN" or value eq "BEN"]' }], ''],
    ['removes those of a value', [to('Remove', 'ANN')], 'BEN'],
    ['removes nobody for an empty value', [to('remove')], 'ANN BEN'],
    ['removes all', [{ op: 'remove', path: 'members' }], ''],
    ['removes who is gone', [without('CAS')], 'ANN BEN'],
    ['removes who never was', [without('nobody')], 'ANN BEN'],
    ['replaces', [to('replace', 'CAS')], 'CAS'],
    ['removes and adds', [without('ANN'), to('add', 'CAS')], 'BEN CAS'],
    ['adds and removes the same: the last one wins', [to('add', 'CAS'), without('CAS')], 'ANN BEN'],
    ['removes and adds the same: the last one wins', [without('ANN'), to('add', 'ANN')], 'ANN BEN'],
    ['replaces and adds', [to('replace'), to('add', 'CAS')], 'CAS'],
  ])('%s', async (_, operations, expected) => {
    const id = await groupOf(send, 'Editors', String(ann), String(ben));
    const ids: Readonly<Record<string, string | undefined>> = { ANN: ann, BEN: ben, CAS: cas };
    const named = (text: string) => text.replace(/ANN|BEN|CAS/g, (name) => String(ids[name]));
    const body = named(JSON.stringify(patchOf(...operations)));
    expect(await send('PATCH', `/Groups/${id}`, body)).toMatchObject({ status: 204, body: '' });
    expect((await membersOf(send, id)).join(' ')).toBe(named(expected));
    const before = fixture.writes();
    expect((await send('PATCH', `/Groups/${id}`, body)).status).toBe(204);
    expect(fixture.writes()).toBe(before);
  });

  const add = (value: unknown) => ({ op: 'add', path: 'members', value });
  test.each<[string, unknown, string]>([
    ['a group as a member', add([{ value: 'x', type: 'Group' }]), 'invalidValue'],
    ['a member without an id', add([{}]), 'invalidValue'],
    ['a member that is a text', add(['x']), 'invalidSyntax'],
    ['a filter by what is not held', { op: 'remove', path: 'members[display eq "Ann"]' }, 'invalidFilter'],
    [
      'a change of a member',
      { op: 'replace', path: 'members[value eq "x"].value', value: 'y' },
      'mutability',
    ],
    ['remove of the name', { op: 'remove', path: 'displayName' }, 'mutability'],
  ])('with %s is refused', async (_, operation, scimType) => {
    const id = await groupOf(send, 'Editors');
    const { status, json } = await send('PATCH', `/Groups/${id}`, patchOf(operation));
    expect([status, json.scimType]).toEqual([400, scimType]);
  });

  test('does its work again after another change', async () => {
    const id = await groupOf(send, 'Editors');
    const member = (op: string) => patchOf({ op, path: 'members', value: [{ value: ann }] });
    for (const [op, expected] of [
      ['add', [ann]],
      ['remove', []],
      ['add', [ann]],
      ['remove', []],
    ] as const) {
      await send('PATCH', `/Groups/${id}`, member(op));
      expect(await membersOf(send, id)).toEqual(expected);
    }
  });

  test('beyond 1,000 is refused with 413', async () => {
    const id = await groupOf(send, 'Editors');
    const value = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `nobody-${at}` }));
    const status = async (...operations: readonly unknown[]) =>
      (await send('PATCH', `/Groups/${id}`, patchOf(...operations))).status;
    expect(await status({ op: 'add', path: 'members', value: value(1_000) })).toBe(400);
    expect(await status({ op: 'add', path: 'members', value: value(1_001) })).toBe(413);
    expect((await send('POST', '/Groups', { displayName: 'x', members: value(1_001) })).status).toBe(413);
  });

  test('answers with the group where attributes are asked for', async () => {
    const id = await groupOf(send, 'Editors', String(ann));
    const body = patchOf({ op: 'replace', value: { id, displayName: 'Writers' } });
    const { status, json } = await send('PATCH', `/Groups/${id}?excludedAttributes=members`, body);
    expect([status, json.displayName, json.members]).toEqual([200, 'Writers', undefined]);
  });
});

test('a group that is deleted is gone', async () => {
  const id = await groupOf(send, 'Editors');
  expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204);
  expect((await send('DELETE', `/Groups/${id}`)).status).toBe(404);
});
