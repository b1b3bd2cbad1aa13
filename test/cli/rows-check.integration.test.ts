import { beforeAll, expect, test } from 'vitest';
import { tableInMemory } from '../support/store.ts';
import { createLightWorld, type World } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

/** `gatehouse rows check`: rows of an application beside the tree. */
const MANIFEST = `
scopes:
  acme: { id: acme, type: client }
  other: { id: other, type: client }
  north: { id: north, type: project, parent: acme }
  south: { id: south, type: project, parent: acme, status: on-hold }
  house: { id: house, type: building, parent: south }
`;

let world: World;
beforeAll(async () => {
  world = await createLightWorld();
  const env = { TABLE_NAME: world.table };
  expect(await gatehouse(['apply', fileOf(MANIFEST), '--yes'], { env })).toMatchObject({ code: 0 });
  await world.run('resource-type.create', { name: 'invoice', scope: 'project:{project}' });
});
const check = (rows: readonly unknown[], ...more: readonly string[]) =>
  gatehouse(
    ['rows', 'check', fileOf(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 'jsonl'), ...more],
    {
      env: { TABLE_NAME: world.table },
    },
  );
const found = async (row: object, ...more: readonly string[]) =>
  JSON.parse((await check([{ id: 1, ...row }], ...more, '--json')).out).shown.map(
    ({ code, message }: Record<string, string>) => [code, message],
  );

test('says of each row what is wrong with it, and ends with 1', async () => {
  const good = { id: 1, scope: 'project:north', path: { client: 'acme' } };
  expect(await check([good, good])).toEqual({ code: 0, out: '2 rows, 0 findings\n', error: '' });
  const { code, out } = await check([good, { ...good, id: 'b', path: { client: 'other' } }]);
  expect(code).toBe(1);
  expect(out).toMatch(/^\S+:2: b: its client is other, in the tree client:acme\n2 rows, 1 finding\n$/);
});

test.each<[string, object, readonly (readonly string[])[]]>([
  [
    'a column of another client',
    { scope: 'project:north', path: { client: 'other' } },
    [['path_differs', 'its client is other, in the tree client:acme']],
  ],
  [
    'a column that is NULL',
    { scope: 'project:north', path: { client: null } },
    [['path_differs', 'its client is NULL, in the tree client:acme']],
  ],
  [
    'a column of what is not above',
    { scope: 'project:north', path: { account: 'x' } },
    [['path_differs', 'its account is x, in the tree none']],
  ],
  ['NULL of what is not above', { scope: 'project:north', path: { account: null } }, []],
  ['no column', { scope: 'project:north' }, []],
  ['a closed scope', { scope: 'project:south' }, [['scope_closed', 'project:south is closed']]],
  [
    'a scope below a closed one',
    { scope: 'building:house', path: { project: 'south' } },
    [['scope_closed', 'project:south is closed']],
  ],
  [
    'an unknown scope',
    { scope: 'project:gone', path: { client: 'acme' } },
    [['scope_unknown', 'its scope project:gone is unknown, or was deleted']],
  ],
  [
    'what is no reference',
    { scope: 'north' },
    [['scope_unknown', 'its scope north is unknown, or was deleted']],
  ],
  ['no scope', { scope: null }, [['scope_unknown', 'its scope NULL is unknown, or was deleted']]],
])('finds %s', async (_, row, expected) => {
  expect(await found(row)).toEqual(expected);
});

test('compares the mapping of a resource type', async () => {
  const row = { scope: 'project:north', properties: { project: 'north' } };
  expect(await found(row, '--type', 'invoice')).toEqual([]);
  expect(await found({ ...row, properties: { project: 'south' } }, '--type', 'invoice')).toEqual([
    ['mapping_differs', 'its scope is project:north, by its resource type project:south'],
  ]);
  expect(await found({ scope: 'project:north' }, '--type', 'invoice')).toEqual([
    ['mapping_differs', 'its scope is project:north, by its resource type none'],
  ]);
});

test('reads the scopes of 500 rows together', async () => {
  const row = { scope: 'project:north', path: { client: 'x' } };
  const rows = Array.from({ length: 1_200 }, (_, id) => ({ id, ...row }));
  const file = fileOf(rows.map((each) => JSON.stringify(each)).join('\n'), 'jsonl');
  let reads = 0;
  const counted = (name: string) => {
    const store = tableInMemory(name);
    if (!store) throw new Error('the world is on no table in memory');
    const getMany: typeof store.reader.getMany = (...args) => {
      reads += 1;
      return store.reader.getMany(...args);
    };
    return { ...store, reader: { ...store.reader, getMany } };
  };
  const env = { TABLE_NAME: world.table };
  const { out } = await gatehouse(['rows', 'check', file, '--json'], { env, tableInMemory: counted });
  expect(JSON.parse(out)).toMatchObject({ rows: 1_200, findings: 1_200 });
  expect(reads).toBe(6);
});

test.each([
  ['{"id":1}', 'scope'],
  ['{"id":1,"scope":"a:b","paths":{}}', 'paths'],
  ['no JSON', 'is not a JSON object on one line'],
  ['[1]', 'is not a JSON object on one line'],
])('a line that is no row is 2: %s', async (line, said) => {
  const file = fileOf(`{"id":1,"scope":null}\n${line}\n`, 'jsonl');
  const { code, out, error } = await gatehouse(['rows', 'check', file], { env: { TABLE_NAME: world.table } });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toContain(`${file}:2: `);
  expect(error).toContain(said);
});
