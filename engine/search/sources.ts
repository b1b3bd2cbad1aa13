import type { Item } from '../../table/item.ts';
import { cursorAfter, placeOf } from '../../table/read/pages.ts';
import type { ListQuery, Page, Range, Reader } from '../../table/reader.ts';
import type { Position } from './page.ts';

/** What searches read with. */
export type SearchReader = Pick<Reader, 'getMany' | 'list' | 'listAll'>;

/** Items read at a time. */
const ROWS = 100;

/** Sources that are begun at once: most searches have no more, and wait for one round only. */
const AHEAD = 8;

/** One stretch of the table, or of an index, that holds candidates, and what they are read as. */
export interface Source<T> {
  readonly range: Range;
  readonly index?: ListQuery['index'] | undefined;
  /** Undefined for what is no candidate. */
  readonly read: (item: Item) => T | undefined;
}

export interface Found<T> {
  readonly value?: T;
  readonly place: Position;
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
  reader: SearchReader,
  sources: readonly Source<T>[],
  from: Position | undefined,
): AsyncGenerator<Found<T>> {
  const named = sources.map((source) => ({ source, name: nameOf(source) }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const ahead = named.filter(
    ({ name }) =>
      from?.source === undefined || name > from.source || (name === from.source && !('end' in from)),
  );
  const begun: Promise<Page<Item>>[] = [];
  for (const [position, { source, name }] of ahead.entries()) {
    for (const next of ahead.slice(begun.length, position + AHEAD)) {
      const query = queryOf(next.source);
      const cursor = from?.source === next.name ? cursorAfter(query, keysIn(from)) : undefined;
      const first = reader.list({ ...query, limit: ROWS, cursor });
      // Who stops before has no use for it, nor for how it failed.
      first.catch(() => {});
      begun.push(first);
    }
    const { index, read } = source;
    let page = await (begun[position] as Promise<Page<Item>>);
    for (;;) {
      for (const item of page.items) {
        const value = read(item);
        if (value !== undefined) yield { value, place: { source: name, ...placeOf(item, index) } };
      }
      const { cursor } = page;
      if (cursor === undefined) break;
      const last = page.items.at(-1);
      if (last) yield { place: { source: name, ...placeOf(last, index) } };
      page = await reader.list({ ...queryOf(source), limit: ROWS, cursor });
    }
    yield { place: { source: name, end: '' } };
  }
}

const queryOf = ({ range, index }: Source<unknown>): ListQuery => ({
  ranges: [range],
  ...(index === undefined ? {} : { index }),
});

/** The part of a place that DynamoDB knows. */
const keysIn = (place: Position): Position =>
  Object.fromEntries(Object.entries(place).filter(([name]) => /[PS]K$/.test(name)));
