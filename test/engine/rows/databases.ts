import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
} from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, type BatchWriteCommandInput, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { PGlite } from '@electric-sql/pglite';
import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { Kysely, PostgresDialect, type SqlBool, sql } from 'kysely';
import sqlite from 'node-sqlite3-wasm';
import { ulid } from 'ulid';
import {
  defineRows,
  type Row,
  type Rows,
  type RowsQuestion,
  rowsInDynamoDb,
  sqlPage,
  taggedPage,
  texts,
} from '../../../engine/rows/index.ts';
import { compareBytes } from '../../../table/bytes.ts';
import { createClient } from '../../../table/dynamodb/client.ts';
import { rowsInMemory } from '../../../testing/rows-in-memory.ts';

/** The tables in which rows of `random-rows.ts` stand, each with the `fetch` of its pages. */
export interface Database {
  /** The rows as the database has them, if otherwise. */
  readonly definitionOf?: (rows: Rows) => Rows;
  /** Whether a list must name roots. */
  readonly withinRoots?: boolean;
  readonly fill: (rows: Rows, all: readonly Row[]) => Promise<void>;
  /** Its rows in the order of the list, where `fetch` cannot say. */
  readonly all?: () => Promise<readonly Row[]>;
  readonly fetch: RowsQuestion<Row>['fetch'];
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

/** One database, asked by text, and in turn by Kysely, by Drizzle and by text for what orders in another form. */
export async function inPostgres(): Promise<readonly Database[]> {
  const database = await PGlite.create();
  let of: Rows;
  const byText: Database = {
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
  const client = { query: (text: string, values: unknown[]) => database.query(text, values), release() {} };
  const pool = { connect: async () => client, end: async () => {} };
  const kysely = new Kysely<{ invoices: Row }>({ dialect: new PostgresDialect({ pool: pool as never }) });
  const drizzled = drizzle(database);
  const byKysely: Database['fetch'] = async (condition, after, count) => {
    const page = taggedPage(sql<SqlBool>, of, condition, after, count, { dialect: 'postgresql' });
    const query = kysely.selectFrom('invoices').selectAll().where(sql<SqlBool>`${0} = 0`).where(page.where);
    return query.orderBy(page.orderBy).limit(page.limit).execute();
  };
  const byDrizzle: Database['fetch'] = async (condition, after, count) => {
    const page = taggedPage(drizzleSql, of, condition, after, count, { dialect: 'postgresql' });
    const query = drizzleSql`SELECT * FROM invoices WHERE ${0} = 0 AND ${page.where}
      ORDER BY ${page.orderBy} LIMIT ${page.limit}`;
    return (await drizzled.execute<Row>(query)).rows;
  };
  const byCast: Database['fetch'] = async (condition, after, count) => {
    const columns = [COLUMNS.replace('rank', 'rank::text AS rank'), ...of.path.map(({ column }) => column)];
    const cast = (where: string): string => `SELECT ${columns.join(', ')} FROM invoices WHERE ${where}`;
    const options = { dialect: 'postgresql', select: cast, table: 'invoices' } as const;
    const { text, values } = sqlPage(of, condition, after, count, options);
    return (await database.query<Row>(text, [...values])).rows;
  };
  let asked = 0;
  const inTurn: Database = {
    fill: async () => {},
    fetch: (...page) => ([byKysely, byDrizzle, byCast][asked++ % 3] as typeof byCast)(...page),
    close: async () => {},
  };
  return [byText, inTurn];
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

/** A table with an index that has many equal sort keys in a partition. */
const TABLE = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    ...['pk', 'sk', 'list'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    { AttributeName: 'rank', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-rank',
      KeySchema: [
        { AttributeName: 'list', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
} as const satisfies Omit<CreateTableCommandInput, 'TableName'>;

/** An empty table with this schema. */
export async function createRowsTable(endpoint: string) {
  const client = createClient({ endpoint, requestTimeoutMs: 20_000 });
  const table = `rows-${ulid()}`;
  await client.send(new CreateTableCommand({ TableName: table, ...TABLE }));
  const write = async (requests: NonNullable<BatchWriteCommandInput['RequestItems']>[string]) => {
    for (let first = 0; first < requests.length; first += 25)
      await client.send(
        new BatchWriteCommand({ RequestItems: { [table]: requests.slice(first, first + 25) } }),
      );
  };
  const close = async () => {
    await client.send(new DeleteTableCommand({ TableName: table }));
  };
  return { client, table, write, close };
}

/** By its index; or by the keys of the table: a scope in two partitions, and the ids of scopes before what orders. */
export async function inDynamodb(endpoint: string, by: 'index' | 'table'): Promise<Database> {
  const { client, table, write, close } = await createRowsTable(endpoint);
  const [partition, sort, direction] =
    by === 'index' ? (['list', 'rank', 'desc'] as const) : (['pk', 'sk', 'asc'] as const);
  const index = by === 'index' ? 'by-rank' : undefined;
  let kept: readonly Row[] = [];
  let fetch: Database['fetch'];
  const absent = Object.fromEntries(COLUMNS.split(', ').map((name) => [name, null]));
  const columnOf = (rows: Rows) => rows.path.at(-1)?.column ?? rows.scope.column;
  return {
    withinRoots: true,
    definitionOf: ({ type, id, scope, path, properties }) =>
      defineRows({
        type,
        id,
        scope,
        // Some of these scopes are roots themselves: no column names every root.
        path: ['location', 'campus'].includes(scope.type) ? [] : path,
        properties: { ...properties, shared: texts('shared') },
        order: [{ column: sort, direction }],
        key: by === 'index' ? ['list', 'pk', 'sk'] : ['pk', 'sk'],
      }),
    fill: async (rows, all) => {
      await write(kept.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
      kept = all.map((row) => ({
        ...attributesOf(row),
        ...(row[columnOf(rows)] === null ? {} : { list: row[columnOf(rows)] }),
        pk: `${Number(row.id) % 2}#${row[columnOf(rows)]}`,
        sk: `${row[rows.scope.column]}#${row.rank}#${row.id}`,
      }));
      await write(kept.map((Item) => ({ PutRequest: { Item } })));
      fetch = rowsInDynamoDb(
        rows,
        by === 'index'
          ? {
              table,
              index,
              partition: { attribute: partition, column: columnOf(rows) },
              sort: { attribute: sort },
            }
          : {
              table,
              partition: { attribute: 'pk', column: columnOf(rows), keys: (id) => [`0#${id}`, `1#${id}`] },
              sort: { attribute: 'sk', column: rows.scope.column, keys: (id) => `${id}#` },
            },
        async (input) => (await client.send(new QueryCommand(input))) as object,
      );
    },
    all: async () => {
      const partitions = [
        ...new Set(kept.flatMap((row) => (row[partition] as string | undefined) ?? [])),
      ].sort();
      const found: Row[] = [];
      for (const key of partitions) {
        const { Items = [] } = await client.send(
          new QueryCommand({
            TableName: table,
            IndexName: index,
            KeyConditionExpression: '#p = :p',
            ExpressionAttributeNames: { '#p': partition },
            ExpressionAttributeValues: { ':p': key },
            ScanIndexForward: direction === 'asc',
          }),
        );
        found.push(...Items.map((item) => ({ ...absent, ...item })));
      }
      // Rows with equal sort keys stay as the partitions and the database have them.
      return by === 'index'
        ? found.sort((a, b) => Number(b.rank) - Number(a.rank))
        : found.sort((a, b) => compareBytes(String(a.sk), String(b.sk)));
    },
    fetch: (...page) => fetch(...page),
    close,
  };
}

/** What an item can hold: lists as lists and sets, no attribute or NULL for what is missing or no number. */
function attributesOf(row: Row): Row {
  const said = Object.entries(row).map(([name, value]): [string, unknown] => {
    if (name === 'shared' && String(value).startsWith('[')) {
      const list = JSON.parse(value as string) as readonly string[];
      return [name, list.length > 1 ? new Set(list) : list];
    }
    if (typeof value === 'string') return [name, value.toWellFormed()];
    if (typeof value !== 'number') return [name, value];
    if (Number.isNaN(value) || Math.abs(value) > 1e100) return [name, null];
    return [name, Math.abs(value) > Number.MAX_SAFE_INTEGER ? BigInt(value) : value];
  });
  return Object.fromEntries(said.filter(([name, value]) => value !== null || name === 'amount'));
}
