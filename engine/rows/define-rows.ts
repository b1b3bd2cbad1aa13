import * as z from 'zod/mini';
import { invalid } from '../../table/errors.ts';
import { isId, isType } from '../../table/identifiers.ts';
import { isPropertyName, type Properties } from '../../table/properties.ts';
import {
  BOOL,
  BOOL_AS_NUMBER,
  type Codec,
  DOUBLE,
  INT,
  INT_AS_TEXT,
  TEXT,
  TEXTS,
  TEXTS_AS_JSON,
  TIME,
  TIME_AS_NUMBER,
  TIME_AS_TEXT,
} from './codecs.ts';

export interface Column {
  readonly name: string;
  readonly codec: Codec;
}

/** A column of texts. */
export const text = (name: string): Column => ({ name, codec: TEXT });
/** A column of true and false, or of 1 and 0. */
export const bool = (name: string, as: 'bool' | 'number' = 'bool'): Column => ({
  name,
  codec: as === 'number' ? BOOL_AS_NUMBER : BOOL,
});
/** A numeric column with whole numbers; `text` where its driver gives them as texts. */
export const int = (name: string, as: 'number' | 'text' = 'number'): Column => ({
  name,
  codec: as === 'text' ? INT_AS_TEXT : INT,
});
/** A column that the database keeps as doubles: a NUMERIC or BIGINT one is rounded, which loses rows of a list in its order. */
export const double = (name: string): Column => ({ name, codec: DOUBLE });
/** A column of times: dates of the driver, epoch milliseconds, or texts as `toISOString` writes them. */
export const time = (name: string, as: 'date' | 'number' | 'text' = 'date'): Column => ({
  name,
  codec: { date: TIME, number: TIME_AS_NUMBER, text: TIME_AS_TEXT }[as],
});
/** A column of lists of texts, or of such lists as JSON texts. */
export const texts = (name: string, as: 'list' | 'json' = 'list'): Column => ({
  name,
  codec: as === 'json' ? TEXTS_AS_JSON : TEXTS,
});

/** A column with the id of a scope. */
export interface ScopeColumn {
  readonly column: string;
  /** The type of the scopes that it names: `project`. */
  readonly type: string;
}

export interface RowsDefinition {
  /** What a row is to conditions: `resource.type`. */
  readonly type: string;
  /** The column of `resource.id`. */
  readonly id: string;
  /** The scope at which a row is decided. */
  readonly scope: ScopeColumn;
  /**
   * Columns that name the scopes above it, as far as the application keeps them right: NULL where there is none. They
   * only narrow. A row whose columns disagree with the tree may be missing from pages (`rows check` finds it). A column
   * of a type whose scopes stand within each other, such as zones, does not narrow.
   */
  readonly path?: readonly ScopeColumn[];
  /** Passed properties of `resource:TYPE`, by name. */
  readonly properties?: Readonly<Record<string, Column>>;
  /** The columns that give a list its order, in the form of the query's ORDER BY. Unique together with `key`. */
  readonly order?: readonly OrderColumn[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

export interface OrderColumn {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

/** A row as the application's query answers it. */
export type Row = Readonly<Record<string, unknown>>;

/** Where rows are and what conditions see of them. */
export interface Rows extends Required<RowsDefinition> {
  /** The reference of a row's scope; undefined where the column is NULL or no id: nobody is allowed anything there. */
  readonly scopeOf: (row: Row) => string | undefined;
  /** What a decision gets of a row. */
  readonly resourceOf: (row: Row) => {
    readonly type: string;
    readonly id: string;
    readonly properties: Properties;
  };
}

const NAME = z.string().check(z.minLength(1), z.maxLength(128));
const SCOPE_COLUMN = z.strictObject({ column: NAME, type: NAME.check(z.refine(isType)) });
const COLUMN = z.object({ name: NAME, codec: z.object({ type: z.string() }) });
const DEFINITION = z.strictObject({
  type: NAME.check(z.refine(isType)),
  id: NAME,
  scope: SCOPE_COLUMN,
  path: z.optional(z.array(SCOPE_COLUMN).check(z.maxLength(16))),
  properties: z.optional(z.record(z.string().check(z.refine(isPropertyName)), COLUMN)),
  order: z.optional(
    z.array(z.strictObject({ column: NAME, direction: z.enum(['asc', 'desc']) })).check(z.maxLength(8)),
  ),
  key: z.array(NAME).check(z.minLength(1), z.maxLength(8)),
});

/**
 * Says where the rows of one table are, and which columns hold which properties.
 *
 * @throws GatehouseError `invalid` with the field
 */
export function defineRows(definition: RowsDefinition): Rows {
  const read = z.safeParse(DEFINITION, definition);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(['rows', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is no definition of rows');
  }
  const { type, id, scope, path = [], properties = {}, order = [], key } = definition;
  const types = [scope, ...path].map((each) => each.type);
  if (new Set(types).size < types.length) throw invalid('rows.path', 'rows.path names a type twice');
  const columns = Object.entries(properties);
  return {
    type,
    id,
    scope,
    path,
    properties,
    order,
    key,
    scopeOf: (row) => {
      const value = columnOf(row, scope.column);
      return typeof value === 'string' && isId(value) ? `${scope.type}:${value}` : undefined;
    },
    resourceOf: (row) => {
      const values: Record<string, unknown> = {};
      for (const [name, { name: column, codec }] of columns) {
        const stored = columnOf(row, column);
        const value = stored === null ? undefined : codec.read(stored);
        if (value !== undefined) values[name] = value;
      }
      return { type, id: idOf(columnOf(row, id), id), properties: values };
    },
  };
}

/** Never left out: a decision would take the scope itself for the resource. */
function idOf(value: unknown, column: string): string {
  const id = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  if (typeof id === 'string' && id !== '') return id;
  throw invalid(`row.${column}`, `the column ${column} must hold the row's id`);
}

/** @throws GatehouseError `invalid` for a column that the query did not select: only NULL is missing */
export function columnOf(row: Row, column: string): unknown {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === undefined)
    throw invalid(`row.${column}`, `the query answers rows without the column ${column}`);
  return value;
}
