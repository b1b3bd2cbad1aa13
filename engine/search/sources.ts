import { defined } from '../../table/defined.ts';
import type { Item } from '../../table/item.ts';
import { cursorAfter, placeOf } from '../../table/read/pages.ts';
import { type ListQuery, MAX_PAGE, type Page, type Range, type Reader } from '../../table/reader.ts';
import type { Position, Step } from './page.ts';

/** The reads that searches use. */
export type SearchReader = Pick<Reader, 'getMany' | 'list' | 'listAll'>;

/** Items of the first Query of a source. Each further one takes twice as many: most of the others were refused. */
const ROWS = 100;

/**
 * Sources whose first pages are read concurrently, once one source has ended with its first page: then the
 * next ones are probably short as well.
 */
const AHEAD = 8;

/** A range of the table or of an index that contains candidates, and how they are decoded. */
export interface Source<T> {
  readonly range: Range;
  readonly index?: ListQuery['index'] | undefined;
  /** Undefined for an item that is not a candidate. */
  readonly read: (item: Item) => T | undefined;
}

/** A source for each range of a query. */
export const sourcesOf = <T>(
  { ranges, index }: Pick<ListQuery, 'ranges' | 'index'>,
  read: Source<T>['read'],
): readonly Source<T>[] => ranges.map((range) => ({ range, index, read }));

/** A stable name for a range, so that a cursor finds it again even if other ranges were added or removed. */
export const nameOf = ({ range }: Source<unknown>): string =>
  `${range.partition}\n${range.prefix ?? range.between?.[0] ?? ''}`;

/**
 * The candidates of these sources, in the order of the sources' names. A place is the position of an item in
 * its source. An item that is not a candidate, and the end of a source, are steps without a candidate.
 */
export async function* walkSources<T>(
  reader: SearchReader,
  sources: readonly Source<T>[],
  from: Position | undefined,
): AsyncGenerator<Step<T>> {
  const named = sources.map((source) => ({ source, name: nameOf(source) }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const left = named.filter(
    ({ name }) =>
      from?.source === undefined || name > from.source || (name === from.source && !('end' in from)),
  );
  const begun: Promise<Page<Item>>[] = [];
  let ahead = 1;
  for (const [position, { source, name }] of left.entries()) {
    for (const next of left.slice(begun.length, position + ahead)) {
      const query = queryOf(next.source);
      const cursor = from?.source === next.name ? cursorAfter(query, keysIn(from)) : undefined;
      const first = reader.list({ ...query, limit: ROWS, cursor });
      // If the walk stops before this source, its failure does not matter.
      first.catch(() => {});
      begun.push(first);
    }
    const { index, read } = source;
    let page = await (begun[position] as Promise<Page<Item>>);
    ahead = page.cursor === undefined ? AHEAD : 1;
    for (let limit = ROWS; ; ) {
      for (const item of page.items) {
        const candidate = read(item);
        const place = { source: name, ...placeOf(item, index) };
        yield candidate === undefined ? { place } : { candidate, place };
      }
      const { cursor } = page;
      if (cursor === undefined) break;
      limit = Math.min(limit * 2, MAX_PAGE);
      page = await reader.list({ ...queryOf(source), limit, cursor });
    }
    yield { place: { source: name, end: '' } };
  }
}

const queryOf = ({ range, index }: Source<unknown>): ListQuery => ({
  ranges: [range],
  ...defined({ index }),
});

/** The DynamoDB key attributes of a place. */
const keysIn = (place: Position): Position =>
  Object.fromEntries(Object.entries(place).filter(([name]) => /[PS]K$/.test(name)));
