import { describe, expect, test } from 'vitest';
import {
  createVisibleRows,
  defineRows,
  double,
  int,
  type Row,
  type RowCondition,
  type RowsDefinition,
  type RowsQuestion,
  sqlPage,
  text,
  texts,
  time,
} from '../../../engine/rows/index.ts';
import { testEngine } from '../../../testing/index.ts';
import { rowsInMemory } from '../../../testing/rows-in-memory.ts';
import { withEveryone } from '../../support/everyone.ts';
import { watchReads } from '../../support/watched-reader.ts';

/** Pages of an application's rows: what a caller gets, and what it cannot get wrong in silence. */
const SECRET = 'cursors of tests are encrypted with this';
const MANIFEST = `
permissions: ["billing:read:invoice", "billing:pay:invoice"]
properties:
  - { of: "resource:invoice", name: owner, type: string, source: passed }
  - { of: "resource:invoice", name: amount, type: int, source: passed }
  - { of: "resource:invoice", name: tags, type: "list<string>", source: passed }
  - { of: "resource:project", name: kind, type: string, source: stored }
scopes:
  acme: { id: acme, type: client }
  north: { id: north, type: project, parent: acme, properties: { kind: open } }
  south: { id: south, type: project, parent: acme }
  west: { id: west, type: project, parent: acme }
roles:
  tagged:
    owner: acme
    allow:
      - { permission: "billing:read:invoice", when: "resource.properties.tags.exists(x, resource.properties.tags.all(y, size(y) > 0 && y != 'none'))" }
  stored:
    owner: acme
    allow: [{ permission: "billing:read:invoice", when: resource.properties.kind == "open" }]
  reader: { owner: acme, allow: ["billing:read:invoice"] }
  owner:
    owner: acme
    allow:
      - { permission: "billing:read:invoice", when: resource.properties.owner == subject.id }
      - { permission: "billing:pay:invoice", when: resource.properties.owner == subject.id && resource.properties.amount < 100 }
users:
  ann: { id: ann, assignments: [{ role: reader, scope: north }] }
  ben: { id: ben, assignments: [{ role: owner, scope: acme }] }
  cat: { id: cat, assignments: [{ role: owner, scope: north }, { role: owner, scope: south }, { role: reader, scope: west }] }
  eve: { id: eve, assignments: [{ role: tagged, scope: acme }] }
  dan: { id: dan, assignments: [{ role: stored, scope: acme }] }
`;
const DEFINITION: RowsDefinition = {
  type: 'invoice',
  id: 'id',
  scope: { column: 'project', type: 'project' },
  path: [{ column: 'client', type: 'client' }],
  properties: { owner: text('owner'), amount: int('amount') },
  order: [{ column: 'at', direction: 'desc' }],
  key: ['id'],
};
const INVOICES = defineRows(DEFINITION);
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

async function createList(all: readonly Row[] = ALL, manifest = MANIFEST, everyoneAt?: readonly string[]) {
  const { engine, reader, clock, command, ref, id } = await testEngine(manifest);
  const pages: { looked: number; dropped: number }[] = [];
  let calls = 0;
  const visibleRows = createVisibleRows({
    reader: watchReads(everyoneAt ? withEveryone(reader, everyoneAt).reader : reader, () => void calls++),
    engine,
    clock,
    cursorSecret: SECRET,
    observe: (page) => {
      pages.push(page);
      throw new Error('what an observer throws is dropped');
    },
  });
  const conditions: RowCondition[] = [];
  const ask = (name: string, { rows = INVOICES, ...more }: Partial<RowsQuestion<Row>> = {}) =>
    visibleRows({
      subject: ref(name),
      permission: 'billing:read:invoice',
      rows,
      fetch: (condition, after, count) => {
        conditions.push(condition);
        return rowsInMemory(rows, () => all)(condition, after, count);
      },
      ...more,
    });
  return { ask, calls: () => calls, clock, command, conditions, id, pages };
}

const idsOf = ({ rows }: { readonly rows: readonly Row[] }) => rows.map(({ id }) => id);
const sqlOf = (condition: RowCondition | undefined) => {
  const select = (where: string) => where;
  const options = { dialect: 'sqlite', select } as const;
  const { text, values } = sqlPage(INVOICES, condition as RowCondition, undefined, 1, options);
  return text
    .replace(/ ORDER BY .*/, '')
    .replaceAll(/\?(\d+)/g, (_, number) => JSON.stringify(values[Number(number) - 1]));
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
    expect(await ask('ann', { permission: 'billing:pay:invoice' })).toEqual({ rows: [], also: [] });
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

  test('within roots, shows the same whatever is granted elsewhere', async () => {
    const elsewhere = Array.from({ length: 1_001 }, (_, n) => `location:l${n}`);
    const { ask } = await createList(ALL, MANIFEST, elsewhere);
    expect(idsOf(await ask('ann', { within: new Set(['client:acme']) }))).toEqual([6, 3, 1]);
    await expect(ask('ann')).rejects.toMatchObject({ code: 'limit_exceeded', field: 'within' });
  });
});

test('a page ends where the budget of conditions does, and the next one goes on', async () => {
  const tagged = defineRows({ ...DEFINITION, properties: { tags: texts('tags') } });
  const tags = Array.from({ length: 20 }, (_, position) => `t${position}`);
  // The first one cannot be evaluated, whatever is left of the budget.
  const all = Array.from({ length: 60 }, (_, position) => ({
    ...invoice(1, 'north', 'eve'),
    id: position,
    tags: position === 0 ? null : tags,
  }));
  const { ask } = await createList(all);
  const found: unknown[] = [];
  let pages = 0;
  for (let after: string | undefined; pages === 0 || after !== undefined; pages++) {
    const page = await ask('eve', { rows: tagged, after, limit: 50 });
    found.push(...idsOf(page));
    after = page.cursor;
    expect(pages).toBeLessThan(60);
  }
  expect(found).toEqual(all.slice(1).map(({ id }) => id));
  expect(pages).toBeGreaterThan(2);
});

test('a declared double orders a list, however large', async () => {
  const shares = [1e300, 2 ** 60, 2 ** 53, 0.5];
  const all = shares.map((share, id) => ({ ...invoice(id, 'north', 'ann'), share }));
  const { ask } = await createList(all);
  const properties = { share: double('share') };
  const rows = defineRows({ ...DEFINITION, properties, order: [{ column: 'share', direction: 'desc' }] });
  const { cursor: after } = await ask('ann', { rows, limit: 2 });
  expect(idsOf(await ask('ann', { rows, after }))).toEqual([2, 3]);
  const endless = all.map((row) => ({ ...row, share: Number.POSITIVE_INFINITY }));
  await expect(ask('ann', { rows, fetch: async () => endless })).rejects.toMatchObject({
    field: 'row.share',
  });
});

test('what some grants have in common does not narrow the others', async () => {
  const all = [invoice(1, 'north', 'cat'), invoice(2, 'south', 'ben'), invoice(3, 'west', 'ben')];
  const { ask } = await createList(all);
  expect(idsOf(await ask('cat'))).toEqual([3, 1]);
});

test('a row that is its scope has the stored properties, whatever its columns say', async () => {
  const projects = defineRows({
    type: 'project',
    id: 'id',
    scope: { column: 'id', type: 'project' },
    properties: { kind: text('kind') },
    key: ['id'],
  });
  const all = [
    { id: 'north', kind: null },
    { id: 'south', kind: 'open' },
  ];
  const { ask } = await createList(all);
  expect(idsOf(await ask('dan', { rows: projects }))).toEqual(['north']);
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
    ['roots that are no set', { within: ['client:acme'] as never }, 'within'],
    ['a cursor that it did not make', { after: 'eyJhIjoxfQ' }, 'after'],
    ['a query that answers too much', { fetch: async () => [...ALL, ...ALL], limit: 1 }, 'fetch'],
    ['a row without a column', { fetch: async () => [{ id: 1, at: 'x' }] }, 'row.project'],
    ['a row without an id', { fetch: async () => [{ ...ALL[0], id: null }] }, 'row.id'],
    [
      'a number as a place that may be rounded',
      { fetch: async () => [{ ...ALL[0], at: 2 ** 53 }] },
      'row.at',
    ],
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
    await expect(ask('ann', { fetch: slow })).rejects.toMatchObject({ code: 'stale', retryable: true });
  });

  test('a query that does not begin after its place', async () => {
    const { ask } = await createList();
    const { cursor: after } = await ask('ann', { limit: 1 });
    const same = ask('ann', { after, fetch: async () => [ALL[5] as Row] });
    await expect(same).rejects.toMatchObject({ code: 'invalid', field: 'fetch' });
  });
});

test('rows in memory hold numbers as their driver gives them', async () => {
  const { ask } = await createList(ALL.map((row) => ({ ...row, amount: String(row.amount) })));
  const properties = { ...DEFINITION.properties, amount: int('amount', 'text') };
  const rows = defineRows({ ...DEFINITION, properties });
  expect(idsOf(await ask('ben', { rows, permission: 'billing:pay:invoice' }))).toEqual([2]);
});

test('a column of times is narrowed by times alone: a bound of another type says nothing', () => {
  const span = time('at').codec.span;
  expect(span?.(new Date(5), undefined)).toEqual({ from: new Date(5), to: undefined });
  for (const other of [5, 'x', true])
    expect([span?.(other, undefined), span?.(undefined, other)]).toEqual([undefined, undefined]);
});

test('where the table maps the resource type to scopes, another scope of a row is a fault', async () => {
  const { ask, command } = await createList();
  await command('resource-type.create', { name: 'invoice', scope: 'project:{at}' });
  const rows = defineRows({ ...DEFINITION, properties: { ...DEFINITION.properties, at: text('project') } });
  expect(idsOf(await ask('ann', { rows }))).toEqual([6, 3, 1]);
  const fault = { code: 'invalid', field: 'rows.scope' };
  const other = defineRows({ ...DEFINITION, properties: { at: text('client') } });
  await expect(ask('ann', { rows: other })).rejects.toMatchObject(fault);
  await expect(ask('ann')).rejects.toMatchObject(fault);
});

test('a page takes 1,000 Queries for scopes below others; what they do not reach is not narrowed', async () => {
  const projects = Array.from({ length: 51 }, (_, n) => `p${n}`);
  const buildings = projects.flatMap((parent) => Array.from({ length: 20 }, (_, n) => ({ parent, n })));
  const { ask, calls, conditions } = await createList(
    [],
    `
permissions: ["billing:read:invoice"]
scopes:
  acme: { id: acme, type: client }
${projects.map((id) => `  ${id}: { type: project, parent: acme }`).join('\n')}
${buildings.map(({ parent, n }) => `  ${parent}-${n}: { type: building, parent: ${parent} }`).join('\n')}
roles: { reader: { owner: acme, allow: ["billing:read:invoice"] } }
users: { ann: { assignments: [${projects.map((scope) => `{ role: reader, scope: ${scope} }`)}] } }
`,
  );
  const scope = { column: 'device', type: 'device' };
  const rows = defineRows({ ...DEFINITION, scope, path: [] });
  await ask('ann', { rows });
  expect(conditions.map(({ kind }) => kind)).toEqual(['everything']);
  expect(calls()).toBeLessThan(1_000 + 2 * projects.length);
  // The rest, with what is kept.
  await ask('ann', { rows });
  expect(conditions).toHaveLength(1);
});

test('the next pages of anybody ask the table for nothing, and a new scope is found after half a minute', async () => {
  const all = [invoice(1, 'north', 'ben'), invoice(2, 'south', 'ben'), invoice(3, 'east', 'ben')];
  const { ask, calls, clock, command } = await createList(all);
  const rows = defineRows({ ...DEFINITION, path: [] });
  const ids = async () => idsOf(await ask('ben', { rows }));
  expect(await ids()).toEqual([2, 1]);
  const before = calls();
  expect(before).toBeGreaterThan(0);
  await command('project.create', { id: 'east', name: 'East', parent: 'client:acme' });
  expect(await ids()).toEqual([2, 1]);
  expect(calls()).toBe(before);
  clock.advance(30_001);
  expect(await ids()).toEqual([3, 2, 1]);
});

/** An instant as its column keeps it. */
const KEPT = {
  date: (at: number) => new Date(at),
  number: Number,
  text: (at: number) => new Date(at).toISOString(),
};

test.each(
  (['date', 'number', 'text'] as const).flatMap((as) => [
    { as, instant: '2026-01-01T00:00:00.001Z', beside: [-1, 0, 1, 2], narrowed: 3 },
    // The last one that a text has.
    { as, instant: '9999-12-31T23:59:59.999Z', beside: [-1, 0], narrowed: 2 },
  ]),
)('instants that a column keeps as $as narrow it: $instant', async ({ as, instant, beside, narrowed }) => {
  const allowed = (operator: string, name: string) =>
    `{ permission: "paid:${name}:invoice", when: 'resource.properties.paidAt ${operator} timestamp("${instant}")' }`;
  const all = beside.map((id) => ({
    id: String(id),
    client: 'acme',
    at: KEPT[as](Date.parse(instant) + id),
  }));
  const { ask, pages } = await createList(
    all,
    `
permissions: ["paid:since:invoice", "paid:before:invoice", "paid:at:invoice"]
properties: [{ of: "resource:invoice", name: paidAt, type: timestamp, source: passed }]
scopes: { acme: { id: acme, type: client } }
roles:
  reader: { owner: acme, allow: [${allowed('>=', 'since')}, ${allowed('<', 'before')}, ${allowed('==', 'at')}] }
users: { ann: { id: ann, assignments: [{ role: reader, scope: acme }] } }
`,
  );
  const properties = { paidAt: time('at', as) };
  const scope = { column: 'client', type: 'client' };
  const rows = defineRows({ type: 'invoice', id: 'id', scope, path: [], properties, key: ['id'] });
  for (const [name, ids] of [
    ['since', beside.slice(1).map(String)],
    ['before', ['-1']],
    ['at', ['0']],
  ] as const)
    expect(idsOf(await ask('ann', { permission: `paid:${name}:invoice`, rows }))).toEqual(ids);
  expect(pages.filter(({ looked }) => looked < all.length)).toHaveLength(narrowed);
});
