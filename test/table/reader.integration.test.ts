import {
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { describe, expect, inject, test } from 'vitest';
import { createClient, createServiceClient } from '../../table/dynamodb/client.ts';
import definition from '../../table/dynamodb/definition.json' with { type: 'json' };
import { createTable } from '../../table/dynamodb/definition.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { nodeKey, partitionOf } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';
import { ID, refusalOf } from './support.ts';

/** The reader on a real DynamoDB engine, beside what every table does (conformance.ts). */
const user = { type: 'user', id: ID };
const [pageKey, edgesOf] = [nodeKey({ type: 'page', id: 'p' }), partitionOf(user)];

const world = await createWorld();

test('a table that is not there is a fault, not an absence', async () => {
  const reader = createReader({ client: createClient({ endpoint: world.endpoint }), table: 'not-there' });
  for (const read of [
    () => reader.get(pageKey),
    () => reader.getMany([pageKey]),
    () => reader.list({ ranges: [{ partition: edgesOf }] }),
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
