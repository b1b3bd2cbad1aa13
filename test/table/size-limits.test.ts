import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient, createReader, createWriter } from '../../table/dynamodb/index.ts';
import { refusalOf } from './support.ts';

/** What an endpoint answers that meets a limit on size. */
let answer: Readonly<Record<string, unknown>>;
const server = createServer((_request, response) => {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = createClient({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
const [reader, writer] = [createReader({ client, table: 't' }), createWriter({ client, table: 't' })];
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const KEY = { PK: 'a', SK: 'b' };
const PREFIX = 'com.amazonaws.dynamodb.v20120810';

const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['TransactGetItems', () => reader.getSnapshot([KEY])],
  ['BatchGetItem', () => reader.getMany([KEY])],
  ['GetItem', () => reader.get(KEY)],
  ['Query', () => reader.list({ ranges: [{ partition: 'a' }] })],
  ['TransactWriteItems', () => writer.send([{ kind: 'put', item: KEY }])],
];

const WORDS = [
  // DynamoDB Local, of a snapshot of more than 4 MB.
  'Payload in response is too large',
  'Item size has exceeded the maximum allowed size',
  'Item size to update has exceeded the maximum allowed size',
  'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes',
  'The aggregate size of the items in the transaction exceeded 4 MB.',
];

describe.each(CALLS)('%s', (operation, call) => {
  test.each(WORDS)('that is refused with "%s" meets a limit', async (message) => {
    answer = { __type: `${PREFIX}#ValidationException`, message };
    const refusal = await refusalOf(call);
    expect(refusal).toMatchObject({ code: 'limit_exceeded', retryable: false });
    expect(refusal?.message).toContain(operation);
    expect(refusal?.message).not.toContain(message);
  });

  test('does so whatever the error is called', async () => {
    answer = { __type: 'com.amazon.coral.service#SomethingException', Message: WORDS[0] };
    expect(await refusalOf(call)).toMatchObject({ code: 'limit_exceeded' });
  });

  test('that is refused for another reason is a fault', async () => {
    answer = { __type: `${PREFIX}#ValidationException`, message: 'The provided key element does not match' };
    expect(await refusalOf(call)).toMatchObject({ code: 'internal' });
  });
});

test('a snapshot that is cancelled for its size says so too', async () => {
  answer = {
    __type: `${PREFIX}#TransactionCanceledException`,
    message:
      'Transaction cancelled, please refer cancellation reasons for specific reasons [ValidationError]',
    CancellationReasons: [{ Code: 'ValidationError', Message: WORDS[0] }],
  };
  expect(await refusalOf(() => reader.getSnapshot([KEY]))).toMatchObject({ code: 'limit_exceeded' });
});
