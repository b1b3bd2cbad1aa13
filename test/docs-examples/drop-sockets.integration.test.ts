import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Closed, closedBy, createHandler } from '../../docs/examples/drop-sockets.ts';
import { createServiceClient } from '../../table/dynamodb/client.ts';
import { gatehouse } from '../cli/support.ts';
import { createWorld, type World } from '../support/world.ts';

/** The example of docs/change-feed.md, fed with the records of a real stream. */
let world: World;
let stream: string;
beforeAll(async () => {
  world = await createWorld();
  const service = createServiceClient({ endpoint: world.endpoint, requestTimeoutMs: 20_000 });
  await service.send(
    new UpdateTableCommand({
      TableName: world.table,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  const { Table } = await service.send(new DescribeTableCommand({ TableName: world.table }));
  stream = String(Table?.LatestStreamArn);
});

async function ask<T>(operation: string, input: object): Promise<T> {
  const answer = await fetch(world.endpoint, {
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
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** All that the stream has. */
async function records(): Promise<readonly DynamoDBRecord[]> {
  const { StreamDescription } = await ask<{ StreamDescription: { Shards: { ShardId: string }[] } }>(
    'DescribeStream',
    {
      StreamArn: stream,
    },
  );
  const found: DynamoDBRecord[] = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const { ShardIterator } = await ask<{ ShardIterator: string }>('GetShardIterator', {
      ...{ StreamArn: stream, ShardId },
      ShardIteratorType: 'TRIM_HORIZON',
    });
    for (let next: string | undefined = ShardIterator; next !== undefined; ) {
      const page: { Records: DynamoDBRecord[]; NextShardIterator?: string } = await ask('GetRecords', {
        ShardIterator: next,
      });
      found.push(...page.Records);
      next = page.Records.length > 0 ? page.NextShardIterator : undefined;
    }
  }
  return found;
}

/** What the changes that `act` makes close. */
async function closedIn(act: () => Promise<unknown>): Promise<readonly Closed[]> {
  const before = (await records()).length;
  await act();
  const after = await records();
  expect(after.length).toBeGreaterThan(before);
  return after.slice(before).flatMap((record) => closedBy(record) ?? []);
}

async function cli(...args: readonly string[]): Promise<void> {
  const ended = await gatehouse([...args, '--yes'], { env: { TABLE_NAME: world.table } });
  expect(ended).toMatchObject({ code: 0 });
}

describe('what closes', () => {
  test('a revoked user: by status, and by deletion', async () => {
    const { id } = await world.run('user.create', { email: 'ann@example.com' });
    const subject = { kind: 'subject', ref: `user:${id}` };
    expect(await closedIn(() => cli('revoke-user', 'ann@example.com'))).toEqual([subject]);
    // Closed already: nothing is said twice.
    expect(await closedIn(() => cli('revoke-user', 'ann@example.com'))).toEqual([]);
    expect(await closedIn(() => world.run('user.update', { id, status: 'active' }))).toEqual([]);
    expect(await closedIn(() => world.run('user.delete', { id }))).toEqual([subject]);
  });

  test('a suspended tenant, a revoked session and a revoked token', async () => {
    const { id: tenant } = await world.run('tenant.create', { name: 'Acme' });
    expect(await closedIn(() => cli('suspend-tenant', `tenant:${tenant}`))).toEqual([
      { kind: 'scope', ref: `tenant:${tenant}` },
    ]);
    const { id: user } = await world.run('user.create', {});
    const subject = `user:${user}`;
    const { id: session } = await world.run('session.create', { user });
    const { id: token } = await world.run('token.create', { user, tokenType: 'api' });
    expect(await closedIn(() => cli('revoke-session', session))).toEqual([
      { kind: 'session', ref: `session:${session}`, subject },
    ]);
    expect(await closedIn(() => cli('revoke-token', token))).toEqual([
      { kind: 'token', ref: `token:${token}`, subject },
    ]);
  });

  test('nothing else does', async () => {
    const { id: user } = await world.run('user.create', { displayName: 'Ben' });
    const { id: role } = await world.run('role.create', { name: 'r', scope: 'global' });
    await world.run('page.create', { name: 'home' });
    expect(
      await closedIn(async () => {
        await world.run('user.update', { id: user, displayName: 'Benny' });
        await world.run('global-role.create', { user, role });
        await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
        await world.run('global-role.delete', { user, role });
        await world.run('page.delete', { name: 'home' });
      }),
    ).toEqual([]);
  });
});

test('the handler closes the connections of revoked users only', async () => {
  const { id: ann } = await world.run('user.create', {});
  const { id: ben } = await world.run('user.create', {});
  const before = (await records()).length;
  await cli('revoke-user', `user:${ann}`);
  await world.run('user.update', { id: ben, displayName: 'Ben' });
  const open: Readonly<Record<string, readonly string[]>> = {
    [`user:${ann}`]: ['a1', 'a2'],
    [`user:${ben}`]: ['b'],
  };
  const dropped: string[] = [];
  const handler = createHandler({
    openOf: async ({ ref }) => open[ref] ?? [],
    drop: async (connection) => void dropped.push(connection),
  });
  await handler({ Records: (await records()).slice(before) });
  expect(dropped).toEqual(['a1', 'a2']);
});
