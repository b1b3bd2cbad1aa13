import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Client,
  createFixture,
  type Fixture,
  IDENTITY,
  PUBLIC_URL,
  patchOf,
  USER,
  userOf,
} from './support.ts';

let fixture: Fixture;
let send: Client;
beforeEach(async () => {
  fixture = await createFixture();
  send = fixture.a;
});

const ANN = {
  schemas: [USER, IDENTITY],
  userName: 'Ann@example.com',
  externalId: '00u1',
  active: true,
  displayName: 'Ann Lee',
  name: { givenName: 'Ann', familyName: 'Lee' },
  emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
  [IDENTITY]: { sub: 'oid-1' },
};

describe('a user', () => {
  test('that is made has what was sent, an id, and an address', async () => {
    const { status, headers, json } = await send('POST', '/Users', ANN);
    expect(status).toBe(201);
    const location = `${PUBLIC_URL}/scim/v2/Users/${json.id}`;
    expect(headers).toMatchObject({ 'Content-Type': 'application/scim+json', Location: location });
    const created = new Date(fixture.clock.now()).toISOString();
    const meta = { resourceType: 'User', created, lastModified: expect.any(String), location };
    expect(json).toEqual({ ...ANN, id: expect.any(String), meta });
    expect((await send('GET', `/Users/${json.id}`)).json).toEqual(json);
  });

  test('is active unless it is said otherwise', async () => {
    const { json } = await send('POST', '/Users', { userName: 'ann' });
    expect(json).toMatchObject({ active: true, schemas: [USER] });
    expect(Object.keys(json)).not.toContain('emails');
  });

  test('with a name that is taken is refused, in whatever case; one that is renamed has the new one', async () => {
    const id = await userOf(send, 'ann');
    const { status, json } = await send('POST', '/Users', { userName: 'ANN' });
    expect([status, json.scimType, json.detail]).toEqual([409, 'uniqueness', 'userName is taken already']);
    await send('PATCH', `/Users/${id}`, patchOf({ op: 'Replace', path: 'userName', value: 'lee' }));
    const found = async (name: string) =>
      (await send('GET', `/Users?filter=userName eq "${name}"`)).json.totalResults;
    expect([await found('ann'), await found('lee')]).toEqual([0, 1]);
  });

  test.each([
    ['without a name', { displayName: 'Ann' }],
    ['with an address of a foreign domain', { userName: 'ann', emails: [{ value: 'ann@elsewhere.test' }] }],
  ])('%s is refused', async (_, body) => {
    const { status, json } = await send('POST', '/Users', body);
    expect([status, json.scimType]).toEqual([400, 'invalidValue']);
  });

  test('has the primary one of several addresses, else that at work', async () => {
    const emailOf = async (userName: string, emails: readonly unknown[]) =>
      (await send('POST', '/Users', { userName, emails })).json.emails[0].value;
    const at = (type: string) => (name: string) => ({ value: `${name}.${type}@example.com`, type });
    const [home, work] = [at('home'), at('work')];
    expect(await emailOf('a', [home('a'), work('a')])).toBe('a.work@example.com');
    expect(await emailOf('b', [{ ...home('b'), primary: true }, work('b')])).toBe('b.home@example.com');
    expect(await emailOf('c', [home('c')])).toBe('c.home@example.com');
  });

  test('may have attributes that are not held: they are left out', async () => {
    const other = { title: 'Dr', phoneNumbers: [{ value: '1' }], password: '1mz050nq' };
    const more = { ...other, groups: [], id: 'mine' };
    const name = { formatted: 'x', givenName: 'Ann' };
    const { status, json } = await send('POST', '/Users', { userName: 'ann', name, ...more });
    expect([status, json.name]).toEqual([201, { givenName: 'Ann' }]);
    expect(Object.keys(json)).toEqual(['schemas', 'id', 'userName', 'active', 'name', 'meta']);
    expect(json.id).not.toBe('mine');
  });
});

describe('a replacement', () => {
  test('takes away what it does not say, but not whether somebody is active, nor who somebody is', async () => {
    const { json } = await send('POST', '/Users', { ...ANN, active: false });
    const { status, json: after } = await send('PUT', `/Users/${json.id}`, { userName: 'anna' });
    expect(status).toBe(200);
    const { schemas, id, externalId, [IDENTITY]: identity } = json;
    const kept = { schemas, id, externalId, [IDENTITY]: identity };
    expect(after).toEqual({ ...kept, userName: 'anna', active: false, meta: expect.anything() });
  });

  test('takes what was read before, with what is not held', async () => {
    const { json } = await send('POST', '/Users', ANN);
    const name = { givenName: 'Another', middleName: 'Excited', familyName: 'User' };
    const { status, json: after } = await send('PUT', `/Users/${json.id}`, { ...json, name, groups: [] });
    expect([status, after.name]).toEqual([200, { givenName: 'Another', familyName: 'User' }]);
  });

  test('needs the name', async () => {
    const id = await userOf(send, 'ann');
    expect((await send('PUT', `/Users/${id}`, { active: false })).status).toBe(400);
  });

  test.each([
    ['False', false],
    ['fAlSe', false],
    ['TRUE', true],
    [false, false],
  ])('takes %j for %j', async (active, expected) => {
    const id = await userOf(send, 'ann', { active: !expected });
    expect((await send('PUT', `/Users/${id}`, { userName: 'ann', active })).json.active).toBe(expected);
  });

  test.each(['no', '', 0, null, [], {}])('refuses %j for active', async (active) => {
    const id = await userOf(send, 'ann');
    const { status, json } = await send('PUT', `/Users/${id}`, { userName: 'ann', active });
    expect([status, json.scimType]).toEqual([400, 'invalidValue']);
  });
});

describe('PATCH', () => {
  /** https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups */
  const ENTRA = [
    ['emails[type eq "work"].value', 'other@example.com'],
    ['displayName', 'Pvlo'],
    ['name.givenName', 'Gtfd'],
    ['name.familyName', 'Pkqf'],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber', 'Eqpj'],
  ].map(([path, value]) => ({ op: 'Replace', path, value }));
  const CHANGED = {
    displayName: 'Pvlo',
    name: { givenName: 'Gtfd', familyName: 'Pkqf' },
    emails: [{ value: 'other@example.com', type: 'work', primary: true }],
  };
  const patched = async (before: object, ...operations: readonly unknown[]) => {
    const { json } = await send('POST', '/Users', { ...ANN, ...before });
    const answer = await send('PATCH', `/Users/${json.id}`, patchOf(...operations));
    const { meta, ...rest } = answer.json;
    return { ...answer, rest, id: json.id };
  };

  const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
  const add = (path: string, value: unknown) => ({ op: 'add', path, value });
  const mail = (name: string, more = {}) => ({ value: `${name}@example.com`, type: 'work', ...more });
  const work = (name: string) => ({ emails: [mail(name, { primary: true })] });
  const named = (givenName: string, familyName: string) => ({ name: { givenName, familyName } });
  const FLAT = { displayName: 'A', 'name.givenName': 'B' };
  const sub = { [IDENTITY]: { sub: 'oid-2' } };
  const home = mail('home', { type: 'home' });

  test.each<[string, readonly unknown[], object]>([
    ['a path', [replace('displayName', 'A')], { displayName: 'A' }],
    ['a path in another case', [{ ...replace('DisplayName', 'A'), op: 'REPLACE' }], { displayName: 'A' }],
    ['a path with the schema', [add(`${USER}:name.givenName`, 'B')], named('B', 'Lee')],
    ['no path', [{ op: 'add', value: FLAT }], { displayName: 'A', ...named('B', 'Lee') }],
    ['a part of an object', [replace('name', { familyName: 'B' })], named('Ann', 'B')],
    ['an email by a filter', [replace('emails[type eq "work"].value', 'b@example.com')], work('b')],
    ['an email by its value', [replace('emails[value eq "ANN@example.com"]', mail('b'))], work('b')],
    ['an email that is primary', [replace('emails[primary eq true].value', 'b@example.com')], work('b')],
    ['another address beside that at work', [add('emails', [home])], {}],
    ['an address that is primary', [add('emails', [{ ...home, primary: true }])], work('home')],
    ['the identity', [replace(`${IDENTITY}:sub`, 'oid-2')], sub],
    ['the identity as an object', [{ op: 'add', value: sub }], sub],
    [
      'several operations, the last one wins',
      [replace('displayName', 'A'), replace('userName', 'b'), add('displayName', 'C')],
      { displayName: 'C', userName: 'b' },
    ],
    ['what is not held', [add('title', 'Dr')], {}],
    ['active as Entra ID has it', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
    ['active as Okta has it', [{ op: 'replace', value: { active: false } }], { active: false }],
    ['attributes of Entra ID, one by one', ENTRA, CHANGED],
    [
      'attributes of Entra ID, with the flag of its pages',
      [
        ENTRA[0],
        { op: 'replace', value: Object.fromEntries(ENTRA.slice(1).map((each) => [each.path, each.value])) },
      ],
      CHANGED,
    ],
  ])('with %s', async (_, operations, changes) => {
    const { status, rest, id } = await patched({}, ...operations);
    expect(status).toBe(200);
    expect(rest).toEqual({ ...ANN, id, ...changes });
  });

  test.each([
    ...['externalId', 'displayName', 'name.givenName', 'name', 'emails', 'emails[type eq "work"]', IDENTITY],
  ])('removes %s, and does not mind that it is gone', async (path) => {
    const { status, id, rest } = await patched({}, { op: 'remove', path });
    expect(status).toBe(200);
    expect(JSON.stringify(rest).length).toBeLessThan(JSON.stringify({ ...ANN, id }).length);
    const before = fixture.writes();
    expect((await send('PATCH', `/Users/${id}`, patchOf({ op: 'remove', path }))).status).toBe(200);
    expect(fixture.writes()).toBe(before);
  });

  test.each<[string, readonly unknown[], string]>([
    ['no operation', [], 'invalidSyntax'],
    ['an operation that is none', [{ op: 'move', path: 'userName' }], 'invalidSyntax'],
    ['a path that is none', [add('shoeSize', 1)], 'invalidPath'],
    ['a path that cannot be read', [add('emails[type eq', 1)], 'invalidPath'],
    ['a path that is an expression', [add('active eq true', 1)], 'invalidPath'],
    ['a filter on one value', [add('userName[value eq "a"]', 'b')], 'invalidPath'],
    ['remove without a path', [{ op: 'remove' }], 'noTarget'],
    ['an address that there is not', [replace('emails[type eq "home"].value', 'b@example.com')], 'noTarget'],
    ['what cannot be written', [replace('groups', [])], 'mutability'],
    ['the id', [replace('id', 'other')], 'mutability'],
    ['remove of the name', [{ op: 'remove', path: 'userName' }], 'mutability'],
    ['remove of active', [{ op: 'remove', path: 'active' }], 'mutability'],
    ['a value of another type', [replace('displayName', 1)], 'invalidValue'],
    ['no value', [{ op: 'replace', path: 'displayName' }], 'invalidValue'],
    ['a member twice', [{ op: 'add', value: { displayName: 'a', DISPLAYNAME: 'b' } }], 'invalidSyntax'],
  ])('with %s is refused, and nothing is written', async (_, operations, scimType) => {
    const id = await userOf(send, 'ann');
    const before = fixture.writes();
    // Whole or not at all: an operation before it is not carried out.
    const whole = operations.length > 0 ? [replace('displayName', 'X'), ...operations] : [];
    const { status, json } = await send('PATCH', `/Users/${id}`, patchOf(...whole));
    expect([status, json.scimType]).toEqual([400, scimType]);
    expect(fixture.writes()).toBe(before);
  });

  test('twice the same writes nothing the second time, and does its work again after another change', async () => {
    const id = await userOf(send, 'ann');
    const patch = (value: boolean) =>
      send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'active', value }));
    expect((await patch(false)).json.active).toBe(false);
    const before = fixture.writes();
    expect((await patch(false)).json.active).toBe(false);
    expect(fixture.writes()).toBe(before);
    await patch(true);
    expect((await patch(false)).json.active).toBe(false);
  });
});

test('a user that is deleted is gone: each later request answers 404', async () => {
  const id = await userOf(send, 'ann');
  expect((await send('DELETE', `/Users/${id}`)).status).toBe(204);
  const gone = [
    await send('DELETE', `/Users/${id}`),
    await send('GET', `/Users/${id}`),
    await send('PUT', `/Users/${id}`, { userName: 'ann' }),
    await send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false })),
  ];
  expect(gone.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});
