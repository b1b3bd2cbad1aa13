import { beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { COMMANDS, type Command } from '../../provisioning/index.ts';
import { eventually } from '../support/eventually.ts';
import type { Kind } from './kind.ts';
import { createKinds, nameOf, pick, TYPES } from './kinds.ts';
import { createLedgerWorld, type Input, type Result } from './support.ts';

/** Create, read, list, update, delete: the same story for every kind of node and edge. */
const world = await createLedgerWorld();
const kinds: Readonly<Record<string, Kind>> = createKinds(world);

test('the table of kinds knows every kind that has a command', () => {
  expect(Object.keys(kinds).sort()).toEqual([...TYPES].sort());
});

describe.each(TYPES)('%s', (type) => {
  let kind: Kind;
  let created: Result;
  const verb = (name: string) => `${type}.${name}`;
  beforeAll(async () => {
    kind = kinds[type] as Kind;
    const { token: _, ...kept } = await world.run(verb('create'), await kind.create());
    created = kept;
  });

  /** Expects so many rows for `item` in each of its lists, and nothing in them that reading does not show. */
  const expectInLists = async (item: Result, count: number) => {
    // A grant holds several roles and is in the list of each.
    const [first] = (item.roles as readonly string[] | undefined) ?? [];
    const values: Input = { role: first, ...item };
    for (const fields of kind.lists) {
      // A list of all is an index: it follows by a moment.
      await eventually(async () => {
        const rows = await world.listed(verb('list'), pick(values, fields));
        const own = rows.filter((row) => kind.named.at(-1)?.every((name) => row[name] === item[name]));
        expect(own.length).toBe(count);
        for (const row of own) expect({ ...values, grant: item.id }).toMatchObject(row);
      });
    }
  };
  /** The fields by which a creation names it: the id of a link is its user, whom nobody names. */
  const chosen = (): readonly string[] => {
    const { shape } = (COMMANDS.get(verb('create')) as Command).input as z.ZodObject;
    return kind.named.find((fields) => fields.every((field) => field in shape)) ?? [];
  };
  const names = (item: Input) => kind.named.map((_, set) => nameOf(kind, item, set));

  test('creation answers with what was given, and with both dates', async () => {
    const input = await kind.create();
    const now = new Date(world.clock.now()).toISOString();
    // Whether there is to be a token is answered by the token.
    const { token, ...kept } = input;
    expect(await world.run(verb('create'), input)).toMatchObject({
      ...kept,
      ...(token ? { token: expect.any(String) } : {}),
      createdAt: now,
      updatedAt: now,
    });
  });

  test('reading by each of its names shows what creation answered', async () => {
    for (const name of names(created)) expect(await world.run(verb('read'), name)).toEqual(created);
  });

  test('each list shows it once', async () => expectInLists(created, 1));

  test('creating it again is a conflict', async () => {
    const input = { ...(await kind.create()), ...pick(created, chosen()) };
    expect(await world.refused(verb('create'), input)).toMatchObject({ code: 'conflict', retryable: false });
    expect(await world.run(verb('read'), nameOf(kind, created))).toEqual(created);
  });

  test('an update changes what it names, clears what it nulls, and leaves the rest', async () => {
    if (!kind.changes) {
      expect(COMMANDS.has(verb('update'))).toBe(false);
      return;
    }
    world.clock.advance(60_000);
    const changes = await kind.changes();
    const expected: Record<string, unknown> = {
      ...created,
      ...changes,
      updatedAt: new Date(world.clock.now()).toISOString(),
    };
    for (const [name, value] of Object.entries(changes)) if (value === null) delete expected[name];
    const updated = await world.run(verb('update'), { ...nameOf(kind, created), ...changes });
    expect(updated).toEqual(expected);
    for (const name of names(updated)) expect(await world.run(verb('read'), name)).toEqual(expected);
    await expectInLists(updated, 1);
    created = updated;
  });

  test('deletion takes it out of every reading and list, and it can be created again', async () => {
    const [name = {}] = names(created);
    const ids = pick(created, kind.named[0]);
    expect(await world.run(verb('delete'), name)).toEqual({ ...ids, deleted: true });
    for (const gone of names(created)) {
      expect(await world.refused(verb('read'), gone)).toMatchObject({ code: 'not_found' });
    }
    await expectInLists(created, 0);
    expect(await world.refused(verb('delete'), name)).toMatchObject({ code: 'not_found', retryable: false });
    if (kind.changes) {
      const update = { ...name, ...(await kind.changes()) };
      expect(await world.refused(verb('update'), update)).toMatchObject({ code: 'not_found' });
    }
    const named = pick(created, chosen());
    const again = { ...(await kind.create()), ...named };
    expect(await world.run(verb('create'), again)).toMatchObject(named);
  });
});

test('a null that clears an optional attribute that was never there changes nothing else', async () => {
  const { id } = await world.run('user.create', { displayName: 'Ann' });
  await world.run('user.update', { id, phone: null, givenName: null });
  expect(await world.run('user.read', { id })).toEqual({
    id,
    displayName: 'Ann',
    status: 'active',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
});

test('what a creation leaves out has its default', async () => {
  expect(await world.run('tenant.create', { name: 'Plain' })).toMatchObject({
    status: 'active',
    combination: 'allow-overrides',
  });
  expect(
    await world.run('route.create', {
      method: 'GET',
      path: '/',
      permission: 'p',
      scope: 'tenant:{header:x}',
    }),
  ).toMatchObject({ api: 'default' });
});

test.each(['role.create', 'page.create'])('%s with an id of its own', async (command) => {
  const id = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
  const input = { name: 'own-id', id, ...(command === 'role.create' ? { scope: 'global' } : {}) };
  // A page is named by its name: an id beside it would be a second truth.
  if (command === 'page.create') expect(await world.refused(command, input)).toMatchObject({ field: 'id' });
  else expect(await world.run(command, input)).toMatchObject({ id });
});

test('a technical user can be granted roles in its own account, and is not mistaken for the grant', async () => {
  const account = `account:${(await world.run('account.create', { name: 'Robots' })).id}`;
  const { id } = await world.run('technical-user.create', { account, name: 'robot' });
  const role = (await world.run('role.create', { name: 'robot', scope: account })).id;
  const by = { user: `technical-user:${id}`, scope: account };
  expect(await world.refused('grant.read', by)).toMatchObject({ code: 'not_found' });
  expect(await world.listed('grant.list', { scope: account })).toEqual([]);
  const grant = await world.run('grant.create', { ...by, roles: [role] });
  expect(await world.run('grant.read', by)).toEqual(grant);
  for (const list of [{ scope: account }, { user: by.user }])
    expect(await world.listed('grant.list', list)).toEqual([grant]);
  expect(await world.listed('technical-user.list', { account })).toMatchObject([{ id, name: 'robot' }]);
  await world.run('grant.update', { ...by, roles: [] });
  await world.run('grant.delete', by);
  expect(await world.listed('technical-user.list', { account })).toHaveLength(1);
  await world.run('technical-user.delete', { id });
  expect(await world.listed('technical-user.list', { account })).toEqual([]);
});
