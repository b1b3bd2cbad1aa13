import { expect, test } from 'vitest';
import { createFixture, GROUP, IDENTITY, PUBLIC_URL, patchOf, USER } from './support.ts';

const { a: send } = await createFixture();

test('the server says what it supports', async () => {
  const { status, json } = await send('GET', '/ServiceProviderConfig');
  expect(status).toBe(200);
  const supported = Object.entries(json).flatMap(([name, value]) => {
    const is = (value as { readonly supported?: boolean }).supported;
    return is === undefined ? [] : [[name, is]];
  });
  const not = { bulk: false, changePassword: false, sort: false, etag: false };
  expect(Object.fromEntries(supported)).toEqual({ patch: true, filter: true, ...not });
});

test('types of resources lead to their schemas', async () => {
  const { json } = await send('GET', '/ResourceTypes');
  expect(json).toMatchObject({ totalResults: 2, itemsPerPage: 2 });
  for (const { id, endpoint, schema, schemaExtensions, meta } of json.Resources) {
    expect(meta.location).toBe(`${PUBLIC_URL}/scim/v2/ResourceTypes/${id}`);
    expect((await send('GET', `/ResourceTypes/${id}`)).json.endpoint).toBe(endpoint);
    for (const each of [schema, ...schemaExtensions.map((of: { readonly schema: string }) => of.schema)])
      expect((await send('GET', `/Schemas/${each}`)).json.id).toBe(each);
  }
});

test('few attributes are advertised, and each that can be written works', async () => {
  const { json } = await send('GET', '/Schemas');
  expect(json.Resources.map(({ id }: { readonly id: string }) => id)).toEqual([USER, IDENTITY, GROUP]);
  const values: Record<string, unknown> = {
    active: true,
    name: { givenName: 'Ann', familyName: 'Lee' },
    emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
    members: [],
  };
  for (const [schema, path] of [
    [USER, '/Users'],
    [GROUP, '/Groups'],
  ]) {
    const { attributes } = (await send('GET', `/Schemas/${schema}`)).json;
    const writable = attributes.filter(
      ({ mutability }: Record<string, string>) => mutability === 'readWrite',
    );
    const body = Object.fromEntries(
      writable.map(({ name }: { readonly name: string }) => [name, values[name] ?? name]),
    );
    const { status, json: made } = await send('POST', String(path), body);
    expect(status).toBe(201);
    for (const [name, value] of Object.entries(body)) {
      if (name !== 'members') expect(made[name], name).toEqual(value);
      const operation = { op: 'replace', path: `${schema}:${name}`, value };
      expect((await send('PATCH', `${path}/${made.id}`, patchOf(operation))).status, name).toBeLessThan(300);
    }
  }
});

test.each(['/Schemas/none', '/ResourceTypes/none', '/ServiceProviderConfig/none', '/Schemas/a/b', '/none'])(
  'there is nothing at %s',
  async (path) => {
    expect(await send('GET', path)).toMatchObject({ status: 404, json: { status: '404' } });
  },
);

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s does not change what is discovered', async (method) => {
  for (const path of ['/Schemas', '/ResourceTypes', '/ServiceProviderConfig', `/Schemas/${USER}`])
    expect(await send(method, path, {})).toMatchObject({ status: 405, headers: { Allow: 'GET' } });
});

test.each([
  ['POST', '/Bulk'],
  ['GET', '/Me'],
  ['POST', '/.search'],
])('%s %s is not supported', async (method, path) => {
  expect((await send(method, path, {})).status).toBe(501);
});
