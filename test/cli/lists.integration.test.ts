import { beforeAll, expect, test } from 'vitest';
import { createLightWorld, type World } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse who`, `menu` and `where`. */
let world: World;
const [client, place] = ['client:acme', 'project:tower'];
const users = ['user:ada', 'user:bob', 'user:cyd'];
beforeAll(async () => {
  world = await createLightWorld();
  await world.apply(`
pages: { home: { description: Where one begins }, plans: }
scopes: { Acme: { id: acme, type: client }, Tower: { id: tower, type: project, parent: Acme } }
roles: { member: { allow: [home, plans] } }
users:
  Ada: { id: ada, displayName: Ada, assignments: [{ role: member, scope: Acme }] }
  Bob: { id: bob, displayName: Bob, assignments: [{ role: member, scope: Acme }] }
  Cyd: { id: cyd, displayName: Cyd, assignments: [{ role: member, scope: Acme }] }
`);
});
const asked = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });

test('who: with names, whole, page by page, and as data', async () => {
  const { code, out, error } = await asked('who', 'home', place);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  for (const [position, name] of ['Ada', 'Bob', 'Cyd'].entries())
    expect(out).toContain(`${users[position]}  ${name}\n`);
  const page = await asked('who', 'home', place, '--limit', '2');
  expect(page.out.trim().split('\n')).toHaveLength(2);
  const [, cursor = ''] = /^note: there may be more: --all, or --cursor (\S+)\n$/.exec(page.error) ?? [];
  const rest = await asked('who', 'home', place, '--limit', '2', '--cursor', cursor, '--json');
  expect(JSON.parse(rest.out).items).toHaveLength(1);
  expect(JSON.parse(rest.out).cursor).toBeUndefined();
  const first = JSON.parse((await asked('who', 'home', place, '--limit', '1', '--json')).out);
  expect(first).toEqual({
    items: [{ subject: expect.any(String), name: expect.any(String) }],
    cursor: expect.any(String),
  });
  const all = await asked('who', 'home', place, '--limit', '1', '--all', '--strong', '--json');
  expect(
    JSON.parse(all.out)
      .items.map(({ subject }: { subject: string }) => subject)
      .sort(),
  ).toEqual([...users].sort());
});

test('who: of one type', async () => {
  expect((await asked('who', 'home', place, '--type', 'user')).out.trim().split('\n')).toHaveLength(3);
  expect((await asked('who', 'home', place, '--type', 'technical-user')).out).toBe('none\n');
});

test('menu: with descriptions', async () => {
  const menu = await asked('menu', users[0] ?? '', place);
  expect(menu).toEqual({ code: 0, error: '', out: 'home   Where one begins\nplans\n' });
  expect((await asked('menu', users[0] ?? '', place, '--kind', 'permission')).out).toBe('none\n');
});

test('where: of one type or all', async () => {
  const where = await asked('where', users[0] ?? '', 'home', '--json');
  expect(JSON.parse(where.out)).toEqual({
    items: [
      { scope: client, name: 'Acme' },
      { scope: place, name: 'Tower' },
    ],
  });
  expect((await asked('where', users[0] ?? '', 'home', '--type', 'project')).out).toBe(`${place}  Tower\n`);
});

const ID = 'user:01M7YAMYCAWSND2TZ7F47P6DYF';
const PLACE = 'location:01M7YAMY51QT61RYW2RQE37W98';
test.each([
  [['who', 'a:b', PLACE], 'gatehouse who: PERMISSION a:b is neither a page'],
  [['who', 'home', 'north'], 'gatehouse who: SCOPE north: no scope has this name'],
  [['menu', 'nobody', 'Acme'], 'gatehouse menu: SUBJECT nobody: no user or other subject has this name'],
  [['menu', ID, 'Acme'], `gatehouse menu: SUBJECT ${ID} does not exist`],
  [['where', ID, 'home'], `gatehouse where: SUBJECT ${ID} does not exist`],
  [['who', 'home', PLACE], `gatehouse who: SCOPE ${PLACE} does not exist`],
  [['who', 'hme', 'Acme'], 'gatehouse who: there is no permission hme: did you mean home?'],
  [['menu', ID, PLACE, '--kind', 'pages'], 'gatehouse menu: --kind pages is not one of page, permission'],
  [['where', ID, 'home', '--type', 'A B'], 'gatehouse where: --type A B is not a scope type'],
  [['who', 'home', PLACE, '--type', 'A B'], 'gatehouse who: --type A B is not a subject type'],
  [['who', 'home', PLACE, '--limit', '0'], 'gatehouse who: --limit 0 is not a whole number'],
  [['who', 'home', 'Tower', '--cursor', 'x'], 'gatehouse who: cursor'],
  [
    ['who', 'home', PLACE, '--function', 'provisioning'],
    'gatehouse who: this reads the table itself, not through a function',
  ],
])('%j is 2', async (args, message) => {
  const { code, out, error } = await asked(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error.startsWith(message), error).toBe(true);
});
