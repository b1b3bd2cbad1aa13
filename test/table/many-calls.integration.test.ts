import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import type { Reader } from '../../table/reader.ts';

/** More calls at once than Node lets listen to one signal before it warns of a leak. */
const MANY = 20;

let reader: Reader;
const warnings: string[] = [];
const onWarning = ({ name }: Error) => void warnings.push(name);
const service = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"Responses":{"t":[]},"Items":[]}');
  });
});

beforeEach(async () => {
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  reader = createReader({ client: createClient({ endpoint: `http://127.0.0.1:${port}` }), table: 't' });
  process.on('warning', onWarning);
});
afterEach(() => {
  process.off('warning', onWarning);
  service.closeAllConnections();
  service.close();
});

test.each<[string, () => Promise<unknown>]>([
  [
    'the batches of many keys',
    () => reader.getMany(Array.from({ length: MANY * 100 }, (_, n) => ({ PK: `USER#${n}`, SK: 'META' }))),
  ],
  [
    'the shards of one list',
    () =>
      reader.listMerged({
        partitions: Array.from({ length: MANY }, (_, n) => `P#${n}`),
        between: ['A', 'B'],
      }),
  ],
])('Node does not warn of %s', async (_, read) => {
  await read();
  await setImmediate();
  expect(warnings.filter((name) => name === 'MaxListenersExceededWarning')).toEqual([]);
});
