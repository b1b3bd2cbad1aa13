import { PGlite } from '@electric-sql/pglite';
import { afterAll, describe, expect, test } from 'vitest';
import { defineRows, type Row, sqlPage, text } from '../../../engine/rows/index.ts';

/** What a page of PostgreSQL reads where an index on scope and order exists: no more than a page for each scope. */
const INVOICES = defineRows({
  type: 'invoice',
  id: 'id',
  scope: { column: 'project_id', type: 'project' },
  path: [{ column: 'client_id', type: 'client' }],
  order: [{ column: 'created_at', direction: 'desc' }],
  key: ['id'],
});
const ROWS = Number(process.env.ROWS ?? 20_000);
const PAGE = 51;

const database: PGlite = await PGlite.create();
await database.exec(`
    CREATE TABLE invoices (id TEXT PRIMARY KEY, project_id TEXT, client_id TEXT, created_at TEXT, status TEXT);
    INSERT INTO invoices
      SELECT 'i' || n, 'p' || n % 100, 'c' || n % 10, to_char(10000000 + n / 2, 'FM00000000'), 'open'
      FROM generate_series(1, ${ROWS}) AS n;
    CREATE INDEX by_project ON invoices (project_id, created_at DESC, id);
    CREATE INDEX by_client ON invoices (client_id, created_at DESC, id);
    ANALYZE invoices;`);

afterAll(() => database.close());

const queryOf = (column: string, scopes: readonly string[], after?: Row) =>
  sqlPage(
    INVOICES,
    { kind: 'oneOf', column: text(column), values: scopes },
    after && { created_at: String(after.created_at), id: String(after.id) },
    PAGE,
    {
      dialect: 'postgresql',
      select: (where) => `SELECT * FROM invoices WHERE status = $1 AND ${where}`,
      values: ['open'],
    },
  );

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The rows of the table that a query looks at. */
async function rowsRead({ text, values }: ReturnType<typeof queryOf>): Promise<number> {
  const explained = await database.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    [...values],
  );
  const read = (node: PlanNode): number =>
    (node['Relation Name'] ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0) +
    (node.Plans ?? []).reduce((sum, each) => sum + read(each), 0);
  return read(explained.rows[0]?.['QUERY PLAN'][0].Plan as PlanNode);
}

describe.each([
  { column: 'client_id', scopes: ['c7'] },
  { column: 'project_id', scopes: ['p1', 'p2', 'p3'] },
  { column: 'project_id', scopes: Array.from({ length: 50 }, (_, n) => `p${2 * n}`) },
])('$column of $scopes.length', ({ column, scopes }) => {
  const pageAfter = async (after?: Row) => {
    const query = queryOf(column, scopes, after);
    const { rows } = await database.query<Row>(query.text, [...query.values]);
    return { rows, read: await rowsRead(query) };
  };
  /** By the database itself, without a page. */
  const everything = async () => {
    const names = scopes.map((scope) => `'${scope}'`).join();
    const order = 'ORDER BY created_at DESC, id';
    return (
      await database.query<Row>(`SELECT * FROM invoices WHERE ${column} IN (${names}) ${order} LIMIT 102`)
    ).rows;
  };

  test('the first page, and the one after it, read a page of each scope', async () => {
    const first = await pageAfter();
    const second = await pageAfter(first.rows.at(-1));
    expect([...first.rows, ...second.rows]).toEqual(await everything());
    expect(first.read).toBeLessThanOrEqual(scopes.length * PAGE);
    expect(second.read).toBeLessThanOrEqual(scopes.length * (PAGE + 1));
  });

  test('a page in the middle of the list reads no more', async () => {
    const middle = { created_at: String(10_000_000 + ROWS / 4), id: 'i0' };
    expect((await pageAfter(middle)).read).toBeLessThanOrEqual(scopes.length * (PAGE + 2));
  });
});
