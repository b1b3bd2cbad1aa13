import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, createFixture, groupOf, membersOf, patchOf, userOf } from './support.ts';

let send: Client;
beforeEach(async () => {
  send = (await createFixture()).a;
});

/**
 * As its pages have it:
 * https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
 * https://learn.microsoft.com/en-us/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility
 */
describe('Entra ID', () => {
  const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const ANN = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'ann@example.com',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'ann@example.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Ann Lee', familyName: 'Lee', givenName: 'Ann' },
    roles: [],
  };

  test('asks whether a user is there, and makes it', async () => {
    const query = '/Users?filter=userName eq "ann@example.com"';
    expect((await send('GET', query)).json).toMatchObject({ totalResults: 0, Resources: [] });
    expect((await send('POST', '/Users', ANN)).status).toBe(201);
    expect((await send('GET', query)).json).toMatchObject({ totalResults: 1 });
  });

  test.each<[string, unknown]>([
    ['without the flag', { op: 'Replace', path: 'active', value: 'False' }],
    ['with the flag', { op: 'replace', path: 'active', value: false }],
  ])('disables a user, %s', async (_, operation) => {
    const { json } = await send('POST', '/Users', ANN);
    const { status, json: after } = await send('PATCH', `/Users/${json.id}`, patchOf(operation));
    expect([status, after.active]).toEqual([200, false]);
  });

  test.each<[string, readonly unknown[]]>([
    [
      'without the flag',
      [
        { op: 'Replace', path: 'displayName', value: 'Pvlo' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'other@example.com' },
        { op: 'Replace', path: 'name.givenName', value: 'Gtfd' },
        { op: 'Replace', path: 'name.familyName', value: 'Pkqf' },
        { op: 'Replace', path: `${ENTERPRISE}:employeeNumber`, value: 'Eqpj' },
      ],
    ],
    [
      'with the flag',
      [
        { op: 'replace', path: 'emails[type eq "work"].value', value: 'other@example.com' },
        {
          op: 'replace',
          value: {
            displayName: 'Pvlo',
            'name.givenName': 'Gtfd',
            'name.familyName': 'Pkqf',
            [`${ENTERPRISE}:employeeNumber`]: 'Aklq',
          },
        },
      ],
    ],
  ])('changes several attributes, %s', async (_, operations) => {
    const { json } = await send('POST', '/Users', ANN);
    expect((await send('PATCH', `/Users/${json.id}`, patchOf(...operations))).json).toMatchObject({
      displayName: 'Pvlo',
      name: { givenName: 'Gtfd', familyName: 'Pkqf' },
      emails: [{ value: 'other@example.com' }],
      externalId: ANN.externalId,
    });
  });

  test('adds an attribute that is not held', async () => {
    const id = await userOf(send, 'ann');
    const { status } = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf({ op: 'Add', path: 'nickName', value: 'Babs' }),
    );
    expect(status).toBe(200);
  });

  test('changes the name by which it looks a user up', async () => {
    const { json } = await send('POST', '/Users', ANN);
    await send(
      'PATCH',
      `/Users/${json.id}`,
      patchOf({ op: 'Replace', path: 'userName', value: 'lee@example.com' }),
    );
    const totalOf = async (name: string) =>
      (await send('GET', `/Users?filter=userName eq "${name}"`)).json.totalResults;
    expect([await totalOf('ann@example.com'), await totalOf('lee@example.com')]).toEqual([0, 1]);
  });

  test('fills a group, and takes members out of it', async () => {
    const [ann, ben, id] = [
      await userOf(send, 'ann'),
      await userOf(send, 'ben'),
      await groupOf(send, 'Editors'),
    ];
    const status = async (operation: unknown) =>
      (await send('PATCH', `/Groups/${id}`, patchOf(operation))).status;
    const value = [
      { $ref: null, value: ann },
      { $ref: null, value: ben },
    ];
    expect(await status({ op: 'Add', path: 'members', value })).toBe(204);
    expect(await membersOf(send, id)).toEqual([ann, ben]);
    // Without the flag it names in the value whom it means: not everybody.
    expect(await status({ op: 'Remove', path: 'members', value: [{ $ref: null, value: ann }] })).toBe(204);
    expect(await membersOf(send, id)).toEqual([ben]);
    expect(await status({ op: 'remove', path: `members[value eq "${ben}"]` })).toBe(204);
    expect(await membersOf(send, id)).toEqual([]);
  });

  test('asks for a group without its members, and renames it', async () => {
    const id = await groupOf(send, 'Editors');
    const query = '/Groups?excludedAttributes=members&filter=displayName eq "Editors"';
    expect((await send('GET', query)).json.Resources).toHaveLength(1);
    const rename = patchOf({ op: 'Replace', path: 'displayName', value: 'Writers' });
    expect((await send('PATCH', `/Groups/${id}`, rename)).status).toBe(204);
    expect((await send('GET', query)).json.Resources).toHaveLength(0);
  });
});

/** As its page has it: https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20 */
describe('Okta', () => {
  const ANN = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'ann@example.com',
    name: { givenName: 'Ann', familyName: 'Lee' },
    emails: [{ primary: true, value: 'ann@example.com', type: 'work' }],
    displayName: 'Ann Lee',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  };

  test('asks whether a user is there, makes it, and reads it page by page', async () => {
    const query = '/Users?filter=userName%20eq%20%22ann%40example.com%22&startIndex=1&count=100';
    expect((await send('GET', query)).json).toMatchObject({ totalResults: 0, startIndex: 1, Resources: [] });
    const { status, body } = await send('POST', '/Users', ANN);
    expect(status).toBe(201);
    expect(body).not.toContain('1mz050nq');
    expect((await send('GET', query)).json.totalResults).toBe(1);
    expect((await send('GET', '/Users?startIndex=1&count=100')).json.totalResults).toBe(1);
  });

  test('replaces a user with what it has read, without what it does not know of', async () => {
    const { json } = await send('POST', '/Users', ANN);
    const { externalId, ...read } = json;
    const name = { givenName: 'Another', middleName: 'Excited', familyName: 'User' };
    const emails = [{ ...ANN.emails[0], display: 'ann@example.com' }];
    const { status, json: after } = await send('PUT', `/Users/${json.id}`, {
      ...read,
      name,
      emails,
      groups: [],
    });
    expect(status).toBe(200);
    expect(after).toMatchObject({ name: { givenName: 'Another', familyName: 'User' }, externalId });
  });

  test('deactivates a user without a path', async () => {
    const id = await userOf(send, 'ann');
    const { json } = await send(
      'PATCH',
      `/Users/${id}`,
      patchOf({ op: 'replace', value: { active: false } }),
    );
    expect(json.active).toBe(false);
  });

  test('pushes a group, renames it with its id, and changes its members', async () => {
    const [ann, ben] = [await userOf(send, 'ann'), await userOf(send, 'ben')];
    const group = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Test',
      members: [],
    };
    const { json } = await send('POST', '/Groups', group);
    const patch = async (...operations: readonly unknown[]) =>
      (await send('PATCH', `/Groups/${json.id}`, patchOf(...operations))).status;
    expect(await patch({ op: 'replace', value: { id: json.id, displayName: 'Renamed' } })).toBe(204);
    const member = (value: string) => ({ value, display: 'test.user@okta.local' });
    expect(await patch({ op: 'replace', path: 'members', value: [member(ann), member(ben)] })).toBe(204);
    expect(await membersOf(send, json.id)).toEqual([ann, ben]);
    expect(
      await patch(
        { op: 'remove', path: `members[value eq "${ann}"]` },
        { op: 'add', path: 'members', value: [member(ben)] },
      ),
    ).toBe(204);
    expect(await membersOf(send, json.id)).toEqual([ben]);
    expect((await send('DELETE', `/Groups/${json.id}`)).status).toBe(204);
  });
});
