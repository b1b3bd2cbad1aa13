import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, inject, test } from 'vitest';
import { createConnections } from '../../authorizer/sockets/dynamodb-connections.ts';
import { readConfiguration } from '../../local/configuration.ts';
import { startSample } from '../../local/sample/stack.ts';
import { followChanges } from '../../local/sockets/change-feed.ts';
import { createClient } from '../../table/dynamodb/client.ts';
import { gatehouse } from '../cli/support.ts';
import { type OpenSocket, openSocket } from '../local/smoke/socket.ts';
import { tokenFrom } from '../local/smoke/visitor.ts';
import { createDeferred } from '../support/deferred.ts';

/** Live revocation from end to end: the local stack, its change feed, and the management API of its WebSocket API. */
const stack = await startSample(
  readConfiguration({
    PORT: '0',
    LAMBDA_PORT: '0',
    DYNAMODB_PORT: '0',
    LIVE_REVOCATION: 'true',
    DYNAMODB_ENDPOINT: inject('endpoint'),
    TABLE_NAME: `gatehouse-sockets-${process.pid}`,
  }),
);
afterAll(() => stack.stop());

/** The name of a user of the school, a path of a WebSocket, and how it ends. */
async function open(user: string, location = stack.school.north): Promise<OpenSocket> {
  const url = `${stack.url.replace('http', 'ws')}/ws?location=${location}`;
  const socket = await openSocket(url, await tokenFrom(stack.url, `${user}@school.example`));
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
}
const isOpen = async (socket: OpenSocket): Promise<boolean> =>
  (await socket.ask({ action: 'board' })).route === 'board';
const cli = async (...args: readonly string[]) =>
  expect(await gatehouse([...args, '--yes'], { env: { TABLE_NAME: stack.table } })).toMatchObject({
    code: 0,
  });
/** Closed normally, by the management API. */
const NORMAL = 1000;

test('a user who is revoked, or leaves the group that let him in: his connections close, and no others', async () => {
  const [tina, again, sam, ada] = await Promise.all([open('tina'), open('tina'), open('sam'), open('ada')]);
  await cli('command', 'membership.delete', 'user=sam@school.example', 'group=Teachers north');
  expect(await sam.ended()).toBe(NORMAL);
  expect(await Promise.all([tina, again, ada].map(isOpen))).toEqual([true, true, true]);
  await cli('revoke-user', 'tina@school.example');
  expect(await Promise.all([tina.ended(), again.ended()])).toEqual([NORMAL, NORMAL]);
  expect(await isOpen(ada)).toBe(true);
  ada.close();
});

test('entries that are damaged, or past their time-to-live: left alone, and the others are closed', async () => {
  const client = createClient({ endpoint: inject('endpoint') });
  const TableName = `${stack.table}-connections`;
  await cli('command', 'user.create', 'email=olaf@school.example');
  await cli('command', 'membership.create', 'user=olaf@school.example', 'group=Teachers north');
  const olaf = await open('olaf');
  const { you } = await olaf.ask({ action: 'board' });
  const found = `subject ${(you as { readonly subject: string }).subject}`;
  const { Items: [entry] = [] } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: '#found = :found',
      ExpressionAttributeNames: { '#found': 'found' },
      ExpressionAttributeValues: { ':found': found },
    }),
  );
  const past = { ...entry, connection: '0past', ttl: 1_000_000_000 };
  const damaged = { found, connection: '0damaged', scope: 7 };
  for (const Item of [past, damaged]) await client.send(new PutCommand({ TableName, Item }));
  await cli('revoke-user', 'olaf@school.example');
  expect(await olaf.ended()).toBe(NORMAL);
  for (const { connection } of [past, damaged]) {
    const { Item } = await client.send(new GetCommand({ TableName, Key: { found, connection } }));
    expect(Item).toMatchObject({ connection });
  }
});

test.each([{ by: 'all' } as const, { by: 'tenant', value: 'tenant:order' } as const])(
  'connections by $by are found from any of them on, though it is gone',
  async (by) => {
    const log = { error: () => {} };
    const list = createConnections(
      createClient({ endpoint: inject('endpoint') }),
      `${stack.table}-connections`,
      log,
    );
    const at = Date.now();
    const idsAfter = async (after?: string) => {
      const ids: string[] = [];
      for await (const page of list.find(by, at, after)) ids.push(...page.map(({ id }) => id));
      return ids;
    };
    const of = (id: string) => ({
      id,
      api: 'a',
      stage: 's',
      subject: 'user:order',
      permission: 'p',
      scope: 'x',
      tenant: 'tenant:order',
      credential: 'none',
    });
    for (let n = 0; n < 20; n++) await list.add(of(`order-${n}`), at);
    const ids = await idsAfter();
    expect(ids.length).toBeGreaterThanOrEqual(20);
    for (const [position, id] of ids.entries()) expect(await idsAfter(id)).toEqual(ids.slice(position + 1));
    const mine = ids.filter((id) => id.startsWith('order-'));
    const [gone = ''] = mine;
    await list.remove(of(gone));
    expect(await idsAfter(gone)).toEqual(ids.slice(ids.indexOf(gone) + 1));
    for (const id of mine) await list.remove(of(id));
  },
);

test('a batch of which something is left comes again', async () => {
  const batches: string[][] = [];
  const again = createDeferred();
  const stop = await followChanges(inject('endpoint'), stack.table, async (records) => {
    batches.push(records.map(({ dynamodb }) => String(dynamodb?.SequenceNumber)));
    if (batches.length > 1) again.resolve();
    return batches.length > 1;
  });
  await cli('command', 'user.create', 'email=later@school.example');
  await again.promise;
  await stop();
  expect(batches[0]?.length).toBeGreaterThan(0);
  expect(batches[1]?.slice(0, batches[0]?.length)).toEqual(batches[0]);
});

test('a table in memory has no change feed: the stack does not start', async () => {
  const environment = { PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', LIVE_REVOCATION: 'true' };
  const starting = startSample(readConfiguration(environment), { findBinary: () => undefined });
  await expect(starting).rejects.toThrow('LIVE_REVOCATION follows the change feed of a DynamoDB engine');
});
