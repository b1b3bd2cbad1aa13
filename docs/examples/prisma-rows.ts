import type { Place, RowCondition, Rows } from '../../engine/rows/index.ts';

/**
 * Lists of rows with Prisma (docs/lists.md): what `fetch` gets, as parts of a `where`.
 *
 * In your own code import from `gatehouse-authz/rows`.
 */

type Where = Readonly<Record<string, unknown>>;
const ALL: Where = { AND: [] };

/** Never an empty object or undefined, which would ask for all rows: an empty OR is nothing. */
export function whereOf(condition: RowCondition): Where {
  switch (condition.kind) {
    case 'never':
      return { OR: [] };
    case 'and':
    case 'or':
      return { [condition.kind.toUpperCase()]: condition.parts.map(whereOf) };
    case 'equals':
      return { [condition.column.name]: { equals: condition.value } };
    case 'oneOf':
      return { [condition.column.name]: { in: condition.values } };
    default:
      return ALL; // lists and ranges are left to the decision
  }
}

/** The rows behind a place. */
export function after({ order, key }: Rows, place: Place | undefined): Where {
  if (place === undefined) return ALL;
  const columns = [...order, ...key.map((column) => ({ column, direction: 'asc' }))];
  const parts = columns.map(({ column, direction }, position) => {
    const same = columns
      .slice(0, position)
      .map((each) => ({ [each.column]: { equals: place[each.column] } }));
    return { AND: [...same, { [column]: { [direction === 'asc' ? 'gt' : 'lt']: place[column] } }] };
  });
  return { OR: parts };
}
