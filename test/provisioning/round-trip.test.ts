import { beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { COMMANDS, type Command } from '../../provisioning/index.ts';
import { revealed } from '../../provisioning/pseudonyms.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { LOG_SHARDS, logPartition, operationKey } from '../../table/keys.ts';
import { eventually } from '../support/eventually.ts';
import { createKinds, type Kind, nameOf, pick, TYPES } from './kinds.ts';
import { createLedgerWorld, type Input, type Result } from './support.ts';

/**
 * Create, read, list, update, delete: the same story for every kind of node and edge. Each write is one
 * TransactWriteItems, and in it are the record of the operation and the audit record, in the log of the tenant that it
 * concerns.
 */
const YEAR = 365 * 86_400;
const WRITES = /Put|Update|Delete|Write/;
const READS = /^(GetItem|BatchGetItem|Query)$/;

const world = await createLedgerWorld();
const kinds: Readonly<Record<string, Kind>> = createKinds(world);

/** Runs a command as an actor and returns its result with all that it wrote. */
async function carryOut(command: string, input: Input) {
  world.calls.length = 0;
  const first = world.transactions.length;
  const operationId = `${command} ${first}`;
  const answer = await world.provision({ command, input, operationId, actor: 'ops@example.com' });
  if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
  expect(world.calls.filter(({ operation }) => WRITES.test(operation))).toEqual([
    { operation: 'TransactWriteItems', index: undefined, keys: 0 },
  ]);
  const items = await world.touchedSince(first);
  const { token: _, ...result } = answer.result as Result;
  return { result: result as Result, operationId, items };
}
type Done = Awaited<ReturnType<typeof carryOut>>;

const readAll = async (owner: string | undefined): Promise<readonly Item[]> => {
  const shards = Array.from({ length: LOG_SHARDS }, (_, shard) => shard);
  const ref = owner === undefined ? undefined : parseRef(owner, 'owner');
  return world.reader.listAll({ ranges: shards.map((shard) => ({ partition: logPartition(ref, shard) })) });
};

/** The one audit record of what was done, found in the log of `owner`. */
async function expectRecord(command: string, done: Done, owner: string | undefined, expected: Input) {
  // A tenant that goes leaves a notice in the log of what concerns none, too.
  const records = done.items.filter((item) => item.Type === 'AuditLog' && (item.before ?? item.after));
  expect(records).toHaveLength(1);
  // With the values that pseudonyms stand for.
  const shown = await revealed(world.reader, done.items);
  const now = world.clock.now();
  const [type] = command.split('.');
  const { edges: beside, ...record } = shown.find(
    ({ id, Type }) => id === records[0]?.id && Type === 'AuditLog',
  ) as Item;
  expect(beside ?? []).toEqual([]);
  expect(record).toEqual({
    PK: expect.any(String),
    SK: `${new Date(now).toISOString()}#${records[0]?.id}`,
    Type: 'AuditLog',
    v: 1,
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    action: command,
    entityType: type,
    entityId: expect.any(String),
    timestamp: new Date(now).toISOString(),
    operationId: done.operationId,
    actor: 'ops@example.com',
    source: 'provisioning',
    status: 'success',
    counter: expect.any(Number),
    severity: type === 'admin' ? 'critical' : command.endsWith('.delete') ? 'warning' : 'info',
    ttl: Math.floor(now / 1000) + YEAR,
    ...(owner === undefined ? {} : { tenant: owner }),
    ...expected,
  });
  expect(await readAll(owner)).toContainEqual(records[0]);
  expect(shown).toContainEqual(
    expect.objectContaining({ ...operationKey(done.operationId), Type: 'Operation', result: done.result }),
  );
}

/** The tenant that a node says it belongs to, if any. */
async function ownerOf(node: Input): Promise<string | undefined> {
  // Which domain is whose is for nobody's log.
  if (node.tenant !== undefined && node.id === node.name) return undefined;
  const { root, scope, roleScope, tenant, account, enterprise, workstream } = node;
  const owner = [root, scope, roleScope, tenant, account, enterprise].map(String).find(isRef);
  if (owner !== undefined || workstream === undefined) return owner;
  return String((await world.run('workstream.read', { id: parseRef(String(workstream), 'ref').id })).root);
}

const escaped = (text: string) => text.replace(/[+.*]/g, '\\$&');

describe.each(TYPES)('%s', (type) => {
  let kind: Kind;
  let created: Result;
  const verb = (name: string) => `${type}.${name}`;
  beforeAll(async () => {
    kind = kinds[type] as Kind;
    const { token: _, ...kept } = await world.run(verb('create'), await kind.create());
    created = kept;
  });
  /** Carries out a command on one, and expects its record. */
  const recorded = async (name: string, input: Input, before?: Result) => {
    const done = await carryOut(verb(name), input);
    const { result } = done;
    const node = before ?? result;
    const names = kind.named.map((fields) =>
      Object.values(pick({ ...before, ...result }, fields)).join(
        ['property', 'subject', 'scim-user', 'scim-group'].includes(type) ? ':' : ' ',
      ),
    );
    await expectRecord(verb(name), done, await ownerOf(node), {
      entityId: expect.stringMatching(new RegExp(`^(${names.map(escaped).join('|')})$`)),
      ...(type === 'scope' ? { entityId: node.id, entityType: node.type } : {}),
      ...(before ? { before } : {}),
      ...(name === 'delete' ? {} : { after: result }),
    });
    return result;
  };

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
    const { token: _, ...kept } = input;
    const made = await recorded('create', input);
    expect(made).toMatchObject({ ...kept, createdAt: now, updatedAt: now });
  });

  test('reading by each of its names shows what creation answered', async () => {
    world.calls.length = 0;
    for (const name of names(created)) expect(await world.run(verb('read'), name)).toEqual(created);
    await world.run(verb('list'), pick(created, kind.lists[0]));
    expect(world.calls.filter(({ operation }) => !READS.test(operation))).toEqual([]);
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
    const updatedAt = new Date(world.clock.now()).toISOString();
    const expected: Record<string, unknown> = { ...created, ...changes, updatedAt };
    for (const [name, value] of Object.entries(changes)) if (value === null) delete expected[name];
    const updated = await recorded('update', { ...nameOf(kind, created), ...changes }, created);
    expect(updated).toEqual(expected);
    for (const name of names(updated)) expect(await world.run(verb('read'), name)).toEqual(expected);
    await expectInLists(updated, 1);
    created = updated;
  });

  test('deletion takes it out of every reading and list, and it can be created again', async () => {
    const [name = {}] = names(created);
    const ids = pick(created, kind.named[0]);
    world.clock.advance(1_000);
    expect(await recorded('delete', name, created)).toEqual({ ...ids, deleted: true });
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
  const plain = { status: 'active', combination: 'allow-overrides' };
  expect(await world.run('tenant.create', { name: 'Plain' })).toMatchObject(plain);
  const route = { method: 'GET', path: '/', permission: 'p', scope: 'tenant:{header:x}' };
  expect(await world.run('route.create', route)).toMatchObject({ api: 'default' });
});

test.each(['role.create', 'page.create'])('%s with an id of its own', async (command) => {
  const id = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
  const input = { name: 'own-id', id, ...(command === 'role.create' ? { scope: 'global' } : {}) };
  // A page is named by its name: an id beside it would be a second truth.
  if (command === 'page.create') expect(await world.refused(command, input)).toMatchObject({ field: 'id' });
  else expect(await world.run(command, input)).toMatchObject({ id });
});

test('a command that fails leaves no record', async () => {
  const first = world.transactions.length;
  await world.run('page.create', { name: 'once' });
  await world.refused('page.create', { name: 'once' });
  const records = (await world.touchedSince(first)).filter((item) => item.Type === 'AuditLog');
  expect(records).toHaveLength(1);
});

test('a record without an actor says nothing of one', async () => {
  const first = world.transactions.length;
  await world.run('user.create', {});
  const record = (await world.touchedSince(first)).find((item) => item.Type === 'AuditLog');
  expect(record).not.toHaveProperty('actor');
});
