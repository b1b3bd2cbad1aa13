import { createServer, type RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import type { Reader } from '../../table/reader.ts';
import { listen } from '../support/listening.ts';
import { refusalOf } from './support.ts';

/**
 * Servers that misbehave on a real socket. Times here are real and short: which of the two limits struck
 * is told by the other being far away.
 */
const FAR = 25_000;
const SHORT = 100;

/** A reader of an endpoint that treats its requests so. */
async function setUp(listener: RequestListener, options: ClientOptions & { deadlineMs?: number }) {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    arrived.push(String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', ''));
    listener(request, response);
  });
  const endpoint = await listen(server);
  const { deadlineMs = FAR, ...clientOptions } = options;
  const client = createClient({ endpoint, maxAttempts: 1, requestTimeoutMs: FAR, ...clientOptions });
  return { reader: createReader({ client, table: 't', deadlineMs }), arrived, server };
}

const OPERATIONS: readonly (readonly [operation: string, read: (reader: Reader) => Promise<unknown>])[] = [
  ['GetItem', (reader) => reader.get({ PK: 'a', SK: 'b' })],
  ['BatchGetItem', (reader) => reader.getMany([{ PK: 'a', SK: 'b' }])],
  ['Query', (reader) => reader.list({ ranges: [{ partition: 'a' }] })],
];

const silent: RequestListener = () => {};
const halfAnswer: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '100' });
  response.write('{"Item":{');
};
const hangUp: RequestListener = (request) => request.socket.destroy();
const unavailable: RequestListener = (_request, response) => {
  response.writeHead(503, { 'content-type': 'text/html' });
  response.end('<html>no backend</html>');
};

describe.each(OPERATIONS)('%s', (operation, read) => {
  test('without an answer ends with the time-out of the attempt', async () => {
    const { reader, arrived } = await setUp(silent, { requestTimeoutMs: SHORT });
    const refusal = await refusalOf(() => read(reader));
    expect(refusal).toMatchObject({ code: 'transient', retryable: true, cause: { name: 'TimeoutError' } });
    expect(refusal.message).toContain(operation);
    expect(arrived).toEqual([operation]);
  });

  test('without an answer ends with the deadline of the call', async () => {
    const { reader } = await setUp(silent, { deadlineMs: SHORT });
    const refusal = await refusalOf(() => read(reader));
    expect(refusal).toMatchObject({ code: 'transient', retryable: true, cause: { name: 'AbortError' } });
  });

  test('of which half an answer came ends with the deadline of the call', async () => {
    const { reader } = await setUp(halfAnswer, { deadlineMs: SHORT });
    expect(await refusalOf(() => read(reader))).toMatchObject({ code: 'transient', retryable: true });
  });

  test('cut off by the other side is transient', async () => {
    const { reader } = await setUp(hangUp, {});
    expect(await refusalOf(() => read(reader))).toMatchObject({ code: 'transient', retryable: true });
  });

  test('answered by a proxy that has no backend is transient', async () => {
    const { reader } = await setUp(unavailable, {});
    expect(await refusalOf(() => read(reader))).toMatchObject({ code: 'transient', retryable: true });
  });
});

test('an endpoint where nobody listens is transient', async () => {
  const { reader, server } = await setUp(silent, {});
  await new Promise((resolve) => server.close(resolve));
  expect(await refusalOf(() => reader.get({ PK: 'a', SK: 'b' }))).toMatchObject({ code: 'transient' });
});

test('attempts are as many as were set, and the deadline covers them all', async () => {
  const three = await setUp(hangUp, { maxAttempts: 3 });
  await refusalOf(() => three.reader.get({ PK: 'a', SK: 'b' }));
  expect(three.arrived).toHaveLength(3);

  const endless = await setUp(unavailable, { maxAttempts: 1_000, deadlineMs: SHORT });
  expect(await refusalOf(() => endless.reader.get({ PK: 'a', SK: 'b' }))).toMatchObject({
    code: 'transient',
  });
});

test('keys left unread for ever end with the deadline, by real pauses', async () => {
  const { reader, arrived } = await setUp(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(
        '{"Responses":{"t":[]},"UnprocessedKeys":{"t":{"Keys":[{"PK":{"S":"a"},"SK":{"S":"b"}}]}}}',
      );
    },
    { deadlineMs: 3 * SHORT },
  );
  const refusal = await refusalOf(() => reader.getMany([{ PK: 'a', SK: 'b' }]));
  expect(refusal.retryable).toBe(true);
  expect(arrived.length).toBeGreaterThan(1);
});
