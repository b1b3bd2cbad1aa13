import { type DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { shardOf } from '../../table/keys.ts';
import type { Log } from '../../table/log.ts';
import { type Connection, type Connections, type Found, type Listed, UNKNOWN } from './connection.ts';

/** "Connection duration: 2 hours" (AG apigateway-execution-service-websocket-limits-table), and a minute. */
const LIFETIME_S = 2 * 60 * 60 + 60;

const stored = z.object({
  connection: z.string(),
  api: z.string(),
  stage: z.string(),
  subject: z.string(),
  permission: z.string(),
  scope: z.string(),
  tenant: z.string(),
  credential: z._default(z.string(), UNKNOWN),
  ttl: z.number(),
});

/** Over how many partitions the list of all connections is spread. */
const SHARDS = 8;

/** The entries of one connection: it is found by its subject, its tenant and its permission, and among all. */
const keysOf = ({ id, subject, tenant, permission }: Connection) =>
  Object.entries({ subject, tenant, permission, all: shardOf(id, SHARDS) }).map(([by, value]) => ({
    found: `${by} ${value}`,
    connection: id,
  }));

const partitionsOf = (found: Found): readonly string[] =>
  found.by === 'all'
    ? Array.from({ length: SHARDS }, (_, shard) => `all ${shard}`)
    : [`${found.by} ${found.value}`];

/**
 * Keeps the list in a table of its own (`found` and `connection` are its key, `ttl` its time-to-live): it is written by
 * whoever opens connections, who must not write what decisions read.
 */
export function createConnections(
  client: DynamoDBDocumentClient,
  TableName: string,
  log: Pick<Log, 'error'>,
): Connections {
  function listed(item: unknown, at: number): readonly Listed[] {
    const { data } = stored.safeParse(item);
    if (data === undefined) {
      log.error('connection skipped', { code: 'damaged_item' });
      return [];
    }
    const { connection: id, ttl, ...rest } = data;
    // DynamoDB may take days to delete what is past its time-to-live.
    return ttl * 1_000 <= at ? [] : [{ id, ...rest, openedAt: (ttl - LIFETIME_S) * 1_000 }];
  }

  async function* pages(
    partition: string,
    at: number,
    connection: string | undefined,
  ): AsyncIterable<readonly Listed[]> {
    let after: Record<string, unknown> | undefined =
      connection === undefined ? undefined : { found: partition, connection };
    do {
      const page = await client.send(
        new QueryCommand({
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: '#found = :found',
          ExpressionAttributeNames: { '#found': 'found' },
          ExpressionAttributeValues: { ':found': partition },
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      yield (page.Items ?? []).flatMap((item) => listed(item, at));
      after = page.LastEvaluatedKey;
    } while (after !== undefined);
  }

  return {
    add: async (connection, openedAt) => {
      const { id: _, ...rest } = connection;
      const ttl = Math.floor(openedAt / 1_000) + LIFETIME_S;
      const TransactItems = keysOf(connection).map((key) => ({
        Put: { TableName, Item: { ...key, ...rest, ttl } },
      }));
      await client.send(new TransactWriteCommand({ TransactItems }));
    },
    remove: async (connection) => {
      const TransactItems = keysOf(connection).map((Key) => ({ Delete: { TableName, Key } }));
      await client.send(new TransactWriteCommand({ TransactItems }));
    },
    find: async function* (found, at, after) {
      const partitions = partitionsOf(found);
      const first =
        found.by === 'all' && after !== undefined ? partitions.indexOf(`all ${shardOf(after, SHARDS)}`) : 0;
      for (const [position, partition] of partitions.slice(first).entries())
        yield* pages(partition, at, position === 0 ? after : undefined);
    },
  };
}
