import { describe, expect, test } from 'vitest';
import { revealed } from '../../provisioning/pseudonyms.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { LOG_SHARDS, logPartition, operationKey } from '../../table/keys.ts';
import type { Kind } from './kind.ts';
import { createKinds, nameOf, pick, TYPES } from './kinds.ts';
import { createLedgerWorld, type Input, type Result } from './support.ts';

/**
 * Each write command is one TransactWriteItems, and in it are the record of the operation and the audit
 * record, in the log of the tenant that it concerns.
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

describe.each(TYPES)('%s', (type) => {
  test('is created, changed and deleted in one write each, all on record, and read without any', async () => {
    const kind = kinds[type] as Kind;
    const made = await carryOut(`${type}.create`, await kind.create());
    const owner = await ownerOf(made.result);
    const names = kind.named.map((fields) =>
      Object.values(pick(made.result, fields)).join(
        ['property', 'subject', 'scim-user', 'scim-group'].includes(type) ? ':' : ' ',
      ),
    );
    const entityId = expect.stringMatching(new RegExp(`^(${names.map(escaped).join('|')})$`));
    const entity =
      type === 'scope' ? { entityId: made.result.id, entityType: made.result.type } : { entityId };
    await expectRecord(`${type}.create`, made, owner, { ...entity, after: made.result });
    let node = made.result;

    world.calls.length = 0;
    await world.run(`${type}.read`, nameOf(kind, node));
    await world.run(`${type}.list`, pick(node, kind.lists[0]));
    expect(world.calls.filter(({ operation }) => !READS.test(operation))).toEqual([]);

    world.clock.advance(1_000);
    if (kind.changes) {
      const input = { ...nameOf(kind, node), ...(await kind.changes()) };
      const changed = await carryOut(`${type}.update`, input);
      await expectRecord(`${type}.update`, changed, owner, {
        before: node,
        after: changed.result,
        ...entity,
      });
      node = changed.result;
    }

    world.clock.advance(1_000);
    const gone = await carryOut(`${type}.delete`, nameOf(kind, node));
    await expectRecord(`${type}.delete`, gone, await ownerOf(node), { before: node, ...entity });
  });
});
const escaped = (text: string) => text.replace(/[+.*]/g, '\\$&');

test('what happens in a location of a tenant is in the log of the tenant', async () => {
  const { run } = world;
  const tenant = `tenant:${(await run('tenant.create', { name: 'Log' })).id}`;
  const location = `location:${(await run('location.create', { name: 'Below', parent: tenant })).id}`;
  const role = (await run('role.create', { name: 'log', scope: tenant })).id;
  const user = (await run('user.create', {})).id;
  await run('page.create', { name: 'log' });
  const group = (await run('group.create', { name: 'log', scope: location })).id;
  const ends = {
    membership: { user, group },
    'group-role': { group, role },
    assignment: { user, role, scope: location },
    'role-permission': { role, permission: 'log' },
  };
  const later = '2027-01-01T00:00:00.000Z';
  const changes = {
    membership: { joinedAt: later },
    'group-role': { assignedAt: later },
    assignment: { endsAt: later },
    'role-permission': { effect: 'DENY' },
  };
  for (const [type, end] of Object.entries(ends)) {
    await run(`${type}.create`, type === 'role-permission' ? { ...end, effect: 'ALLOW' } : end);
    await run(`${type}.update`, { ...end, ...changes[type as keyof typeof changes] });
    await run(`${type}.delete`, end);
  }
  await run('group.delete', { id: group });
  const log = await readAll(tenant);
  expect(log.map((record) => record.action).sort()).toEqual(
    [
      ...Object.keys(ends).flatMap((type) => [`${type}.create`, `${type}.update`, `${type}.delete`]),
      'tenant.create',
      'location.create',
      'role.create',
      'group.create',
      'group.delete',
    ].sort(),
  );
  expect(await readAll(location)).toEqual([]);
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
