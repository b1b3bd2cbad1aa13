import {
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import definition from '../../table/dynamodb/definition.json' with { type: 'json' };
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { edgeKey, edgePrefix, type Key, listPartition, nodeKey, partitionOf } from '../../table/keys.ts';
import { createWorld, type World } from '../support/world.ts';
import { ID, refusalOf } from './support.ts';

/** The reader on a real DynamoDB engine. */
let world: World;
const user = { type: 'user', id: ID };
const rank = (n: number) => String(n).padStart(3, '0');
const pageKey = (n: number): Key => nodeKey({ type: 'page', id: `p${rank(n)}` });

async function put(items: readonly Key[]): Promise<void> {
  for (let from = 0; from < items.length; from += 100) {
    await world.writer.send(
      items.slice(from, from + 100).map((item) => ({ kind: 'put', item: { ...item } })),
    );
  }
}

beforeAll(async () => {
  world = await createWorld();
  await put(
    Array.from({ length: 230 }, (_, n) => ({
      ...pageKey(n),
      n,
      GSI1PK: listPartition('page', n % 2),
      GSI1SK: rank(n),
    })),
  );
  const edges = Array.from({ length: 25 }, (_, n) => edgeKey(user, { type: 'role', id: `r${rank(n)}` }));
  await put([...edges, edgeKey(user, { type: 'role-template', id: 'x' }), nodeKey(user)]);
});
beforeEach(() => {
  world.calls.length = 0;
});
const operations = () => world.calls.map(({ operation }) => operation);

test('an item by its key', async () => {
  expect(await world.reader.get(pageKey(7))).toMatchObject({ ...pageKey(7), n: 7 });
  expect(await world.reader.get({ ...pageKey(7), SK: 'DECISION' })).toBeUndefined();
  expect(operations()).toEqual(['GetItem', 'GetItem']);
});

test('230 items by their keys, in their order, with absent ones and repetitions between them', async () => {
  const numbers = Array.from({ length: 230 }, (_, n) => (n * 97) % 240);
  const items = await world.reader.getMany([...numbers, 1, 1].map(pageKey));
  expect(items.map((item) => item?.n)).toEqual([...numbers, 1, 1].map((n) => (n < 230 ? n : undefined)));
  expect(operations()).toEqual(['BatchGetItem', 'BatchGetItem', 'BatchGetItem']);
  expect(world.calls.map(({ keys }) => keys)).toEqual([100, 100, 30]);
});

test('more than one answer can hold: 16 MB by keys, 1 MB of a list', async () => {
  const owner = { type: 'tenant', id: ID };
  const keys = Array.from({ length: 45 }, (_, n) => edgeKey(owner, { type: 'role', id: rank(n) }));
  const padding = 'x'.repeat(390_000);
  for (let from = 0; from < keys.length; from += 9) {
    await put(keys.slice(from, from + 9).map((key) => ({ ...key, padding })));
  }
  world.calls.length = 0;
  const read = await world.reader.getMany(keys);
  expect(read.map((item) => item?.SK)).toEqual(keys.map(({ SK }) => SK));
  // One call would have been enough for the keys; the rest is what came back unread.
  expect(world.calls[0]).toMatchObject({ operation: 'BatchGetItem', keys: 45 });
  expect(world.calls.length).toBeGreaterThan(1);

  world.calls.length = 0;
  const page = await world.reader.list({ ranges: [{ partition: partitionOf(owner) }], limit: 8 });
  expect(page.items.map(({ SK }) => SK)).toEqual(keys.slice(0, 8).map(({ SK }) => SK));
  expect(world.calls.length).toBeGreaterThan(1);
});

test('a list by its prefix, page by page, and nothing that begins alike', async () => {
  const query = { ranges: [{ partition: partitionOf(user), prefix: edgePrefix('role') }], limit: 10 };
  const first = await world.reader.list(query);
  const second = await world.reader.list({ ...query, cursor: first.cursor });
  const third = await world.reader.list({ ...query, cursor: second.cursor });
  expect([first, second, third].map((page) => page.items.length)).toEqual([10, 10, 5]);
  expect([...first.items, ...second.items, ...third.items].map(({ SK }) => SK)).toEqual(
    Array.from({ length: 25 }, (_, n) => `ROLE#r${rank(n)}`),
  );
  expect(third.cursor).toBeUndefined();
});

test('a sharded list over the index, whole', async () => {
  const ranges = [0, 1].map((shard) => ({ partition: listPartition('page', shard) }));
  const items = await world.reader.listAll({ ranges, index: 'GSI1' });
  expect(items).toHaveLength(230);
  expect(world.calls.length).toBeGreaterThan(0);
  for (const call of world.calls) expect(call).toMatchObject({ operation: 'Query', index: 'GSI1' });
});

describe('a cursor that was tampered with is refused:', () => {
  const ranges = [{ partition: partitionOf(user), prefix: edgePrefix('role') }];
  test.each([
    ['another partition', 'PK', 'USER#somebody-else'],
    ['another kind of edge', 'SK', 'META'],
    ['an attribute too many', 'GSI1PK', 'x'],
  ])('%s', async (_what, attribute, value) => {
    const { cursor = '' } = await world.reader.list({ ranges, limit: 1 });
    const [list, range, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      string,
      number,
      object,
    ];
    const changed = JSON.stringify([list, range, { ...after, [attribute]: value }]);
    const forged = Buffer.from(changed).toString('base64url');
    const refusal = await refusalOf(() => world.reader.list({ ranges, limit: 1, cursor: forged }));
    expect(refusal).toMatchObject({ code: 'invalid', field: 'cursor' });
  });
});

test('a table that is not there is a fault, not an absence', async () => {
  const reader = createReader({ client: createClient({ endpoint: world.endpoint }), table: 'not-there' });
  for (const read of [
    () => reader.get(pageKey(1)),
    () => reader.getMany([pageKey(1)]),
    () => reader.list({ ranges: [{ partition: 'x' }] }),
  ]) {
    expect(await refusalOf(read)).toMatchObject({ code: 'internal', retryable: false });
  }
});

describe('the definition', () => {
  test('names the attributes that keys, indexes and times of expiry are written to', () => {
    const schema = (keys: readonly { AttributeName: string }[]) =>
      keys.map(({ AttributeName }) => AttributeName);
    expect(schema(definition.KeySchema)).toEqual(Object.keys(nodeKey(user)));
    for (const { IndexName, KeySchema } of definition.GlobalSecondaryIndexes) {
      expect(schema(KeySchema)).toEqual([`${IndexName}PK`, `${IndexName}SK`]);
    }
    expect(definition.TimeToLiveSpecification).toEqual({ AttributeName: 'ttl', Enabled: true });
  });

  test('creates the table as it stands there, and a second time does nothing', async () => {
    const service = createServiceClient({ endpoint: inject('endpoint'), requestTimeoutMs: 20_000 });
    const TableName = `test-${ulid()}`;
    await createTable(service, TableName);
    await createTable(service, TableName);
    const { Table } = await service.send(new DescribeTableCommand({ TableName }));
    expect(Table?.KeySchema).toEqual(definition.KeySchema);
    expect(new Set(Table?.AttributeDefinitions)).toEqual(new Set(definition.AttributeDefinitions));
    const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    }));
    // In no order that an engine promises.
    expect(new Set(indexes)).toEqual(new Set(definition.GlobalSecondaryIndexes));
    const { TimeToLiveDescription } = await service.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(TimeToLiveDescription?.AttributeName).toBe(definition.TimeToLiveSpecification.AttributeName);
    await service.send(new DeleteTableCommand({ TableName }));
  });
});
