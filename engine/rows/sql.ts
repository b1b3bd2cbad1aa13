import { type Codec, type Stored, TEXTS, TEXTS_AS_JSON } from './codecs.ts';
import type { RowCondition } from './condition.ts';
import type { Column, OrderColumn, Rows } from './define-rows.ts';
import type { Place, PlaceValue } from './row-place.ts';

export interface SqlOptions {
  readonly dialect: 'postgresql' | 'sqlite';
  /** The number of the first parameter. Default 1. */
  readonly first?: number | undefined;
  /** The table's name or alias in the query. Name it where the query selects a column of `rows` in another form. */
  readonly table?: string | undefined;
}

/** The parts of a query for one page, to be put behind the application's own. */
export interface SqlPage {
  /** In parentheses: `WHERE status = $1 AND ${where}`. */
  readonly where: string;
  readonly orderBy: string;
  readonly limit: number;
  /** In the order of their numbers. */
  readonly values: readonly (Stored | PlaceValue)[];
}

/**
 * What `fetch` gets, as SQL with numbered parameters: `$1` for PostgreSQL, `?1` for SQLite. MySQL folds case and accents
 * and converts what it compares, so it is no dialect here.
 */
export function sqlPage(
  rows: Pick<Rows, 'order' | 'key'>,
  condition: RowCondition,
  after: Place | undefined,
  count: number,
  { dialect, first = 1, table }: SqlOptions,
): SqlPage {
  const isPostgres = dialect === 'postgresql';
  const values: (Stored | PlaceValue)[] = [];
  const nameOf = (column: string): string =>
    (table === undefined ? '' : `${quoted(table)}.`) + quoted(column);
  const parameter = (value: Stored | PlaceValue): string => {
    values.push(value);
    return (isPostgres ? '$' : '?') + (first + values.length - 1);
  };
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
    return `(${beyond} OR (${nameOf(column)} = ${parameter(value)} AND ${isAfter(others, place)}))`;
  }

  const where = conditionOf(condition);
  return {
    where: after === undefined ? where : `(${where} AND ${isAfter(ordered, after)})`,
    orderBy: ordered
      .map(({ column, direction }) => `${nameOf(column)} ${direction.toUpperCase()}`)
      .join(', '),
    limit: count,
    values,
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

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
