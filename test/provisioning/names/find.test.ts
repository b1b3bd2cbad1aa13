import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createWorld, type World } from '../../support/world.ts';

/** `name.find`: what people mean by a name, in at most three reads. */
interface Candidate {
  readonly ref: string;
  readonly name: string;
  readonly by: string;
  readonly path?: string;
  readonly email?: string;
}
let world: World;
const ids: Record<string, string> = {};
let reads = 0;

async function find(kind: string, name: string, type?: string) {
  world.calls.length = 0;
  const found = await world.run('name.find', { kind, name, ...(type === undefined ? {} : { type }) });
  reads = world.calls.length;
  expect(reads).toBeLessThanOrEqual(3);
  return found as unknown as { candidates: Candidate[]; more: boolean; elsewhere: Candidate[] };
}
const refs = async (kind: string, name: string, type?: string) =>
  (await find(kind, name, type)).candidates.map(({ ref }) => ref);
const paths = async (kind: string, name: string) =>
  (await find(kind, name)).candidates.map(({ path, name: own }) => path ?? own).sort();

/** Makes something and notes its reference under `as`. */
async function make(as: string, type: string, input: Record<string, unknown>) {
  const { id } = await world.run(`${type}.create`, input);
  ids[as] = type === 'scope' ? `${input.type}:${id}` : `${type}:${id}`;
  return ids[as];
}
const ref = (name: string): string => String(ids[name]);
const id = (name: string): string => ref(name).slice(ref(name).indexOf(':') + 1);

beforeEach(async () => {
  world = await createWorld();
  await make('northwind', 'client', { name: 'Northwind' });
  await make('harbour', 'project', { name: 'Harbour', parent: ref('northwind') });
  await make('lighthouse', 'building', { name: 'Lighthouse', parent: ref('harbour') });
  await make('lamp', 'zone', { name: 'Lamp  Room', parent: ref('lighthouse') });
  await make('bulb', 'device', { name: 'Bulb', parent: ref('lamp') });
});

describe('a scope', () => {
  test('is found by its path (paths.property.test.ts); the longest one costs a Query and one BatchGetItem', async () => {
    const path = 'Northwind/Harbour/Lighthouse/Lamp  Room/Bulb';
    const { candidates } = await find('scope', path);
    expect(candidates).toEqual([{ ref: ref('bulb'), by: 'name', name: 'Bulb', path }]);
    expect(world.calls.map(({ operation, index }) => [operation, index])).toEqual([
      ['Query', undefined],
      ['BatchGetItem', undefined],
    ]);
  });

  test.each([
    ...['Harbour/Bulb', 'North', 'wind/Harbour', '/Harbour', 'Harbour/', 'Northwind//Harbour', '*', '/'],
  ])('is not found by %s', async (name) => {
    expect((await find('scope', name)).candidates).toEqual([]);
  });

  test('of a path that is not there, what has the last name elsewhere is listed', async () => {
    const { candidates, elsewhere } = await find('scope', 'Southwind/Lighthouse');
    expect(candidates).toEqual([]);
    expect(elsewhere).toMatchObject([{ ref: ref('lighthouse'), path: 'Northwind/Harbour/Lighthouse' }]);
  });

  test('a location is found by its code as well, once', async () => {
    await make('north', 'location', { name: 'North School', code: 'nyc001' });
    await make('same', 'location', { name: 'NYC002', code: 'NYC002' });
    const { candidates } = await find('scope', 'Nyc001');
    expect(candidates).toMatchObject([{ ref: ref('north'), name: 'North School' }]);
    expect(await refs('scope', 'nyc002')).toEqual([ref('same')]);
    await world.run('location.update', { id: id('north'), code: null });
    expect(await refs('scope', 'NYC001')).toEqual([]);
    expect(await refs('scope', 'north school')).toEqual([ref('north')]);
  });

  test('a scope of an added type is found, by its type alone too', async () => {
    await world.run('scope-type.create', { name: 'ship', root: true, parents: ['client'] });
    await make('ship', 'scope', { type: 'ship', name: 'Harbour', parent: ref('northwind') });
    expect(await refs('scope', 'harbour', 'ship')).toEqual([ref('ship')]);
    expect((await refs('scope', 'harbour')).sort()).toEqual([ref('harbour'), ref('ship')].sort());
  });

  test('an id counts where the type is known, and a reference anywhere', async () => {
    expect(await find('scope', id('harbour'), 'project')).toMatchObject({
      candidates: [{ ref: ref('harbour'), by: 'id', path: 'Northwind/Harbour' }],
    });
    expect(await find('scope', ref('harbour'))).toMatchObject({
      candidates: [{ ref: ref('harbour'), by: 'reference', path: 'Northwind/Harbour' }],
    });
    expect(await refs('scope', 'project:nobody')).toEqual([]);
    expect(await refs('scope', id('harbour'))).toEqual([]);
  });

  test('an exact reference wins over what has it as a name', async () => {
    await make('odd', 'project', { name: 'client:acme', parent: ref('northwind') });
    expect(await refs('scope', 'client:acme')).toEqual([ref('odd')]);
    await make('acme', 'client', { id: 'acme', name: 'Acme' });
    expect(await refs('scope', 'client:acme')).toEqual(['client:acme']);
    expect(await refs('scope', 'Northwind/client:acme')).toEqual([ref('odd')]);
  });
});

describe('names that several have', () => {
  test('are found below another name though very many have them', async () => {
    const houses: string[] = [];
    for (let n = 0; n < 30; n++) {
      const house = await make(`house ${n}`, 'building', { name: `House ${n}`, parent: ref('harbour') });
      await make(`lobby ${n}`, 'zone', { name: 'Lobby', parent: house });
      await make(`guests ${n}`, 'group', { name: 'Guests', scope: house });
      houses.push(house);
    }
    expect(await refs('scope', 'House 17/Lobby')).toEqual([ref('lobby 17')]);
    expect(await refs('scope', 'Northwind/Harbour/House 17/Lobby')).toEqual([ref('lobby 17')]);
    expect(await refs('scope', 'Southwind/Harbour/House 17/Lobby')).toEqual([]);
    expect(await find('group', 'Northwind/Harbour/House 3/Guests')).toMatchObject({
      candidates: [{ ref: ref('guests 3'), path: 'Northwind/Harbour/House 3/Guests' }],
      more: false,
    });
    const { candidates, more } = await find('scope', 'Lobby');
    expect([candidates.length, more]).toEqual([25, true]);
    expect((await find('scope', 'House 1/Lobby')).more).toBe(false);
  });
});

describe('a name', () => {
  test('leads to its node after a change, a move, and when it is made anew', async () => {
    const old = 'Northwind/Harbour/Lighthouse';
    await world.run('building.update', { id: id('lighthouse'), name: 'Tower' });
    expect(await refs('scope', old)).toEqual([]);
    expect(await refs('scope', 'Northwind/Harbour/Tower/Lamp Room')).toEqual([ref('lamp')]);
    await make('docks', 'project', { name: 'Docks', parent: ref('northwind') });
    await world.run('scope.move', { scope: ref('lighthouse'), parent: ref('docks') });
    expect(await refs('scope', 'Harbour/Tower')).toEqual([]);
    expect(await refs('scope', 'Northwind/Docks/Tower/Lamp Room/Bulb')).toEqual([ref('bulb')]);
    await world.run('scope.delete-tree', { scope: ref('lighthouse') });
    expect(await refs('scope', 'Tower')).toEqual([]);
    expect(await refs('scope', 'Bulb')).toEqual([]);
    await make('again', 'building', { id: id('lighthouse'), name: 'Tower', parent: ref('harbour') });
    expect(await paths('scope', 'tower')).toEqual(['Northwind/Harbour/Tower']);
  });

  test.each([
    ['slashes', 'Research/Development', 'research/development'],
    ['a slash at its end', 'East/', 'east/'],
    ['slashes alone', '//', '//'],
    ['colons', 'Hall: 7', 'hall: 7'],
    ['the form of a reference', 'room:7', 'Northwind/room:7'],
    ['a fullwidth number sign', 'Room ＃7', 'room ＃7'],
    ['other letters', 'Straße ÅÄÖ 東京', 'STRAßE åäö 東京'],
    ['letters that grow when they are folded', 'ﷺ'.repeat(128), 'ﷺ'.repeat(128)],
    ['characters of four bytes', '😀'.repeat(64), '😀'.repeat(64)],
    ['dots', '../..', '../..'],
    ['what is special elsewhere', '"; DROP TABLE %_\\*?', '"; drop table %_\\*?'],
  ])('with %s is found', async (_, name, typed) => {
    await make('odd', 'project', { name, parent: ref('northwind') });
    await make('below', 'building', { name: 'House', parent: ref('odd') });
    expect(await refs('scope', typed)).toEqual([ref('odd')]);
    expect(await refs('scope', `Northwind/${name}`)).toEqual([ref('odd')]);
    expect(await refs('scope', `Northwind/${name}/House`)).toEqual([ref('below')]);
  });

  test('that shares its partition with a longer one is another name', async () => {
    const long = 'x'.repeat(120);
    await make('a', 'project', { name: `${long}a`, parent: ref('northwind') });
    await make('b', 'project', { name: `${long}b`, parent: ref('northwind') });
    expect(await refs('scope', `${long}b`)).toEqual([ref('b')]);
    expect(await refs('scope', long)).toEqual([]);
  });

  test.each(['', ' ', 'a#b', 'x'.repeat(2_201), 'a\u0000b', 'a\nb', '\ud800'])(
    '%j is refused',
    async (name) => {
      expect(await world.outcome('name.find', { name, kind: 'scope' })).toBe('invalid name');
    },
  );
});

describe('a subject', () => {
  beforeEach(async () => {
    const names = { username: 'tina.t', displayName: 'Tina Turing' };
    await make('tina', 'user', { ...names, email: 'tina@school.example', phone: '+49 30 123456' });
  });

  test.each([
    ['email', 'Tina@School.Example'],
    ['username', 'TINA.T'],
    ['phone', '+49 (30) 123456'],
  ])('is found by %s', async (by, name) => {
    expect((await find('subject', name)).candidates).toEqual([
      { ref: ref('tina'), name: 'Tina Turing', email: 'tina@school.example', by },
    ]);
  });

  test('is found by its id, and by a reference', async () => {
    expect(await find('subject', id('tina'))).toMatchObject({ candidates: [{ ref: ref('tina'), by: 'id' }] });
    expect(await find('subject', ref('tina'))).toMatchObject({ candidates: [{ by: 'reference' }] });
    expect(await refs('subject', 'user:nobody')).toEqual([]);
  });

  test('one text may mean several', async () => {
    await make('ben', 'user', { id: 'tina.t', email: 'ben@school.example' });
    expect((await refs('subject', 'tina.t')).sort()).toEqual(['user:tina.t', ref('tina')].sort());
  });

  test('an email that is an id as well is one candidate', async () => {
    await make('ann', 'user', { id: 'ann@school.example', email: 'ann@school.example' });
    expect(await refs('subject', 'ann@school.example')).toEqual(['user:ann@school.example']);
  });

  test('a technical user is found by its name, with its account', async () => {
    await make('acme', 'account', { name: 'Acme' });
    await make('robot', 'technical-user', { name: 'Sync', account: ref('acme') });
    expect(await find('subject', 'acme/sync')).toMatchObject({
      candidates: [{ ref: ref('robot'), name: 'Sync', path: 'Acme/Sync' }],
    });
    await world.run('technical-user.update', { id: id('robot'), name: 'Import' });
    expect(await refs('subject', 'sync')).toEqual([]);
    await world.run('technical-user.delete', { id: id('robot') });
    expect(await refs('subject', 'import')).toEqual([]);
  });

  test('a subject of an added type is found by its name, where it has one', async () => {
    await world.run('subject-type.create', { name: 'sensor' });
    await world.run('subject.create', { type: 'sensor', id: 's1', name: 'Door 7' });
    await world.run('subject.create', { type: 'sensor', id: 's2' });
    expect(await refs('subject', 'door 7')).toEqual(['sensor:s1']);
    await world.run('subject.update', { user: 'sensor:s1', name: null });
    await world.run('subject.update', { user: 'sensor:s2', name: 'Door 7' });
    expect(await refs('subject', 'door 7')).toEqual(['sensor:s2']);
    expect(await refs('subject', 'sensor:s1')).toEqual(['sensor:s1']);
  });
});

test('a group is found by its name, by a path, and by its id', async () => {
  await make('crew', 'group', { name: 'Crew', scope: ref('lamp') });
  await make('others', 'group', { name: 'crew', scope: ref('northwind') });
  const both = ['Northwind/Harbour/Lighthouse/Lamp  Room/Crew', 'Northwind/crew'];
  expect(await paths('group', 'Crew')).toEqual(both);
  expect(reads).toBe(3);
  expect(await refs('group', 'lamp room/crew')).toEqual([ref('crew')]);
  expect(await refs('group', id('crew'))).toEqual([ref('crew')]);
  expect(await refs('group', ref('crew'))).toEqual([ref('crew')]);
  expect(await refs('group', 'Lighthouse')).toEqual([]);
});

test('a role is found by its name, by a path from its tenant, and by its id', async () => {
  await make('global', 'role', { name: 'Keeper', scope: 'global' });
  await make('own', 'role', { name: 'Keeper', scope: ref('northwind') });
  expect(await paths('role', 'keeper')).toEqual(['Keeper', 'Northwind/Keeper']);
  expect(await refs('role', 'Northwind/Keeper')).toEqual([ref('own')]);
  expect(await refs('role', id('global'))).toEqual([ref('global')]);
  expect(await refs('role', 'role:nobody')).toEqual([]);
});

test('name.owners says what texts name by their forms, in one read', async () => {
  await make('tina', 'user', { email: 'tina@school.example', phone: '+4930123456', username: 'tina' });
  await make('clash', 'user', { id: 'tina@school.example' });
  await make('own', 'user', { id: 'own-id' });
  await make('group', 'group', { id: 'own-id', name: 'Teachers', scope: ref('northwind') });
  const wanted: readonly (readonly [kind: string, name: string, owner: string | null])[] = [
    ['subject', 'Tina@School.example', ref('tina')],
    ['subject', 'tina@school.example', ref('tina')],
    ['subject', '+49 30 123456', ref('tina')],
    ['subject', 'user:tina@school.example', ref('clash')],
    ['subject', 'own-id', ref('own')],
    ['group', 'own-id', ref('group')],
    // A username has the form of an id, and a name of no kind has one key.
    ['subject', 'tina', null],
    ['group', 'Teachers', null],
    ['scope', 'Northwind/Harbour', null],
    ['subject', 'nobody@school.example', null],
  ];
  world.calls.length = 0;
  const names = wanted.map(([kind, name]) => ({ kind, name }));
  expect((await world.run('name.owners', { names })).owners).toEqual(wanted.map(([, , owner]) => owner));
  expect(world.calls).toHaveLength(1);
});

describe('name.suggest', () => {
  const meant = (kind: string, name: string) => world.run('name.suggest', { kind, name });
  test.each([
    ['scope', 'Lighthuose', 'Lighthouse'],
    ['scope', 'Northwind/Harbor', 'Northwind/Harbour'],
    ['scope', 'Nortwind/Harbour', 'Northwind/Harbour'],
    ['scope', 'Northwind/Harbor/Lighthouse/Lamp Room', 'Northwind/Harbour/Lighthouse/Lamp  Room'],
    ['scope', 'Northwnd/Harbor/Lighthuose', 'Northwind/Harbour/Lighthouse'],
    ['group', 'Harbor/Keepers', 'Northwind/Harbour/Keepers'],
    ['group', 'Harbour/Keeprs', 'Northwind/Harbour/Keepers'],
    ['subject', 'tina@schol.example', 'tina@school.example'],
  ])('of a %s: %s', async (kind, name, expected) => {
    await make('tina', 'user', { email: 'tina@school.example' });
    // As many have the name as are not compared one by one.
    for (const scope of [ref('harbour'), ...Array.from({ length: 30 }, () => ref('lighthouse'))])
      await world.run('group.create', { name: 'Keepers', scope });
    await eventually(async () => expect(await meant(kind, name)).toEqual({ meant: expected }));
  });
  test('says nothing where nothing is similar', async () => {
    expect(await meant('scope', 'Zebra')).toEqual({});
    expect(await meant('role', 'Lighthouse')).toEqual({});
  });
});
