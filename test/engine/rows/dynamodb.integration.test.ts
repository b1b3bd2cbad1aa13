import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, inject, test } from 'vitest';
import { createInvoices } from '../../../docs/examples/electrodb-list.ts';
import {
  createVisibleRows,
  defineRows,
  type Row,
  rowsInDynamoDb,
  text,
  type VisibleRows,
} from '../../../engine/rows/index.ts';
import { testEngine } from '../../../testing/index.ts';
import { createRowsTable } from './databases.ts';

const MANIFEST = `
permissions: ["billing:read:invoice"]
properties:
  - { of: "resource:invoice", name: owner, type: string, source: passed }
scopes:
  acme: { id: acme, type: client }
  north: { id: North, type: project, parent: acme }
  south: { id: south, type: project, parent: acme }
  west: { id: west, type: project, parent: acme }
roles:
  reader: { owner: acme, allow: ["billing:read:invoice"] }
  owner: { owner: acme, allow: [{ permission: "billing:read:invoice", when: resource.properties.owner == subject.id }] }
users:
  ann: { id: ann, assignments: [{ role: reader, scope: north }, { role: reader, scope: south }] }
  ben: { id: ben, assignments: [{ role: owner, scope: acme }] }
`;

const there = await createRowsTable(inject('endpoint'));
const { reader, engine, clock } = await testEngine(MANIFEST);
const visibleRows: VisibleRows = createVisibleRows({
  reader,
  engine,
  clock,
  cursorSecret: 'cursors of tests are encrypted with this',
});
afterAll(() => there.close());

test('a page reads of each subtree as many rows as it may show, and one', async () => {
  const { client, table, write } = there;
  const item = (project: string, n: number) => ({
    pk: project,
    sk: `#${1_000 + n}`,
    id: `${project}${n}`,
    owner: 'ben',
  });
  for (const project of ['North', 'south', 'west'])
    await write(Array.from({ length: 300 }, (_, n) => ({ PutRequest: { Item: item(project, n) } })));
  const rows = defineRows({
    type: 'invoice',
    id: 'id',
    scope: { column: 'pk', type: 'project' },
    properties: { owner: text('owner') },
    order: [{ column: 'sk', direction: 'asc' }],
    key: ['pk', 'sk'],
  });
  let looked = 0;
  let units = 0;
  const layout = { table, partition: { attribute: 'pk' }, sort: { attribute: 'sk' } };
  const fetch = rowsInDynamoDb<Row>(rows, layout, async (input) => {
    const answer = await client.send(new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' }));
    looked += answer.ScannedCount ?? 0;
    units += answer.ConsumedCapacity?.CapacityUnits ?? 0;
    return answer;
  });
  const list = (subject: string, after?: string) =>
    visibleRows({ subject, permission: 'billing:read:invoice', rows, after, fetch });
  const { cursor } = await list('user:ann');
  expect(looked).toBe(2 * 51);
  // An eventually consistent unit is 8 KB.
  expect(units).toBeLessThanOrEqual(2);
  await list('user:ann', cursor);
  expect(looked).toBe(2 * 2 * 51);
  looked = 0;
  expect((await list('user:ben')).rows).toHaveLength(50);
  expect(looked).toBe(3 * 51);
});

test('the entity of ElectroDB in the documents is listed', async () => {
  const { client, table } = there;
  const { entity, list } = createInvoices(client, table, visibleRows);
  for (let n = 0; n < 90; n++)
    await entity
      .put({
        id: `i${n}`,
        project: ['North', 'south', 'west'][n % 3] as string,
        createdAt: `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.000Z`,
        ...(n % 2 === 0 ? { owner: 'ben' } : {}),
      })
      .go();
  const first = await list('user:ann');
  expect(first.invoices).toHaveLength(50);
  expect(first.invoices[0]).toEqual({
    id: 'i58',
    project: 'south',
    createdAt: '2026-01-01T00:00:58.000Z',
    owner: 'ben',
  });
  const last = await list('user:ann', first.cursor);
  expect(last.cursor).toBeUndefined();
  expect(new Set([...first.invoices, ...last.invoices].map(({ id }) => id)).size).toBe(60);
  expect((await list('user:ben')).invoices.map(({ owner }) => owner)).toEqual(Array(45).fill('ben'));
});
