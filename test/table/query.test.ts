import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../table/dynamodb/client.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import type { Item } from '../../table/item.ts';
import type { ListQuery, Reader } from '../../table/reader.ts';
import * as fc from '../support/fast-check.ts';
import { refusalOf } from './support.ts';

type Row = Item & Record<string, string>;

/**
 * A service that keeps to what DynamoDB documents of Query: it stops at the limit or, as at 1 MB, at `cut`
 * items, and whenever it stops it says where, even if nothing follows.
 */
function setUp(rows: readonly Row[], cut = Number.POSITIVE_INFINITY) {
  const client = createClient({ endpoint: 'http://127.0.0.1:1' });
  const inputs: QueryCommandInput[] = [];
  mockClient(client)
    .on(QueryCommand)
    .callsFake(async (input: QueryCommandInput) => {
      inputs.push(input);
      const { '#pk': hash = '', '#sk': sort = 'SK' } = input.ExpressionAttributeNames ?? {};
      const { ':pk': partition, ':prefix': prefix = '' } = input.ExpressionAttributeValues ?? {};
      const start = input.ExclusiveStartKey?.[sort] ?? '';
      const matching = rows.filter((row) => row[hash] === partition && row[sort]?.startsWith(String(prefix)));
      const left = matching.filter((row) => (row[sort] ?? '') > start);
      const size = Math.min(input.Limit ?? Number.POSITIVE_INFINITY, cut);
      const Items = left.slice(0, size);
      const last = Items.at(-1);
      const stopped = last !== undefined && Items.length === size;
      const keys = input.IndexName ? ['PK', 'SK', hash, sort] : ['PK', 'SK'];
      return stopped
        ? { Items, LastEvaluatedKey: Object.fromEntries(keys.map((key) => [key, last[key]])) }
        : { Items };
    });
  return { reader: createReader({ client, table: 'the-table' }), inputs };
}

const rowsOf = (partition: string, count: number, prefix = 'ROLE#'): Row[] =>
  Array.from({ length: count }, (_, i) => ({ PK: partition, SK: `${prefix}${String(i).padStart(4, '0')}` }));

async function pagesOf(reader: Reader, query: ListQuery): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await reader.list({ ...query, cursor });
    pages.push(page.items);
    cursor = page.cursor;
  }
  return pages;
}

describe('a request', () => {
  test('of a whole partition', async () => {
    const { reader, inputs } = setUp([]);
    await reader.list({ ranges: [{ partition: 'USER#1' }] });
    expect(inputs).toEqual([
      {
        TableName: 'the-table',
        ConsistentRead: true,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': 'PK' },
        ExpressionAttributeValues: { ':pk': 'USER#1' },
        Limit: 100,
      },
    ]);
  });

  test('of the index, where no read is consistent', async () => {
    const { reader, inputs } = setUp([]);
    await reader.list({ ranges: [{ partition: 'LIST#USER#0' }], index: 'GSI1' });
    expect(inputs[0]).toMatchObject({ IndexName: 'GSI1', ExpressionAttributeNames: { '#pk': 'GSI1PK' } });
    expect(inputs[0]).not.toHaveProperty('ConsistentRead');
  });
});

describe('pages', () => {
  const ranges = [
    { partition: 'A', prefix: 'ROLE#' },
    { partition: 'B', prefix: 'ROLE#' },
    { partition: 'C', prefix: 'ROLE#' },
  ];

  test('ask the service for no more than is missing', async () => {
    const { reader, inputs } = setUp([...rowsOf('A', 3), ...rowsOf('B', 9)]);
    await reader.list({ ranges, limit: 5 });
    expect(inputs.map(({ Limit }) => Limit)).toEqual([5, 2]);
  });

  test('of no range at all are one, and empty', async () => {
    const { reader, inputs } = setUp([]);
    expect(await reader.list({ ranges: [] })).toEqual({ items: [] });
    expect(inputs).toEqual([]);
  });

  test('of a range that ends before it begins have nothing of it, and it is not asked for', async () => {
    const { reader, inputs } = setUp([...rowsOf('A', 2), ...rowsOf('B', 2)]);
    const never = { partition: 'A', between: ['ROLE#9', 'ROLE#0'] } as const;
    expect(await reader.list({ ranges: [never] })).toEqual({ items: [] });
    expect(inputs).toEqual([]);
    expect(await pagesOf(reader, { ranges: [never, { partition: 'B' }, never], limit: 3 })).toEqual([
      rowsOf('B', 2),
    ]);
  });

  test('together are the whole list, each but the last one full, however the service cuts', async () => {
    const size = fc.nat({ max: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(size, size, size),
        fc.integer({ min: 1, max: 15 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(undefined, 'GSI1' as const),
        async (sizes, limit, cut, index) => {
          const rows = sizes.flatMap((count, i) => rowsOf(ranges[i]?.partition ?? '', count));
          const indexed = rows.map((row): Row => ({ ...row, GSI1PK: row.PK, GSI1SK: row.SK }));
          const query = { ranges, limit, ...(index ? { index } : {}) };
          const { reader } = setUp(indexed, cut);
          const pages = await pagesOf(reader, query);
          expect(pages.flat()).toEqual(indexed);
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
          expect(await reader.listAll({ ranges, ...(index ? { index } : {}) })).toEqual(indexed);
        },
      ),
      { numRuns: 150 },
    );
  });
});

test('a failure in the middle of a page is the failure of the page', async () => {
  const client = createClient({ endpoint: 'http://127.0.0.1:1' });
  const failure = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  mockClient(client)
    .on(QueryCommand)
    .resolvesOnce({ Items: rowsOf('A', 1), LastEvaluatedKey: { PK: 'A', SK: 'ROLE#0000' } })
    .rejects(failure);
  const reader = createReader({ client, table: 'the-table' });
  expect(await refusalOf(() => reader.list({ ranges: [{ partition: 'A' }] }))).toMatchObject({
    code: 'throttled',
  });
});

test.each([
  ['with a cursor is the cursor', true, 'invalid'],
  ['without one is a fault of ours', false, 'internal'],
])('what the service finds not valid in a query %s', async (_what, goOn, code) => {
  const client = createClient({ endpoint: 'http://127.0.0.1:1' });
  const failure = Object.assign(new Error('the provided starting key is invalid'), {
    name: 'ValidationException',
  });
  mockClient(client)
    .on(QueryCommand)
    .resolvesOnce({ Items: rowsOf('A', 1), LastEvaluatedKey: { PK: 'A', SK: 'ROLE#0000' } })
    .rejects(failure);
  const reader = createReader({ client, table: 'the-table' });
  const query = { ranges: [{ partition: 'A' }], limit: 1 };
  const { cursor } = await reader.list(query);
  const call = () => reader.list(goOn ? { ...query, cursor } : query);
  expect(await refusalOf(call)).toMatchObject({ code });
});
