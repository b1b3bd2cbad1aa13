import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readConfiguration } from '../../local/configuration.ts';
import { type SampleStack, startSample } from '../../local/sample/stack.ts';
import { type OpenSocket, openSocket } from '../../local/smoke/socket.ts';
import { tokenFrom } from '../../local/smoke/visitor.ts';
import { gatehouse } from '../cli/support.ts';

/** Live revocation from end to end: the local stack, its change feed, and the management API of its WebSocket API. */
let stack: SampleStack;
beforeAll(async () => {
  stack = await startSample(
    readConfiguration({
      ...{ PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', LIVE_REVOCATION: 'true' },
      DYNAMODB_ENDPOINT: inject('endpoint'),
      TABLE_NAME: `gatehouse-sockets-${process.pid}`,
    }),
  );
});
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

test('a role that loses the permission: who holds it loses the connection, an administrator does not', async () => {
  const [victor, ada] = await Promise.all([open('victor'), open('ada')]);
  await cli('command', 'role-permission.delete', 'role=volunteer', 'permission=dashboard');
  expect(await victor.ended()).toBe(NORMAL);
  expect(await isOpen(ada)).toBe(true);
  ada.close();
});

test('a suspended tenant closes the connections at it, those of other tenants stay', async () => {
  await cli('command', 'user.create', 'email=nora@school.example');
  await cli('command', 'membership.create', 'user=nora@school.example', 'group=Teachers south');
  const [south, north] = [await open('nora', stack.school.south), await open('ada')];
  await cli('suspend-tenant', `location:${stack.school.south}`);
  expect(await south.ended()).toBe(NORMAL);
  expect(await isOpen(north)).toBe(true);
  north.close();
});

test('a table in memory has no change feed: the stack does not start', async () => {
  const environment = { PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', LIVE_REVOCATION: 'true' };
  const starting = startSample(readConfiguration(environment), { findBinary: () => undefined });
  await expect(starting).rejects.toThrow('LIVE_REVOCATION follows the change feed of a DynamoDB engine');
});
