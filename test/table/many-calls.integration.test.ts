import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import type { Reader } from '../../table/reader.ts';
import { listen } from '../support/listening.ts';

/** More calls at once than Node lets listen to one signal before it warns of a leak. */
const MANY = 20;
const numbered = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n));

test.each<[string, (reader: Reader) => Promise<unknown>]>([
  [
    'the batches of many keys',
    ({ getMany }) => getMany(numbered(MANY * 100, (n) => ({ PK: `USER#${n}`, SK: 'META' }))),
  ],
  [
    'the shards of one list',
    ({ listMerged }) => listMerged({ partitions: numbered(MANY, (n) => `P#${n}`), between: ['A', 'B'] }),
  ],
])('Node does not warn of %s', async (_, read) => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const endpoint = await listen((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"Responses":{"t":[]},"Items":[]}');
    });
  });
  await read(createReader({ client: createClient({ endpoint }), table: 't' }));
  await setImmediate();
  expect(warnings.filter((name) => name === 'MaxListenersExceededWarning')).toEqual([]);
});
