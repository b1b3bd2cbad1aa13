import { createHash } from 'node:crypto';
import type { IndexName } from '../entities/entity.ts';
import { invalid } from '../errors.ts';
import type { Item } from '../item.ts';

/**
 * A cursor says where a list goes on: opaque to callers, bound to the list it came from. One that was
 * made for another list, or by hand, is refused instead of showing another tenant's rows.
 */
export interface Position {
  /** Which of the list's ranges. */
  readonly range: number;
  /** DynamoDB's LastEvaluatedKey within it; undefined at the start of a range. */
  readonly after?: Readonly<Record<string, string>>;
}

/** A short name of a list, made from what it reads, so that its cursors are refused by every other list. */
export const listName = (...reads: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(reads)).digest('base64url').slice(0, 12);

const MAX_CURSOR_LENGTH = 2_048;

export const encodeCursor = (list: string, position: Position): string =>
  Buffer.from(JSON.stringify([list, position.range, position.after ?? null])).toString('base64url');

/** Reads a cursor of the list named `list`. Throws `invalid` on the field `cursor`. */
export function decodeCursor(list: string, cursor: string, ranges: number): Position {
  const refuse = () => invalid('cursor', 'cursor does not belong to this list');
  if (cursor.length > MAX_CURSOR_LENGTH) throw refuse();
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parsed) || parsed.length !== 3 || parsed[0] !== list) throw refuse();
  const [, range, after] = parsed as [string, unknown, unknown];
  if (typeof range !== 'number' || !Number.isInteger(range) || range < 0 || range >= ranges) throw refuse();
  if (after === null) return { range };
  if (typeof after !== 'object' || Array.isArray(after)) throw refuse();
  for (const value of Object.values(after as object)) if (typeof value !== 'string') throw refuse();
  return { range, after: after as Record<string, string> };
}

export const keyAttributes = (index: IndexName | undefined): readonly [hash: string, sort: string] =>
  index === undefined ? ['PK', 'SK'] : [`${index}PK`, `${index}SK`];

/** The place of an item, as DynamoDB would give it had the answer ended there. */
export const placeOf = (item: Item, index: IndexName | undefined): Record<string, string> =>
  Object.fromEntries(
    ['PK', 'SK', ...(index === undefined ? [] : keyAttributes(index))].map((name) => [
      name,
      String(item[name]),
    ]),
  );

/** What the cursors of a list are bound to: what it reads. */
export interface Bound {
  readonly index?: IndexName;
  readonly ranges: readonly unknown[];
}

/** The cursor of a list of one range that goes on after this place. */
export const cursorAfter = ({ index, ranges }: Bound, after: Readonly<Record<string, string>>): string =>
  encodeCursor(listName(index ?? '', ranges), { range: 0, after });
