import * as z from 'zod/mini';
import { invalid } from '../../table/errors.ts';
import { columnOf, type Row, type Rows } from './define-rows.ts';

/** Where a list goes on: the values of the order's columns, then those of the key's, of the last row looked at. */
export type Place = Readonly<Record<string, PlaceValue>>;
export type PlaceValue = string | number | boolean;

/** Characters of a text that orders a list. */
const MAX_TEXT = 1_024;

const PLACE = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** Whether a number is surely the one that the database has: a larger one may be rounded. */
export const isExact = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/**
 * The place of a row.
 *
 * @throws GatehouseError `invalid` for a value that a cursor cannot hold exactly: rows would be lost or come twice
 */
export function placeOf({ order, key, properties }: Rows, row: Row): Place {
  const place: Record<string, PlaceValue> = {};
  // What is a double in the database is the same one here, however large.
  const isDouble = (column: string, value: unknown): value is number =>
    Number.isFinite(value) &&
    Object.values(properties).some(({ name, codec }) => name === column && codec.type === 'double');
  for (const name of [...order.map(({ column }) => column), ...key]) {
    const value = columnOf(row, name);
    const isShort = typeof value === 'string' && value.length <= MAX_TEXT;
    if (typeof value === 'bigint') place[name] = String(value);
    else if (isShort || typeof value === 'boolean' || isExact(value) || isDouble(name, value))
      place[name] = value;
    else
      throw invalid(
        `row.${name}`,
        `the column ${name} orders the list, so it must be a text of at most ${MAX_TEXT} characters, a number within 2^53, a declared double or a boolean; select a time as a text`,
      );
  }
  return place;
}

/**
 * The place in a decrypted cursor.
 *
 * @throws GatehouseError `invalid` where none could be decrypted: it is of another list
 */
export function readPlace(text: string | undefined): Place {
  try {
    return z.parse(PLACE, JSON.parse(text ?? ''));
  } catch {
    throw invalid('after', 'after is no cursor of this list');
  }
}
