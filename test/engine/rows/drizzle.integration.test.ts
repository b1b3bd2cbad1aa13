import { PGlite } from '@electric-sql/pglite';
import { and, eq, sql } from 'drizzle-orm';
import { integer, pgTable, text as textColumn } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { afterAll, expect, test } from 'vitest';
import { createVisibleRows, defineRows, taggedPage, text } from '../../../engine/rows/index.ts';
import { testEngine } from '../../../testing/test-engine.ts';

const MANIFEST = `
permissions: [billing:read:invoice]
properties:
  - { of: "resource:invoice", name: owner, type: string, source: passed }
scopes:
  acme: { id: acme, type: client }
  north: { id: north, type: project, parent: acme }
  south: { id: south, type: project, parent: acme }
roles:
  reader: { owner: acme, allow: [billing:read:invoice] }
  owner: { owner: acme, allow: [{ permission: billing:read:invoice, when: resource.properties.owner == subject.id }] }
users:
  ann: { id: ann, assignments: [{ role: reader, scope: north }, { role: owner, scope: acme }] }
`;

const invoices = defineRows({
  type: 'invoice',
  id: 'id',
  scope: { column: 'project_id', type: 'project' },
  properties: { owner: text('owner') },
  order: [{ column: 'rank', direction: 'desc' }],
  key: ['id'],
});

const table = pgTable('invoices', {
  id: textColumn('id').primaryKey(),
  project_id: textColumn('project_id'),
  owner: textColumn('owner'),
  status: textColumn('status'),
  rank: integer('rank').notNull(),
});

const postgres = await PGlite.create();
afterAll(() => postgres.close());

test('a list over Drizzle: its own query, narrowed, page by page', async () => {
  await postgres.exec(
    'CREATE TABLE invoices (id TEXT PRIMARY KEY, project_id TEXT, owner TEXT, status TEXT, rank INTEGER)',
  );
  const database = drizzle(postgres);
  await database.insert(table).values(
    Array.from({ length: 24 }, (_, n) => ({
      id: `i${n}`,
      project_id: n % 2 ? 'north' : 'south',
      owner: n % 3 ? "o'neil" : 'ann',
      status: n % 4 < 2 ? 'open' : 'paid',
      rank: n % 5,
    })),
  );
  const { engine, reader, clock } = await testEngine(MANIFEST);
  const visibleRows = createVisibleRows({ reader, engine, clock, cursorSecret: 'x'.repeat(32) });
  const asked: string[] = [];
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await visibleRows({
      subject: 'user:ann',
      permission: 'billing:read:invoice',
      rows: invoices,
      limit: 3,
      after,
      fetch: async (condition, place, count) => {
        const { where, orderBy, limit } = taggedPage(sql, invoices, condition, place, count, {
          dialect: 'postgresql',
        });
        const query = database
          .select()
          .from(table)
          .where(and(eq(table.status, 'open'), where));
        asked.push(query.toSQL().sql);
        return query.orderBy(orderBy).limit(limit);
      },
    });
    found.push(...page.rows.map(({ id }) => id));
    after = page.cursor;
  } while (after);
  const { rows: expected } = await postgres.query<{ id: string }>(
    `SELECT id FROM invoices WHERE status = 'open' AND (project_id = 'north' OR owner = 'ann') ORDER BY rank DESC, id`,
  );
  expect(found).toEqual(expected.map(({ id }) => id));
  expect(asked.length).toBeGreaterThan(1);
  for (const each of asked) expect(each).toContain('"owner" IN');
});
