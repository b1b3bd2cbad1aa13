import type { ValueType } from '../../table/properties.ts';
import type { Value } from '../conditions/declarations.ts';

/** A value in the form in which a column holds it. */
export type Stored = string | number | boolean | Date;

/**
 * How a column holds a property: the one statement of it, for deciding a row (`read`) and for narrowing a query
 * (`write`, `span`). What `read` cannot read counts as missing, so that no condition is true of it that the database
 * would not find.
 */
export interface Codec {
  /** The type that the property must be declared with. */
  readonly type: ValueType;
  /** The value of a column, not NULL, as the property; undefined if it is none. */
  readonly read: (stored: unknown) => unknown;
  /** What a column holds whose property equals a value; undefined where that cannot be said. */
  readonly write?: (value: Value) => Stored | undefined;
  /**
   * The range of column values that holds every property from one value to another, both ends included; it may be
   * wider. An undefined end is open. Without this function no query can use the order of the column.
   */
  readonly span?: (from: Value | undefined, to: Value | undefined) => Span | undefined;
  /** Whether the column is a list, asked by `contains`. */
  readonly isList?: true;
}

/** Both ends included. */
export interface Span {
  readonly from: Stored | undefined;
  readonly to: Stored | undefined;
}

const spanOf =
  (write: (value: Value) => Stored | undefined): NonNullable<Codec['span']> =>
  (from, to) => {
    const span = {
      from: from === undefined ? undefined : write(from),
      to: to === undefined ? undefined : write(to),
    };
    const isSaid = (value: Value | undefined, stored: Stored | undefined) =>
      (value === undefined) === (stored === undefined);
    return isSaid(from, span.from) && isSaid(to, span.to) ? span : undefined;
  };

const writeNumber = (value: Value): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;

const readText = (stored: unknown): unknown => (typeof stored === 'string' ? stored : undefined);
const writeText = (value: Value): string | undefined => (typeof value === 'string' ? value : undefined);

/** A text, compared exactly. */
export const TEXT: Codec = { type: 'string', read: readText, write: writeText };

export const BOOL: Codec = {
  type: 'bool',
  read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
  write: (value) => (typeof value === 'boolean' ? value : undefined),
};

/** 0 or 1. */
export const BOOL_AS_NUMBER: Codec = {
  type: 'bool',
  read: (stored) => (stored === 0 || stored === 1 ? stored === 1 : undefined),
  write: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
};

const readInt = (stored: unknown): unknown => {
  const value = typeof stored === 'bigint' ? Number(stored) : stored;
  return Number.isSafeInteger(value) ? value : undefined;
};

const writeInt = (value: Value): number | undefined => {
  const number = writeNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
};

export const INT: Codec = { type: 'int', read: readInt, write: writeInt, span: spanOf(writeInt) };

/** A whole number of a numeric column that the driver gives as a text, as PostgreSQL's do with BIGINT. */
export const INT_AS_TEXT: Codec = {
  ...INT,
  // In the one form that a number has, so that no two texts are one number.
  read: (stored) =>
    typeof stored === 'string' && String(Number(stored)) === stored ? readInt(Number(stored)) : undefined,
};

export const DOUBLE: Codec = {
  type: 'double',
  read: (stored) => (typeof stored === 'number' && Number.isFinite(stored) ? stored : undefined),
  write: writeNumber,
  span: spanOf(writeNumber),
};

/** From year 10000 on a text begins with a sign, which sorts before digits, and databases do not read it. */
const YEAR_10000 = Date.UTC(10_000, 0);

/**
 * An instant, cut to whole milliseconds. What a column keeps below them is within the millisecond that follows. An end
 * before 1970 or after year 9999 is open.
 */
const time = (read: (stored: unknown) => Date | undefined, write: (instant: number) => Stored): Codec => ({
  type: 'timestamp',
  read: (stored) => {
    const instant = read(stored)?.getTime();
    return instant !== undefined && instant >= 0 ? new Date(instant) : undefined;
  },
  span: (from, to) => {
    const isTime = (value: Value | undefined) => value === undefined || value instanceof Date;
    if (!isTime(from) || !isTime(to)) return undefined;
    const end = (value: Value | undefined, more: number): Stored | undefined => {
      if (!(value instanceof Date)) return undefined;
      const instant = value.getTime() + more;
      return instant >= 0 && instant < YEAR_10000 ? write(instant) : undefined;
    };
    return { from: end(from, 0), to: end(to, 1) };
  },
});

export const TIME = time(
  (stored) => (stored instanceof Date && !Number.isNaN(stored.getTime()) ? stored : undefined),
  (instant) => new Date(instant),
);

/** Epoch milliseconds. */
export const TIME_AS_NUMBER = time(
  (stored) =>
    typeof stored === 'number' && Math.abs(stored) <= MAX_INSTANT ? new Date(Math.floor(stored)) : undefined,
  (instant) => instant,
);

/** Milliseconds after 1970 that a Date can hold. */
const MAX_INSTANT = 8.64e15;

/** As `toISOString` writes it, with 3 to 9 digits below the second: texts of this form have the order of time. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z$/;

export const TIME_AS_TEXT = time(
  (stored) => {
    if (typeof stored !== 'string' || !ISO.test(stored)) return undefined;
    const date = new Date(`${stored.slice(0, 23)}Z`);
    return Number.isNaN(date.getTime()) ? undefined : date;
  },
  // Without the Z, which comes after digits: before all texts of its millisecond.
  (instant) => new Date(instant).toISOString().slice(0, -1),
);

const readTexts = (stored: unknown): unknown => {
  const list = stored instanceof Set ? [...stored] : stored;
  return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : undefined;
};

/** A list of texts, or a set as DynamoDB has it. */
export const TEXTS: Codec = { type: 'list<string>', read: readTexts, write: writeText, isList: true };

/** A list of texts as JSON. */
export const TEXTS_AS_JSON: Codec = {
  ...TEXTS,
  read: (stored) => {
    if (typeof stored !== 'string') return undefined;
    try {
      return readTexts(JSON.parse(stored));
    } catch {
      return undefined;
    }
  },
};
