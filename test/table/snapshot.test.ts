import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import { refusalOf } from './support.ts';

const KEYS = [
  { PK: 'USER#1', SK: 'DECISION' },
  { PK: 'LOCATION#1', SK: 'DECISION' },
];
const cancelled = (code: string) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'Transaction cancelled',
    CancellationReasons: [{ Code: 'None' }, { Code: code }],
  });
const aborted = Object.assign(new Error('Request aborted'), { name: 'AbortError' });

/**
 * A reader over a service that fails with each of these in turn and then answers; its time is up after two
 * pauses.
 */
function setUp(failures: readonly Error[], isOverAfterFailures = false) {
  const client = createClient({ endpoint: 'http://127.0.0.1:1' });
  const over = new AbortController();
  const pauses: number[] = [];
  const left = [...failures];
  mockClient(client)
    .on(TransactGetCommand)
    .callsFake(async () => {
      const failure = left.shift();
      if (left.length === 0 && isOverAfterFailures) over.abort();
      if (failure) throw failure;
      return { Responses: KEYS.map((Item) => ({ Item })) };
    });
  const pause = async (attempt: number) => {
    pauses.push(attempt);
    if (pauses.length === 2) over.abort();
  };
  return {
    reader: createReader({ client, table: 't', pacing: { deadline: () => over.signal, pause } }),
    pauses,
  };
}

const CONFLICT = () => cancelled('TransactionConflict');

describe('a snapshot that writes get in the way of', () => {
  test('is asked for again', async () => {
    const { reader, pauses } = setUp([CONFLICT()]);
    expect(await reader.getSnapshot(KEYS)).toEqual(KEYS);
    expect(pauses).toEqual([1]);
  });

  test('until the deadline is contended, which is no outage', async () => {
    const { reader, pauses } = setUp([CONFLICT(), CONFLICT(), CONFLICT()]);
    const refusal = await refusalOf(() => reader.getSnapshot(KEYS));
    expect(refusal).toMatchObject({ code: 'contended', retryable: true });
    expect(pauses).toEqual([1, 2]);
  });

  test('is contended as well where the time is up in the middle of the next attempt', async () => {
    const { reader } = setUp([CONFLICT(), aborted], true);
    expect(await refusalOf(() => reader.getSnapshot(KEYS))).toMatchObject({ code: 'contended' });
  });
});

test.each<readonly [string, Error, string]>([
  ['throttled', cancelled('ThrottlingError'), 'throttled'],
  ['not answered in time', aborted, 'transient'],
])('a snapshot that is %s is no conflict', async (_what, failure, code) => {
  const { reader } = setUp([failure], true);
  expect(await refusalOf(() => reader.getSnapshot(KEYS))).toMatchObject({ code, retryable: true });
});
