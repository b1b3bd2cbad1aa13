import { type Codec, type Stored, TEXTS, TEXTS_AS_JSON } from './codecs.ts';
import { and, type RowCondition } from './condition.ts';
import type { Column, OrderColumn, Rows } from './define-rows.ts';
import type { Place, PlaceValue } from './row-place.ts';

export interface SqlOptions {
  readonly dialect: 'postgresql' | 'sqlite';
  /** The application's query with a condition in it, which stands in parentheses; without ORDER BY and LIMIT. */
  readonly select: (where: string) => string;
  /** The values of the query's own parameters, which come first. */
  readonly values?: readonly unknown[] | undefined;
  /**
   * The table's name or alias in the query. Name it where the query selects a column of `rows` in another form, or joins
   * a table that has such a column too: all scopes are then asked for together.
   */
  readonly table?: string | undefined;
}

/** A query with numbered parameters, and their values. */
export interface SqlPage {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The most scopes that are each asked for by a query of their own. */
const MAX_BRANCHES = 50;

/**
 * What `fetch` gets, as a query of SQL: parameters are `$1` for PostgreSQL, `?1` for SQLite. MySQL folds case and accents
 * and converts what it compares, so it is no dialect here.
 *
 * Where a column names several scopes, each is asked for apart, and the answers are joined: an index on that column and
 * the order answers each without looking at more than a page. They are joined in the order of what is selected: that must
 * be the columns themselves.
 */
export function sqlPage(
  rows: Pick<Rows, 'order' | 'key' | 'scope' | 'path'>,
  condition: RowCondition,
  after: Place | undefined,
  count: number,
  { dialect, select, values: own = [], table }: SqlOptions,
): SqlPage {
  const values: unknown[] = [...own];
  const write = writer(rows, { dialect, table }, (value) => {
    values.push(value);
    return (dialect === 'postgresql' ? '$' : '?') + values.length;
  });
  const orderIn = (name?: (column: string) => string): string =>
    ` ORDER BY ${write.orderBy(name)} LIMIT ${count}`;
  const { scopes, rest } =
    table === undefined ? scopesApart(rows, condition) : { scopes: undefined, rest: condition };
  const common = [
    ...(scopes && rest.kind === 'everything' ? [] : [write.conditionOf(rest)]),
    ...(after === undefined ? [] : [write.after(after)]),
  ];
  const branches = (scopes?.values ?? [undefined]).map((value) => {
    const parts = scopes && value !== undefined ? [write.oneOf(scopes.column, [value]), ...common] : common;
    return select(parts.length === 1 ? (parts[0] as string) : `(${parts.join(' AND ')})`) + orderIn();
  });
  const [only] = branches;
  const text =
    branches.length === 1
      ? (only as string)
      : branches.map((branch, n) => `SELECT * FROM (${branch}) AS branch_${n}`).join(' UNION ALL ') +
        orderIn(quoted);
  return { text, values };
}

/** A function for templates, as `sql` of Kysely and of Drizzle: texts, and values that become parameters. */
export type SqlTag<T> = (texts: TemplateStringsArray, ...values: (Stored | PlaceValue)[]) => T;

/**
 * What `fetch` gets, for query builders, in one query: their own function makes `where` and `orderBy`, which are put
 * behind what the application asks for.
 */
export function taggedPage<T>(
  sql: SqlTag<T>,
  rows: Pick<Rows, 'order' | 'key'>,
  condition: RowCondition,
  after: Place | undefined,
  count: number,
  options: Pick<SqlOptions, 'dialect' | 'table'>,
): { readonly where: T; readonly orderBy: T; readonly limit: number } {
  const values: (Stored | PlaceValue)[] = [];
  // NUL stands around the position of a value: no name and no text of the query has one.
  const {
    conditionOf,
    after: isAfter,
    orderBy,
  } = writer(rows, options, (value) => {
    values.push(value);
    return `\0${values.length - 1}\0`;
  });
  const tagged = (text: string): T => {
    const parts = text.split('\0');
    const texts = parts.filter((_, position) => position % 2 === 0);
    const of = parts.flatMap((part, position) => (position % 2 ? [values[Number(part)] as Stored] : []));
    return sql(Object.assign([...texts], { raw: texts }), ...of);
  };
  const where = conditionOf(condition);
  const rest = after === undefined ? where : `(${where} AND ${isAfter(after)})`;
  return { where: tagged(rest), orderBy: tagged(orderBy()), limit: count };
}

/** @param parameter what stands in the text for a value */
function writer(
  rows: Pick<Rows, 'order' | 'key'>,
  { dialect, table }: Pick<SqlOptions, 'dialect' | 'table'>,
  parameter: (value: Stored | PlaceValue) => string,
) {
  const isPostgres = dialect === 'postgresql';
  const nameOf = (column: string): string =>
    (table === undefined ? '' : `${quoted(table)}.`) + quoted(column);
  /** A value beside a column, as one of the column's own type. */
  const valueFor = ({ type }: Codec, value: Stored): string =>
    parameter(value) + (isPostgres ? castOf(type, value) : '');

  function conditionOf(part: RowCondition): string {
    switch (part.kind) {
      case 'never':
        return '(1 = 0)';
      case 'everything':
        return '(1 = 1)';
      case 'and':
      case 'or':
        return balanced(part.parts.map(conditionOf), part.kind === 'and' ? ' AND ' : ' OR ');
      case 'equals':
        return oneOf(part.column, [part.value]);
      case 'oneOf':
        return oneOf(part.column, part.values);
      case 'contains':
        return contains(part.column, part.value);
      case 'range':
        return range(part);
    }
  }

  function oneOf({ name, codec }: Column, all: readonly Stored[]): string {
    if (!isPostgres && all.some(hasNul)) return '(1 = 1)';
    const storable = all.filter(isStorable);
    if (storable.length === 0) return '(1 = 0)';
    return `(${nameOf(name)} IN (${storable.map((value) => valueFor(codec, value)).join(', ')}))`;
  }

  function contains({ name, codec }: Column, value: string): string {
    const isSaid = codec === (isPostgres ? TEXTS : TEXTS_AS_JSON) && !(hasNul(value) && !isPostgres);
    if (!isSaid) return '(1 = 1)';
    if (!isStorable(value)) return '(1 = 0)';
    if (isPostgres) return `(${parameter(value)}::text = ANY(${nameOf(name)}))`;
    const entries = `SELECT 1 FROM json_each(${nameOf(name)}) WHERE value = ${parameter(value)}`;
    return `(CASE WHEN json_valid(${nameOf(name)}) THEN EXISTS (${entries}) ELSE 0 END)`;
  }

  function range({ column: { name, codec }, from, to }: Extract<RowCondition, { kind: 'range' }>): string {
    // Texts of times have their order by code unit alone.
    const collation = typeof (from ?? to) === 'string' ? ` COLLATE ${isPostgres ? '"C"' : 'BINARY'}` : '';
    const column = nameOf(name) + collation;
    const bounds = [
      ...(from === undefined ? [] : [`${column} >= ${valueFor(codec, from)}`]),
      ...(to === undefined ? [] : [`${column} <= ${valueFor(codec, to)}`]),
    ];
    return `(${bounds.join(' AND ')})`;
  }

  const ordered: readonly OrderColumn[] = [
    ...rows.order,
    ...rows.key.map((column) => ({ column, direction: 'asc' as const })),
  ];

  function isAfter(columns: readonly OrderColumn[], place: Place): string {
    const [{ column, direction }, ...others] = columns as [OrderColumn, ...OrderColumn[]];
    const operator = direction === 'asc' ? '>' : '<';
    const value = place[column] as PlaceValue;
    const beyond = `${nameOf(column)} ${operator} ${parameter(value)}`;
    if (others.length === 0) return `(${beyond})`;
    const bound = `${nameOf(column)} ${operator}= ${parameter(value)}`;
    const same = `${nameOf(column)} = ${parameter(value)}`;
    // The bound alone says nothing more, but an index begins there.
    return `(${bound} AND (${beyond} OR (${same} AND ${isAfter(others, place)})))`;
  }

  const orderBy = (name = nameOf): string =>
    ordered.map(({ column, direction }) => `${name(column)} ${direction.toUpperCase()}`).join(', ');
  const after = (place: Place): string => isAfter(ordered, place);
  return { conditionOf, oneOf, after, orderBy };
}

/** The scopes that a condition names by one column, where it names several, and what else it says. */
function scopesApart({ scope, path }: Pick<Rows, 'scope' | 'path'>, condition: RowCondition) {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  const columns = new Set([scope, ...path].map(({ column }) => column));
  for (const part of parts)
    if (part.kind === 'oneOf' && columns.has(part.column.name) && part.values.length <= MAX_BRANCHES)
      return { scopes: part, rest: and(parts.filter((other) => other !== part)) };
  return { scopes: undefined, rest: condition };
}

const quoted = (name: string): string => `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;

/** Deep by the logarithm of their number: SQLite takes 1,000 levels. */
function balanced(parts: readonly string[], operator: string): string {
  if (parts.length === 1) return parts[0] as string;
  const middle = Math.ceil(parts.length / 2);
  return `(${balanced(parts.slice(0, middle), operator)}${operator}${balanced(parts.slice(middle), operator)})`;
}

const castOf = (type: Codec['type'], value: Stored): string => {
  if (value instanceof Date) return '::timestamptz';
  if (type === 'double') return '::float8';
  // Of a text the database knows the type from the column.
  return typeof value === 'number' ? '::bigint' : '';
};

/** A text with NUL: PostgreSQL has none, SQLite's drivers cut it. */
const hasNul = (value: Stored): boolean => typeof value === 'string' && value.includes('\0');

/** Whether a database can hold it at all: what it cannot hold equals nothing. */
const isStorable = (value: Stored): boolean =>
  typeof value !== 'string' || (value.isWellFormed() && !hasNul(value));
