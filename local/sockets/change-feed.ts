import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { createServiceClient } from '../../table/dynamodb/client.ts';

/** How often the feed is asked, in milliseconds. Lambda asks four times a second (Lambda with-ddb). */
const EVERY_MS = 250;

interface ShardPage {
  readonly Records: readonly DynamoDBRecord[];
  readonly NextShardIterator?: string;
}

/**
 * Follows the change feed of a table at a local endpoint, as Lambda's event source mapping does: batches in order, and
 * one that fails is delivered again. Switches the stream on.
 *
 * @param deliver whether all is done; a batch of which something is left comes again, with what followed meanwhile
 * @returns a function that stops it
 */
export async function followChanges(
  endpoint: string,
  table: string,
  deliver: (records: readonly DynamoDBRecord[]) => Promise<boolean>,
): Promise<() => Promise<void>> {
  const StreamArn = await streamOf(endpoint, table);
  const ask = createAsk(endpoint);
  const places = new Map<string, string | undefined>();
  const shards = async (): Promise<readonly string[]> => {
    const { StreamDescription } = await ask<{
      StreamDescription: { Shards: readonly { ShardId: string }[] };
    }>('DescribeStream', { StreamArn });
    return StreamDescription.Shards.map(({ ShardId }) => ShardId);
  };
  const open = async (type: 'LATEST' | 'TRIM_HORIZON') => {
    for (const ShardId of await shards()) {
      if (places.has(ShardId)) continue;
      const input = { StreamArn, ShardId, ShardIteratorType: type };
      places.set(ShardId, (await ask<{ ShardIterator: string }>('GetShardIterator', input)).ShardIterator);
    }
  };
  await open('LATEST');
  let isStopped = false;
  const follow = async () => {
    while (!isStopped) {
      try {
        // A shard that appears later begins after everything before it.
        await open('TRIM_HORIZON');
        for (const [shard, ShardIterator] of places) {
          if (ShardIterator === undefined) continue;
          const page = await ask<ShardPage>('GetRecords', { ShardIterator });
          if (page.Records.length === 0 || (await deliver(page.Records)))
            places.set(shard, page.NextShardIterator);
        }
      } catch {
        // The same place is read again.
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  const following = follow();
  return async () => {
    isStopped = true;
    await following;
  };
}

async function streamOf(endpoint: string, TableName: string): Promise<string> {
  const service = createServiceClient({ endpoint, requestTimeoutMs: 10_000 });
  const arn = async () =>
    (await service.send(new DescribeTableCommand({ TableName }))).Table?.LatestStreamArn;
  const found = await arn();
  if (found !== undefined) return found;
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
  await service.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  return String(await arn());
}

/** The operations of DynamoDB Streams, for local engines, which check no signature. */
const createAsk =
  (endpoint: string) =>
  async <T>(operation: string, input: object): Promise<T> => {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-date': '20260101T000000Z',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify(input),
    });
    if (!answer.ok) throw new Error(`${operation}: ${answer.status}`);
    return (await answer.json()) as T;
  };
