import { expect, test } from 'vitest';
import { createClient } from '../../table/dynamodb/client.ts';
import { createWriter } from '../../table/dynamodb/writer.ts';
import { nodeKey } from '../../table/keys.ts';
import { createPacing } from '../../table/read/pacing.ts';
import {
  CLOCK_SKEW_MS,
  COHERENCE_MARGIN_MS,
  LATE_ARRIVAL_MS,
  READ_DEADLINE_MS,
  WRITE_DEADLINE_MS,
} from '../../table/timing.ts';
import { listen } from '../support/listening.ts';
import { ID, refusalNow, refusalOf } from './support.ts';

const client = createClient({ endpoint: 'http://127.0.0.1:1' });

test('the margin is how long a writer tries, how late a request may arrive and how far clocks may differ', () => {
  expect(WRITE_DEADLINE_MS + LATE_ARRIVAL_MS + CLOCK_SKEW_MS).toBe(COHERENCE_MARGIN_MS);
  for (const part of [WRITE_DEADLINE_MS, LATE_ARRIVAL_MS, CLOCK_SKEW_MS, READ_DEADLINE_MS])
    expect(Number.isSafeInteger(part) && part > 0).toBe(true);
});

test.each([WRITE_DEADLINE_MS + 1, WRITE_DEADLINE_MS - 1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'a writer that would try for %d ms is refused: readers count on the one deadline',
  (deadlineMs) => {
    expect(refusalNow(() => createWriter({ client, table: 't', deadlineMs }))).toMatchObject({
      code: 'invalid',
      field: 'deadlineMs',
    });
  },
);

test('a writer may name the deadline that it has anyway', () => {
  expect(() => createWriter({ client, table: 't', deadlineMs: WRITE_DEADLINE_MS })).not.toThrow();
});

test('after the deadline nothing is sent any more, by the SDK neither', async () => {
  const over = new AbortController();
  let arrived = 0;
  // Throttled for ever: the SDK would go on to try, a thousand times.
  const endpoint = await listen((_request, response) => {
    arrived += 1;
    response.once('close', () => over.abort());
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}');
  });
  const pacing = { deadline: () => over.signal, pause: async () => {} };
  const writer = createWriter({ client: createClient({ endpoint, maxAttempts: 1_000 }), table: 't', pacing });
  const item = { ...nodeKey({ type: 'user', id: ID }), Type: 'User' };
  expect(await refusalOf(() => writer.send([{ kind: 'put', item }]))).toMatchObject({ retryable: true });
  expect(arrived).toBe(1);
});

test('after the machine slept nothing is sent any more, by the SDK neither: the stamp is too old', async () => {
  let [instant, arrived] = [1_000_000, 0];
  const endpoint = await listen((_request, response) => {
    arrived += 1;
    instant += 3_600_000;
    response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}');
  });
  const pacing = createPacing({ deadlineMs: WRITE_DEADLINE_MS, now: () => instant });
  const writer = createWriter({ client: createClient({ endpoint }), table: 't', pacing });
  const item = { ...nodeKey({ type: 'user', id: ID }), Type: 'User' };
  expect(await refusalOf(() => writer.send([{ kind: 'put', item }]))).toMatchObject({ retryable: true });
  expect(arrived).toBe(1);
});
