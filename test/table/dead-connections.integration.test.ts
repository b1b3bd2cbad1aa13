import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ATTEMPT_MS, ATTEMPTS, type ClientOptions, createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { IDLE_MS } from '../../table/dynamodb/request-handler.ts';
import { READ_DEADLINE_MS } from '../../table/timing.ts';

/**
 * What a thawed Lambda finds: connections of which nobody says that they are dead. What is sent on them gets lost.
 */
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const listening = async (server: { listen: (port: number, host: string, done: () => void) => unknown }) =>
  new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));

const ANSWER = '{"Responses":{"t":[]}}';
const OPEN = 3;
/** Far longer than a test may take: an attempt that waits for it fails the test. */
const FAR = 60_000;

/** A reader with three idle connections through a proxy that can lose what is sent on some of them. */
async function setUp(options: ClientOptions) {
  const waiting: ServerResponse[] = [];
  let isWaiting = true;
  const answer = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(ANSWER);
  };
  const table = createServer((request, response) => {
    request.resume().on('end', () => {
      if (!isWaiting) return answer(response);
      waiting.push(response);
      if (waiting.length === OPEN) for (const each of waiting.splice(0)) answer(each);
    });
  });
  await listening(table);
  const accepted: Socket[] = [];
  const proxy = createTcpServer((socket) => {
    accepted.push(socket);
    const onwards = connect((table.address() as AddressInfo).port, '127.0.0.1');
    socket.pipe(onwards).pipe(socket);
    for (const end of [socket, onwards]) end.on('error', () => undefined);
  });
  await listening(proxy);
  closing.push(() => {
    table.closeAllConnections();
    table.close();
    for (const socket of accepted) socket.destroy();
    proxy.close();
  });
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = createClient({ endpoint, ...options });
  closing.push(() => client.destroy());
  const reader = createReader({ client, table: 't', deadlineMs: FAR });
  const read = () => reader.getMany([{ PK: 'a', SK: 'b' }]);
  // Three at once need three connections. They are answered together.
  await Promise.all(Array.from({ length: OPEN }, read));
  isWaiting = false;
  expect(accepted).toHaveLength(OPEN);
  return {
    read,
    /** How many connections were made since. */
    made: () => accepted.length - OPEN,
    /** From now on what is sent on these connections gets lost. */
    lose: (lost: readonly number[]) => {
      for (const position of lost) accepted[position]?.unpipe().resume();
    },
  };
}

const ALL = [0, 1, 2];

test.each([[[0]], [[1]], [[2]], [ALL]])(
  'of three idle connections %j are dead: the first read is answered, by its second attempt at the latest',
  async (dead) => {
    const { read, made, lose } = await setUp({});
    lose(dead);
    expect(await read()).toEqual([undefined]);
    expect(made()).toBeLessThanOrEqual(1);
    if (dead === ALL) expect(made()).toBe(1);
    expect(await read()).toEqual([undefined]);
  },
);

test('all are dead, and as many reads begin at once: each is answered', async () => {
  const { read, lose } = await setUp({});
  lose(ALL);
  expect(await Promise.all(ALL.map(read))).toEqual(ALL.map(() => [undefined]));
});

test('after an idle gap the first attempt connects anew, without a time-out', async () => {
  let now = 0;
  const { read, made, lose } = await setUp({ requestTimeoutMs: FAR, now: () => now });
  lose(ALL);
  now += IDLE_MS + 1;
  expect(await read()).toEqual([undefined]);
  expect(made()).toBe(1);
});

test('a connection that was idle for less is used again', async () => {
  let now = 0;
  const { read, made } = await setUp({ requestTimeoutMs: FAR, now: () => now });
  for (let again = 0; again < 5; again++) {
    now += IDLE_MS;
    await read();
  }
  expect(made()).toBe(0);
});

test('by a clock that was set back no idle connection is young', async () => {
  let now = 10 * IDLE_MS;
  const { read, made, lose } = await setUp({ requestTimeoutMs: FAR, now: () => now });
  lose(ALL);
  now = 0;
  expect(await read()).toEqual([undefined]);
  expect(made()).toBe(1);
});

test('both attempts and the pause between them fit into the deadline of a read', () => {
  // The SDK pauses for at most 100 ms before the second one.
  expect(ATTEMPTS * ATTEMPT_MS + 100).toBeLessThan(READ_DEADLINE_MS);
});
