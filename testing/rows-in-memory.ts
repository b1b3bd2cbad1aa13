import type { Value } from '../engine/conditions/declarations.ts';
import type { Stored } from '../engine/rows/codecs.ts';
import type { RowCondition } from '../engine/rows/condition.ts';
import type { Column, Row, Rows } from '../engine/rows/define-rows.ts';
import { type Place, placeOf } from '../engine/rows/row-place.ts';

/** Whether a row fulfils a condition, as a database would answer: what is missing fulfils nothing. */
function fulfils(condition: RowCondition, row: Row): boolean {
  switch (condition.kind) {
    case 'never':
      return false;
    case 'everything':
      return true;
    case 'and':
      return condition.parts.every((part) => fulfils(part, row));
    case 'or':
      return condition.parts.some((part) => fulfils(part, row));
    case 'equals':
      return storedIn(row, condition.column) === condition.value;
    case 'oneOf':
      return condition.values.some((value) => storedIn(row, condition.column) === value);
    case 'contains': {
      const list = condition.column.codec.read(row[condition.column.name]);
      return Array.isArray(list) && list.includes(condition.value);
    }
    case 'range': {
      const value = storedIn(row, condition.column);
      const { from, to } = condition;
      const isFrom = from === undefined || (areLike(value, from) && (value as Stored) >= from);
      return isFrom && (to === undefined || (areLike(value, to) && (value as Stored) <= to));
    }
  }
}

/** A value in the form in which a condition names it, whichever form the driver gives it. */
const storedIn = (row: Row, { name, codec }: Column): unknown =>
  codec.write ? codec.write(codec.read(row[name]) as Value) : row[name];

/** Whether two values have an order: of one type, and neither missing. */
const areLike = (value: unknown, other: Stored): boolean => typeof value === typeof other && value !== null;

/**
 * The `fetch` of a page over rows in memory: for tests.
 *
 * @param all the rows, as they are at each call
 */
export const rowsInMemory =
  <R extends Row>(rows: Rows, all: () => Iterable<R>) =>
  async (condition: RowCondition, after: Place | undefined, count: number): Promise<readonly R[]> => {
    const directions = [...rows.order, ...rows.key.map((column) => ({ column, direction: 'asc' as const }))];
    const compare = (a: Row, b: Row): number => {
      for (const { column, direction } of directions) {
        const [x, y] = [a[column] as Stored, b[column] as Stored];
        if (x !== y) return (x < y ? -1 : 1) * (direction === 'asc' ? 1 : -1);
      }
      return 0;
    };
    return [...all()]
      .filter((row) => fulfils(condition, row))
      .sort(compare)
      .filter((row) => after === undefined || compare(placeOf(rows, row), after) > 0)
      .slice(0, count);
  };
