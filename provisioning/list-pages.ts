import type { Item } from '../table/item.ts';
import { type ListQuery, MAX_PAGE, type MergedQuery, type Page, type Reader } from '../table/reader.ts';

/** Nodes, edges or guards of one page of a list: few calls each, and little to do again after an interruption. */
export const A_PAGE = 500;

/** The items of a list, page after page. */
export const pagesOf = (reader: Pick<Reader, 'list'>, query: ListQuery, limit = A_PAGE) =>
  pageAfterPage((cursor) => reader.list({ ...query, limit, cursor }));

/** The same of a list that is spread over several partitions, such as a log. */
export const mergedPagesOf = (reader: Pick<Reader, 'listMerged'>, query: MergedQuery, limit = MAX_PAGE) =>
  pageAfterPage((cursor) => reader.listMerged({ ...query, limit, cursor }));

async function* pageAfterPage(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const page: Page<Item> = await read(cursor);
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
