import { PGlite } from '@electric-sql/pglite';
import sqlite from 'node-sqlite3-wasm';
import { type Row, type RowCondition, type Rows, rowsInMemory, sqlPage } from '../../../engine/rows/index.ts';

/** The tables in which rows of `random-rows.ts` stand, each with the `fetch` of its pages. */
export interface Database {
  /** Rows as the database keeps and answers them. */
  readonly fill: (rows: Rows, all: readonly Row[]) => Promise<void>;
  readonly fetch: (
    condition: RowCondition,
    after: Parameters<ReturnType<typeof rowsInMemory>>[1],
    count: number,
  ) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

const select = (where: string): string => `SELECT * FROM invoices WHERE ${where}`;
const COLUMNS = 'id, rank, scope_id, owner, amount, share, is_open, paid_at, shared';

export function inMemory(): Database {
  let fetch: Database['fetch'] = async () => [];
  return {
    fill: async (rows, all) => {
      fetch = rowsInMemory(rows, () => all);
    },
    fetch: (...page) => fetch(...page),
    close: async () => {},
  };
}

export async function inSqlite(): Promise<Database> {
  const database = new sqlite.Database(':memory:');
  let of: Rows;
  return {
    fill: async (rows, all) => {
      of = rows;
      database.exec('DROP TABLE IF EXISTS invoices');
      const path = rows.path.map(({ column }) => `, ${column} TEXT`).join('');
      database.exec(
        `CREATE TABLE invoices (id TEXT PRIMARY KEY, rank INTEGER, scope_id TEXT, owner, amount INTEGER, share REAL, is_open INTEGER, paid_at TEXT, shared TEXT${path})`,
      );
      const names = [...COLUMNS.split(', '), ...rows.path.map(({ column }) => column)];
      const statement = `INSERT INTO invoices (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
      for (const row of all) database.run(statement, names.map((name) => storable(row[name])) as string[]);
    },
    fetch: async (condition, after, count) => {
      const { text, values } = sqlPage(of, condition, after, count, { dialect: 'sqlite', select });
      return database.all(text, values as string[]) as Row[];
    },
    close: async () => database.close(),
  };
}

/** SQLite has no NaN: it becomes NULL. Its texts are UTF-8, without NUL here. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', ' ') : Number.isNaN(value) ? null : value;

export async function inPostgres(): Promise<Database> {
  const database = await PGlite.create();
  let of: Rows;
  return {
    fill: async (rows, all) => {
      of = rows;
      await database.exec('DROP TABLE IF EXISTS invoices');
      const path = rows.path.map(({ column }) => `, ${column} TEXT`).join('');
      await database.exec(
        `CREATE TABLE invoices (id TEXT PRIMARY KEY, rank INTEGER, scope_id TEXT, owner TEXT, amount BIGINT, share FLOAT8, is_open INTEGER, paid_at TEXT, shared TEXT${path})`,
      );
      const names = [...COLUMNS.split(', '), ...rows.path.map(({ column }) => column)];
      const statement = `INSERT INTO invoices (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`;
      for (const row of all)
        await database.query(
          statement,
          names.map((name) => typed(name, row[name])),
        );
    },
    fetch: async (condition, after, count) => {
      const { text, values } = sqlPage(of, condition, after, count, { dialect: 'postgresql', select });
      return (await database.query<Row>(text, [...values])).rows;
    },
    close: () => database.close(),
  };
}

/** A value that a column of PostgreSQL takes; others are NULL. */
function typed(name: string, value: unknown): unknown {
  if (name === 'amount') return Number.isInteger(value) ? value : null;
  if (name === 'share') return typeof value === 'number' ? value : null;
  return typeof value === 'string'
    ? value.toWellFormed().replaceAll('\0', ' ')
    : typeof value === 'number' && name === 'owner'
      ? String(value)
      : value;
}
