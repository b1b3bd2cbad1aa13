import type { Item } from '../../table/item.ts';
import { cursorAfter, placeOf } from '../../table/read/cursor.ts';
import type { ListQuery, Range } from '../../table/read/query.ts';
import type { Reader } from '../../table/read/reader.ts';
import type { Place } from './page.ts';

/** What the lists read with. */
export type ListReader = Pick<Reader, 'getMany' | 'list' | 'listAll'>;

/** Items read at a time. */
const ROWS = 100;

/** One stretch of the table, or of an index, that holds candidates, and what they are read as. */
export interface Source<T> {
  readonly range: Range;
  readonly index?: ListQuery['index'] | undefined;
  /** Undefined for what is no candidate. */
  readonly read: (item: Item) => T | undefined;
}

export interface Found<T> {
  readonly value?: T;
  readonly place: Place;
}

/** Each of a query's ranges as a source. */
export const sourcesOf = <T>(
  { ranges, index }: Pick<ListQuery, 'ranges' | 'index'>,
  read: Source<T>['read'],
): readonly Source<T>[] => ranges.map((range) => ({ range, index, read }));

/** A range by name, so that a walk goes on in the right one though others have come or gone since. */
const nameOf = ({ range }: Source<unknown>): string =>
  `${range.partition}\n${range.prefix ?? range.between?.[0] ?? ''}`;

/**
 * What stands in these sources, in the order of their names. A place is that of an item within its source; at
 * the end of a source it says so, and nothing is found there.
 */
export async function* walkSources<T>(
  reader: ListReader,
  sources: readonly Source<T>[],
  from: Place | undefined,
): AsyncGenerator<Found<T>> {
  const named = sources.map((source) => ({ source, name: nameOf(source) }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { source, name } of named) {
    const { range, index, read } = source;
    if (from?.source !== undefined && name < from.source) continue;
    const isHere = from?.source === name;
    if (isHere && from.end !== undefined) continue;
    const query = { ranges: [range], ...(index === undefined ? {} : { index }) };
    let cursor = isHere ? cursorAfter(query, keysIn(from)) : undefined;
    do {
      const page = await reader.list({ ...query, limit: ROWS, cursor });
      for (const item of page.items) {
        const value = read(item);
        if (value !== undefined) yield { value, place: { source: name, ...placeOf(item, index) } };
      }
      cursor = page.cursor;
      const last = page.items.at(-1);
      if (cursor !== undefined && last) yield { place: { source: name, ...placeOf(last, index) } };
    } while (cursor !== undefined);
    yield { place: { source: name, end: '' } };
  }
}

/** The part of a place that DynamoDB knows. */
const keysIn = (place: Place): Place =>
  Object.fromEntries(Object.entries(place).filter(([name]) => /[PS]K$/.test(name)));
