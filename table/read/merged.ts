import type { IndexName } from '../entities/entity.ts';
import { invalid } from '../errors.ts';
import type { Item } from '../item.ts';
import { decodeCursor, encodeCursor, keyAttributes, listName } from './cursor.ts';
import { DEFAULT_PAGE, type ListQuery, type Page } from './query.ts';

/** A list that is spread over several partitions and shown as one, in the order of its sort keys. */
export interface MergedQuery {
  readonly partitions: readonly string[];
  /** First and last sort key, both included. */
  readonly between: readonly [first: string, last: string];
  readonly index?: IndexName;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The smallest text that sorts after `key`. */
const justAfter = (key: string): string => `${key}\u0000`;

/**
 * One page of a merged list. Each partition is asked for a whole page, since all of the next rows may
 * stand in one of them; what is read too much is the price of lists that no single partition has to bear.
 * Sort keys end in the row's id, so the last one shown is where the next page goes on.
 *
 * @throws GatehouseError `invalid` for a cursor of another list
 */
export async function mergePages(
  read: (query: ListQuery) => Promise<Page<Item>>,
  { partitions, between, index, limit = DEFAULT_PAGE, cursor }: MergedQuery,
): Promise<Page<Item>> {
  const [, sort] = keyAttributes(index);
  const list = listName('merged', partitions, between);
  const last = cursor === undefined ? undefined : decodeCursor(list, cursor, 1).after?.last;
  if (cursor !== undefined && (last === undefined || last < between[0] || last > between[1])) {
    throw invalid('cursor', 'cursor does not belong to this list');
  }
  const rest = [last === undefined ? between[0] : justAfter(last), between[1]] as const;
  if (rest[0] > rest[1]) return { items: [] };
  const pages = await Promise.all(
    partitions.map((partition) =>
      read({ ranges: [{ partition, between: rest }], limit, ...(index === undefined ? {} : { index }) }),
    ),
  );
  const sortKey = (item: Item): string => String(item[sort]);
  const found = pages.flatMap((page) => page.items).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const items = found.slice(0, limit);
  const more = found.length > limit || pages.some((page) => page.cursor !== undefined);
  const end = items.at(-1);
  return more && end
    ? { items, cursor: encodeCursor(list, { range: 0, after: { last: sortKey(end) } }) }
    : { items };
}
