import { badRequest } from './errors.ts';

/** Resources in one answer: unless the request says how many, and at most. */
const USUAL_RESULTS = 100;
export const MOST_RESULTS = 1_000;

/** How far a list without a filter can be paged through. Each page is counted from the first resource on. */
const MOST_LISTED = 10_000;

/** Which of the results a request asks for (RFC 7644 section 3.4.2.4). */
export interface Page {
  /** How many come before it. */
  readonly skipped: number;
  readonly count: number;
}

/** @throws ScimError `invalidValue` for what is no number */
export function readPage(query: URLSearchParams): Page {
  const startIndex = Math.max(1, numberIn(query, 'startIndex') ?? 1);
  const count = Math.max(0, numberIn(query, 'count') ?? USUAL_RESULTS);
  return { skipped: startIndex - 1, count: Math.min(count, MOST_RESULTS) };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const [text, ...more] = query.getAll(name);
  if (text === undefined) return undefined;
  if (more.length > 0 || !/^-?\d{1,15}$/.test(text))
    throw badRequest('invalidValue', `${name} is not one whole number`);
  return Number(text);
}

const tooMany = (most: number) =>
  badRequest('tooMany', `there are more than ${most}: filter by an attribute that is looked up`);

/** A page of what a command lists. */
export type ReadList = (
  limit: number,
  cursor: string | undefined,
) => Promise<{
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly cursor?: string | undefined;
}>;

/**
 * Entries of a list up to the end of a page, and how many there are: exactly as far as the last Query has read, one more
 * where it has not read all of them.
 *
 * @throws ScimError `tooMany` where the page ends too far from the first entry
 */
export async function readUntil(list: ReadList, { skipped, count }: Page) {
  const end = skipped + count;
  if (end > MOST_LISTED) throw tooMany(MOST_LISTED);
  const { items, isWhole } = await readPast(list, end);
  return {
    items: items.slice(skipped, end),
    total: items.length + (isWhole ? 0 : 1),
  };
}

/** All entries of a list. Throws ScimError `tooMany` beyond `most`. */
export async function readAll(list: ReadList, most: number) {
  const { items } = await readPast(list, most);
  if (items.length > most) throw tooMany(most);
  return items;
}

/** Entries of a list, page by page, until there are more than `count`; and whether these are all. */
async function readPast(list: ReadList, count: number) {
  const items: Readonly<Record<string, unknown>>[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(MOST_RESULTS, cursor);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && items.length <= count);
  return { items, isWhole: cursor === undefined };
}

/** Results as a ListResponse (RFC 7644 section 3.4.2). */
export const listResponse = (resources: readonly unknown[], total: number, skipped: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex: skipped + 1,
  itemsPerPage: resources.length,
  Resources: resources,
});
