import { describe, expect, test } from 'vitest';
import {
  createVisibleRows,
  defineRows,
  int,
  type Row,
  type RowCondition,
  type RowsQuestion,
  rowsInMemory,
  sqlPage,
  text,
} from '../../../engine/rows/index.ts';
import { testEngine } from '../../../testing/index.ts';

/** Pages of an application's rows: what a caller gets, and what it cannot get wrong in silence. */
const SECRET = 'cursors of tests are encrypted with this';
const MANIFEST = `
permissions: ["billing:read:invoice", "billing:pay:invoice"]
properties:
  - { of: "resource:invoice", name: owner, type: string, source: passed }
  - { of: "resource:invoice", name: amount, type: int, source: passed }
scopes:
  acme: { id: acme, type: client }
  north: { id: north, type: project, parent: acme }
  south: { id: south, type: project, parent: acme }
roles:
  reader: { owner: acme, allow: ["billing:read:invoice"] }
  owner:
    owner: acme
    allow:
      - { permission: "billing:read:invoice", when: resource.properties.owner == subject.id }
      - { permission: "billing:pay:invoice", when: resource.properties.owner == subject.id && resource.properties.amount < 100 }
users:
  ann: { id: ann, assignments: [{ role: reader, scope: north }] }
  ben: { id: ben, assignments: [{ role: owner, scope: acme }] }
`;
const INVOICES = defineRows({
  type: 'invoice',
  id: 'id',
  scope: { column: 'project', type: 'project' },
  path: [{ column: 'client', type: 'client' }],
  properties: { owner: text('owner'), amount: int('amount') },
  order: [{ column: 'at', direction: 'desc' }],
  key: ['id'],
});
const invoice = (id: number, project: string | null, owner: string | null, amount = 50): Row => ({
  id,
  at: `2026-01-0${id}`,
  project,
  client: 'acme',
  owner,
  amount,
});
const ALL = [
  invoice(1, 'north', 'ann'),
  invoice(2, 'south', 'ben'),
  invoice(3, 'north', 'ben', 500),
  invoice(4, 'gone', 'ben'),
  invoice(5, null, 'ben'),
  invoice(6, 'north', null),
];

async function createList(all: readonly Row[] = ALL) {
  const { engine, reader, clock, command, ref, id } = await testEngine(MANIFEST);
  const pages: { looked: number; dropped: number }[] = [];
  const visibleRows = createVisibleRows({
    reader,
    engine,
    clock,
    cursorSecret: SECRET,
    observe: (page) => pages.push(page),
  });
  const conditions: RowCondition[] = [];
  const inMemory = rowsInMemory(INVOICES, () => all);
  const ask = (name: string, more: Partial<RowsQuestion<Row>> = {}) =>
    visibleRows({
      subject: ref(name),
      permission: 'billing:read:invoice',
      rows: INVOICES,
      fetch: (condition, after, count) => {
        conditions.push(condition);
        return inMemory(condition, after, count);
      },
      ...more,
    });
  return { ask, clock, command, conditions, id, pages };
}

const idsOf = ({ rows }: { readonly rows: readonly Row[] }) => rows.map(({ id }) => id);
const sqlOf = (condition: RowCondition | undefined) => {
  const { where, values } = sqlPage(INVOICES, condition as RowCondition, undefined, 1, { dialect: 'sqlite' });
  return where.replaceAll(/\?(\d+)/g, (_, number) => JSON.stringify(values[Number(number) - 1]));
};

describe('a page', () => {
  test('has the rows that are allowed, in their order, and the query is narrowed', async () => {
    const { ask, conditions, pages } = await createList();
    expect(idsOf(await ask('ann'))).toEqual([6, 3, 1]);
    expect(sqlOf(conditions[0])).toBe('(("client" IN ("acme")) AND ("project" IN ("north")))');
    expect(idsOf(await ask('ben'))).toEqual([3, 2]);
    expect(sqlOf(conditions[1])).toBe('(("client" IN ("acme")) AND ("owner" IN ("ben")))');
    expect(pages).toEqual([
      { looked: 3, dropped: 0 },
      { looked: 4, dropped: 2 },
    ]);
  });

  test('has a cursor if and only if more may follow', async () => {
    const { ask } = await createList();
    const first = await ask('ann', { limit: 2 });
    expect(idsOf(first)).toEqual([6, 3]);
    const { cursor = '' } = first;
    expect(cursor).not.toBe('');
    const last = await ask('ann', { limit: 2, after: cursor });
    expect(idsOf(last)).toEqual([1]);
    expect(last.cursor).toBeUndefined();
    expect((await ask('ann', { limit: 3 })).cursor).toBeUndefined();
  });

  test('says of each row what else is allowed on it', async () => {
    const { ask } = await createList();
    const page = await ask('ben', { also: ['billing:pay:invoice'] });
    expect(page.also.map((each) => [...each])).toEqual([[], ['billing:pay:invoice']]);
  });

  test('asks nothing of the application where nothing is granted', async () => {
    const { ask, conditions } = await createList();
    expect(await ask('ann', { permission: 'billing:pay:invoice' })).toEqual({
      rows: [],
      also: [],
    });
    expect(conditions).toEqual([]);
  });

  test('ends with a cursor after 2,000 rows, even if it is empty', async () => {
    const many = Array.from({ length: 2_600 }, (_, id) => ({ ...invoice(1, 'gone', 'ben'), id }));
    const { ask } = await createList(many);
    const page = await ask('ben');
    expect(page.rows).toEqual([]);
    const next = await ask('ben', { after: page.cursor as string });
    expect(next).toEqual({ rows: [], also: [] });
  });

  test('shows no row within other roots than those that are asked for', async () => {
    const { ask } = await createList();
    expect(idsOf(await ask('ann', { within: new Set(['client:other']) }))).toEqual([]);
    expect(idsOf(await ask('ann', { within: new Set(['client:acme']) }))).toEqual([6, 3, 1]);
  });
});

test('a column that disagrees with the tree shows no row more', async () => {
  const lying = [
    { ...invoice(1, 'south', 'x'), client: 'acme' },
    { ...invoice(2, 'north', 'x'), client: 'other' },
  ];
  const { ask } = await createList(lying);
  expect(idsOf(await ask('ann'))).toEqual([]);
});

test('what is taken away is not shown, what is given is shown after half of the time-to-live at most', async () => {
  const { ask, clock, command, id } = await createList();
  const ids = async (more = {}) => idsOf(await ask('ann', more));
  expect(await ids()).toEqual([6, 3, 1]);
  await command('assignment.create', { user: 'ann', role: id('reader'), scope: 'project:south' });
  clock.advance(29_999);
  expect(await ids()).toEqual([6, 3, 1]);
  expect(await ids({ consistency: 'strong' })).toEqual([6, 3, 2, 1]);
  clock.advance(1);
  expect(await ids()).toEqual([6, 3, 2, 1]);
  await command('project.update', { id: 'north', status: 'on-hold' });
  expect(await ids()).toEqual([2]);
});

describe('refuses', () => {
  test.each<[string, Partial<RowsQuestion<Row>>, string]>([
    ['a resource beside the row', { given: { resource: { id: 'x' } } as never }, 'given.resource'],
    ['a limit beyond its bound', { limit: 501 }, 'limit'],
    ['a cursor that it did not make', { after: 'eyJhIjoxfQ' }, 'after'],
    ['a query that answers too much', { fetch: async () => [...ALL, ...ALL], limit: 1 }, 'fetch'],
    ['a row without a column', { fetch: async () => [{ id: 1, at: 'x' }] }, 'row.project'],
    ['a row without an id', { fetch: async () => [{ ...ALL[0], id: null }] }, 'row.id'],
    ['a date as a place', { fetch: async () => [{ ...ALL[0], at: new Date() }] }, 'row.at'],
  ])('%s', async (_, more, field) => {
    const { ask } = await createList();
    await expect(ask('ann', more)).rejects.toMatchObject({ code: 'invalid', field });
  });

  test('the cursor of another subject, permission or query', async () => {
    const { ask } = await createList();
    const { cursor: after = '' } = await ask('ben', { limit: 1 });
    const refused = { code: 'invalid', field: 'after' };
    await expect(ask('ann', { after })).rejects.toMatchObject(refused);
    await expect(ask('ben', { after, query: 'other' })).rejects.toMatchObject(refused);
    await expect(ask('ben', { after, permission: 'billing:pay:invoice' })).rejects.toMatchObject(refused);
  });

  test('a query that takes longer than what is granted is known', async () => {
    const { ask, clock } = await createList();
    const slow = async () => {
      clock.set(clock.now() + 60_000);
      return [];
    };
    await expect(ask('ann', { fetch: slow })).rejects.toMatchObject({
      code: 'stale',
      retryable: true,
    });
  });

  test('a query that does not begin after its place', async () => {
    const { ask } = await createList();
    const { cursor: after } = await ask('ann', { limit: 1 });
    const same = ask('ann', { after, fetch: async () => [ALL[5] as Row] });
    await expect(same).rejects.toMatchObject({ code: 'invalid', field: 'fetch' });
  });
});
