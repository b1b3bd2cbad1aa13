import { beforeAll, describe, expect, test } from 'vitest';
import { createFixture, type Fixture, GROUP, groupOf, USER, userOf } from './support.ts';

const fixture = await createFixture();
const send = fixture.a;
let [ann, ben, editors, writers]: string[] = [];
beforeAll(async () => {
  ann = await userOf(send, 'Ann', {
    externalId: 'X1',
    displayName: 'Ann Lee',
    emails: [{ value: 'ann@example.com' }],
    name: { givenName: 'Ann', familyName: 'Lee' },
  });
  ben = await userOf(send, 'ben', { active: false, displayName: 'Ben' });
  editors = await groupOf(send, 'Editors', ann);
  writers = await groupOf(send, 'Writers', ann, ben);
  await userOf(fixture.b, 'foreign', { externalId: 'X9' });
});

const ids = async (path: string, filter: string) => {
  const { status, json } = await send('GET', `${path}?filter=${encodeURIComponent(filter)}`);
  expect([status, json.totalResults]).toEqual([200, json.Resources.length]);
  return json.Resources.map(({ id }: { readonly id: string }) => id);
};

describe('users are filtered', () => {
  test.each<[string, () => readonly (string | undefined)[]]>([
    ['userName eq "ann"', () => [ann]],
    ['username Eq "ANN"', () => [ann]],
    [`${USER}:userName eq "ann"`, () => [ann]],
    ['userName eq "foreign"', () => []],
    ['externalId eq "X1"', () => [ann]],
    ['externalId eq "x1"', () => []],
    ['externalId eq "X9"', () => []],
    ['emails.value eq "ANN@example.com"', () => [ann]],
    ['emails eq "ann@example.com"', () => [ann]],
    ['emails[type eq "work"].value eq "ann@example.com"', () => [ann]],
    ['emails[type eq "home" and value eq "ann@example.com"]', () => []],
    ['active eq true', () => [ann]],
    ['active eq "False"', () => [ben]],
    ['active ne true', () => [ben]],
    ['displayName eq "ann lee"', () => [ann]],
    ['name.familyName eq "Lee"', () => [ann]],
    ['displayName co "e"', () => [ann, ben]],
    ['displayName sw "b"', () => [ben]],
    ['displayName ew "n"', () => [ben]],
    ['displayName gt "b"', () => [ben]],
    ['emails pr', () => [ann]],
    ['not (emails pr)', () => [ben]],
    ['externalId eq null', () => [ben]],
    ['externalId ne null', () => [ann]],
    ['userName eq "ann" and active eq true', () => [ann]],
    ['userName eq "ann" and active eq false', () => []],
    ['active eq false or displayName sw "a"', () => [ann, ben]],
    ['meta.created ge "2020-01-01T00:00:00Z" and userName pr', () => [ann, ben]],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', () => []],
    ['userName eq 7', () => []],
  ])('by %s', async (filter, expected) => {
    expect(await ids('/Users', filter)).toEqual(expected());
  });

  test('by id', async () => {
    expect(await ids('/Users', `id eq "${ben}"`)).toEqual([ben]);
    expect(await ids('/Users', 'id eq "nobody"')).toEqual([]);
  });
});

describe('groups are filtered', () => {
  test.each<[string, () => readonly (string | undefined)[]]>([
    ['displayName eq "EDITORS"', () => [editors]],
    ['externalId eq "X1"', () => []],
    ['members.value eq "ANN"', () => [editors, writers]],
    ['members eq "BEN"', () => [writers]],
    ['members[value eq "BEN"]', () => [writers]],
    ['members.value eq "nobody"', () => []],
    // How Entra ID asks whether somebody is a member.
    ['id eq "WRITERS" and members eq "BEN"', () => [writers]],
    ['id eq "EDITORS" and members eq "BEN"', () => []],
    ['displayName sw "w" or members eq "ANN"', () => [editors, writers]],
    ['not (members eq "BEN")', () => [editors]],
  ])('by %s', async (filter, expected) => {
    const names = { ANN: ann, BEN: ben, EDITORS: editors, WRITERS: writers };
    const named = filter.replace(/ANN|BEN|"EDITORS" and|"WRITERS"/g, (name) =>
      name.replace(/[A-Z]{3,}/, (each) => String(names[each as keyof typeof names])),
    );
    expect(await ids('/Groups', named)).toEqual(expected());
  });
});

test.each([
  ['/Users', 'shoeSize eq 1'],
  ['/Users', 'userName eq "foreign" and shoeSize pr'],
  ['/Users', 'userName'],
  ['/Users', 'userName eq'],
  ['/Users', 'userName eq "a'],
  ['/Users', '(userName eq "a"'],
  ['/Users', 'userName is "a"'],
  ['/Users', ''],
  ['/Users', 'active gt false'],
  ['/Users', 'groups.value eq "x"'],
  ['/Users', `userName eq "${'\n'.repeat(200)}`],
  ['/Users', `userName eq "${'x'.repeat(3_000)}"`],
  ['/Groups', 'userName eq "a"'],
  ['/Groups', 'members co "a"'],
  ['/Groups', 'members.type eq "User"'],
])('%s refuses the filter %j', async (path, filter) => {
  const { status, json } = await send('GET', `${path}?filter=${encodeURIComponent(filter)}`);
  expect([status, json.scimType]).toEqual([400, 'invalidFilter']);
});

describe('pages', () => {
  let pages: Fixture;
  beforeAll(async () => {
    pages = await createFixture();
    const batch = Array.from({ length: 1_001 }, (_, at) => ({
      command: 'scim-user.create',
      input: { connection: 'a', userName: `user ${at}` },
    }));
    for (const some of [batch.slice(0, 500), batch.slice(500)]) {
      const made = await pages.world.provision({ batch: some });
      expect(made.ok).toBe(true);
    }
  });
  const page = async (query: string) => {
    const { status, json } = await pages.a('GET', `/Users?${query}`);
    return [status, json.totalResults ?? json.scimType, json.startIndex, json.itemsPerPage];
  };

  test.each([
    ['', [200, 1_001, 1, 100]],
    ['startIndex=1000&count=100', [200, 1_001, 1_000, 2]],
    ['startIndex=2000', [200, 1_001, 2_000, 0]],
    ['count=0', [200, 1_001, 1, 0]],
    ['count=-1&startIndex=-5', [200, 1_001, 1, 0]],
    ['count=5000', [200, 1_001, 1, 1_000]],
    ['startIndex=one', [400, 'invalidValue', undefined, undefined]],
    ['startIndex=20000', [400, 'tooMany', undefined, undefined]],
    // Nothing of it is looked up, and there are more than are filtered.
    ['filter=active eq true', [400, 'tooMany', undefined, undefined]],
    ['filter=emails.value eq "nobody@example.com"', [200, 0, 1, 0]],
    ['filter=userName eq "user 7" and active eq true', [200, 1, 1, 1]],
  ])('%s', async (query, expected) => {
    expect(await page(query)).toEqual(expected);
  });

  test('one after the other hold each user once', async () => {
    const seen: string[] = [];
    for (let startIndex = 1; ; startIndex += 100) {
      const { json } = await pages.a('GET', `/Users?startIndex=${startIndex}&count=100`);
      seen.push(...json.Resources.map(({ id }: { readonly id: string }) => id));
      if (startIndex + 100 > json.totalResults) break;
    }
    expect([seen.length, new Set(seen).size]).toEqual([1_001, 1_001]);
  });
});

describe('attributes', () => {
  const names = async (path: string) => {
    const { json } = await send('GET', path);
    return Object.keys(json);
  };

  test.each([
    ['attributes=userName', ['schemas', 'id', 'userName']],
    ['attributes=USERNAME,displayName,shoeSize', ['schemas', 'id', 'userName', 'displayName']],
    [`attributes=${USER}:userName`, ['schemas', 'id', 'userName']],
    [
      'excludedAttributes=name,emails,meta,id',
      ['schemas', 'id', 'externalId', 'userName', 'active', 'displayName'],
    ],
  ])('%s', async (query, expected) => {
    expect(await names(`/Users/${ann}?${query}`)).toEqual(expected);
    const { json } = await send('GET', `/Users?filter=userName eq "ann"&${query}`);
    expect(Object.keys(json.Resources[0])).toEqual(expected);
  });

  test('of parts', async () => {
    const { json } = await send('GET', `/Users/${ann}?attributes=name.givenName,emails.value`);
    expect([json.name, json.emails]).toEqual([{ givenName: 'Ann' }, [{ value: 'ann@example.com' }]]);
    const { json: without } = await send('GET', `/Users/${ann}?excludedAttributes=name.givenName`);
    expect(without.name).toEqual({ familyName: 'Lee' });
  });

  test('groups of a user come when they are asked for', async () => {
    expect(await names(`/Users/${ann}`)).not.toContain('groups');
    const { json } = await send('GET', `/Users/${ann}?attributes=groups`);
    expect(json.groups.map(({ value, display }: Record<string, string>) => [value, display])).toEqual([
      [editors, 'Editors'],
      [writers, 'Writers'],
    ]);
  });

  test('members of groups come unless they are left out', async () => {
    const filter = 'filter=displayName eq "Editors"';
    expect((await send('GET', `/Groups?${filter}`)).json.Resources[0].members).toHaveLength(1);
    const { json } = await send('GET', `/Groups?${filter}&excludedAttributes=members`);
    expect(Object.keys(json.Resources[0])).toEqual(['schemas', 'id', 'displayName', 'meta']);
    expect(json.Resources[0].schemas).toEqual([GROUP]);
  });

  test('both at once are refused', async () => {
    expect((await send('GET', `/Users/${ann}?attributes=userName&excludedAttributes=name`)).status).toBe(400);
  });
});
