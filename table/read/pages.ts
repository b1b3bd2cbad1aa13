import { compareBytes, hash64, textFromBase64Url, textToBase64Url } from '../bytes.ts';
import { defined } from '../defined.ts';
import type { IndexName } from '../entities/entity.ts';
import { invalid } from '../errors.ts';
import type { Item } from '../item.ts';
import { distinctKeys, identityOf, type Key } from '../keys.ts';
import {
  batchesOf,
  DEFAULT_PAGE,
  type ListQuery,
  MAX_PAGE,
  type MergedQuery,
  noNotes,
  type Page,
  type Range,
  type Reader,
  type ReadNotes,
} from '../reader.ts';
import { MAX_CURSOR_LENGTH } from '../size.ts';

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

/**
 * A short name of a list, made from what it reads, so that its cursors are refused by every other list. It
 * authenticates nothing, so a plain hash will do: a place outside of the list's ranges is refused anyway.
 */
export const listName = (...reads: readonly unknown[]): string => hash64(JSON.stringify(reads));

/** The same position gives the same text, in whatever order an engine names the keys of a place. */
export const encodeCursor = (list: string, { range, after }: Position): string =>
  textToBase64Url(JSON.stringify([list, range, after ? inOrder(after) : null]));

const inOrder = (place: NonNullable<Position['after']>): NonNullable<Position['after']> =>
  Object.fromEntries(Object.entries(place).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Reads a cursor of the list named `list`. Throws `invalid` on the field `cursor`. */
export function decodeCursor(list: string, cursor: string, ranges: number): Position {
  const refuse = () => invalid('cursor', 'cursor does not belong to this list');
  if (cursor.length > MAX_CURSOR_LENGTH) throw refuse();
  let parsed: unknown;
  try {
    parsed = JSON.parse(textFromBase64Url(cursor));
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

/** One Query of one range. */
export interface RangeQuery {
  readonly range: Range;
  readonly index: ListQuery['index'];
  /** Items at most; an answer may hold fewer though there are more. */
  readonly limit: number;
  /** The place after which to begin; undefined for the start. */
  readonly after: Position['after'];
  /** From the last sort key to the first. */
  readonly descending: boolean;
}

/**
 * Items in the order that was asked for; `after` is there exactly when there may be more, and says where to
 * go on.
 */
interface RangeAnswer {
  readonly items: readonly Item[];
  readonly after?: Position['after'];
}

/** What a table must be able to do so that it has lists. */
export type QueryRange = (query: RangeQuery) => Promise<RangeAnswer>;

/**
 * The lists of a reader, made from the one primitive that tables differ in.
 *
 * @param begin called for every page: the queries of one page share a deadline, and are counted in its notes
 */
export function createLists(
  begin: (notes: ReadNotes) => QueryRange,
): Pick<Reader, 'list' | 'listMerged' | 'listAll'> {
  const list: Reader['list'] = (query, notes = noNotes()) => readPage(begin(notes), query);
  return {
    list,
    listMerged: (query) => mergePages(list, query),
    listAll: async (query, notes) => {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ ...query, limit: MAX_PAGE, cursor }, notes);
        items.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return items;
    },
  };
}

/**
 * One page of a list. Ranges are read one after the other; a page is filled to its limit unless the
 * list ends, so an empty page with a cursor never happens. Of a filtered list more is read at a time, and
 * the page ends at the last item that it keeps.
 *
 * @throws GatehouseError `invalid` for a bad cursor or limit, otherwise as the query fails
 */
async function readPage(queryRange: QueryRange, query: ListQuery): Promise<Page<Item>> {
  const { ranges, index, limit = DEFAULT_PAGE, cursor, keep, descending = false } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalid('limit', `limit must be a whole number from 1 to ${MAX_PAGE}`);
  }
  const list = listName(index ?? '', ranges, ...orderOf(descending));
  let position: Position = cursor === undefined ? { range: 0 } : decodeCursor(list, cursor, ranges.length);
  refuseForeign(position, query);
  const items: Item[] = [];
  for (;;) {
    const range = ranges[position.range];
    if (range === undefined) return { items };
    if (endsBeforeItBegins(range)) {
      position = { range: position.range + 1 };
      continue;
    }
    if (items.length === limit) return { items, cursor: encodeCursor(list, position) };
    const room = limit - items.length;
    const answer = await queryRange({
      range,
      index,
      limit: keep ? Math.max(room, DEFAULT_PAGE) : room,
      after: position.after,
      descending,
    });
    const kept = keep ? answer.items.filter(keep) : answer.items;
    items.push(...kept.slice(0, room));
    const last = kept[room - 1];
    const after = last !== undefined && kept.length > room ? placeOf(last, index) : answer.after;
    position = after ? { range: position.range, after } : { range: position.range + 1 };
  }
}

/** A cursor goes on in the order that it comes from. */
const orderOf = (descending: boolean): readonly string[] => (descending ? ['descending'] : []);

/** A place to go on from lies in its range. DynamoDB refuses others too; not every engine does. */
function refuseForeign({ range, after }: Position, { ranges, index }: ListQuery): void {
  if (after === undefined) return;
  const [hash, sort] = keyAttributes(index);
  const current = ranges[range];
  if (!current || after[hash] !== current.partition || !isWithin(after[sort] ?? '', current))
    throw invalid('cursor', 'cursor does not belong to this list');
}

/** Whether a sort key lies in a range. */
export const isWithin = (key: string, { prefix = '', between }: Range): boolean =>
  key.startsWith(prefix) &&
  (!between || (compareBytes(between[0], key) <= 0 && compareBytes(key, between[1]) <= 0));

/** From an instant on until before an earlier one, say: nothing is there, and DynamoDB refuses to look. */
const endsBeforeItBegins = ({ between }: Range): boolean =>
  between !== undefined && compareBytes(between[0], between[1]) > 0;

/** The smallest text that sorts after `key`. */
const justAfter = (key: string): string => `${key}\u0000`;

/**
 * One page of a merged list. Each partition is asked for a whole page, since all of the next rows may
 * stand in one of them; what is read too much is the price of lists that no single partition has to bear.
 * Sort keys end in the row's id, so the last one shown is where the next page goes on.
 *
 * @throws GatehouseError `invalid` for a cursor of another list
 */
async function mergePages(
  read: (query: ListQuery) => Promise<Page<Item>>,
  { partitions, between, index, limit = DEFAULT_PAGE, cursor, descending = false }: MergedQuery,
): Promise<Page<Item>> {
  const [, sort] = keyAttributes(index);
  const sortKey = (item: Item): string => String(item[sort]);
  const list = listName('merged', partitions, between, ...orderOf(descending));
  const last = cursor === undefined ? undefined : decodeCursor(list, cursor, 1).after?.last;
  const isWithin = (key: string) => compareBytes(between[0], key) <= 0 && compareBytes(key, between[1]) <= 0;
  if (cursor !== undefined && (last === undefined || !isWithin(last))) {
    throw invalid('cursor', 'cursor does not belong to this list');
  }
  const rest = restOf(between, last, descending);
  if (compareBytes(rest[0], rest[1]) > 0) return { items: [] };
  const pages = await Promise.all(
    partitions.map((partition) =>
      read({
        ranges: [{ partition, between: rest }],
        limit,
        descending,
        ...defined({ index }),
        // No text comes just before another, so that the last one shown is read again.
        ...(descending && last !== undefined ? { keep: (item) => sortKey(item) !== last } : {}),
      }),
    ),
  );
  const found = pages
    .flatMap((page) => page.items)
    .sort((a, b) => compareBytes(sortKey(a), sortKey(b)) * (descending ? -1 : 1));
  const items = found.slice(0, limit);
  const more = found.length > limit || pages.some((page) => page.cursor !== undefined);
  const end = items.at(-1);
  return more && end
    ? { items, cursor: encodeCursor(list, { range: 0, after: { last: sortKey(end) } }) }
    : { items };
}

/** What is left of a range behind the last sort key that was shown. */
const restOf = (
  [first, end]: readonly [string, string],
  last: string | undefined,
  descending: boolean,
): readonly [string, string] => {
  if (last === undefined) return [first, end];
  return descending ? [first, last] : [justAfter(last), end];
};

/** Keys of one BatchGetItem call (DynamoDB's limit). */
const MAX_KEYS = 100;

/**
 * Reads items by key, each once, in concurrent batches of at most 100 keys.
 *
 * @param readBatch reads the items of a batch and adds those that exist to `found`, by identity
 * @returns the items in the order of the keys, undefined where the table has none
 */
export async function readInBatches(
  keys: readonly Key[],
  readBatch: (batch: readonly Key[], found: Map<string, Item>) => Promise<void>,
): Promise<readonly (Item | undefined)[]> {
  const unique = distinctKeys(keys.map(({ PK, SK }) => ({ PK, SK })));
  const found = new Map<string, Item>();
  await Promise.all(batchesOf(unique, MAX_KEYS).map((batch) => readBatch(batch, found)));
  return keys.map((key) => found.get(identityOf(key)));
}
