import * as z from 'zod/mini';
import { sha256, textFromBase64Url, textToBase64Url } from '../table/bytes.ts';
import { isObject } from '../table/json.ts';
import { BadRequestError } from './errors.ts';
import type { Page } from './requests.ts';

/** Results of a page: when the request does not say, and at most. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Where a page begins, and how long it may be. */
export type PagePlace = Awaited<ReturnType<typeof readPage>>;

const TOKEN = z.tuple([z.string(), z.int().check(z.nonnegative()), z.string()]);

/**
 * Reads the page that a request asks for. A token is bound to its query: it holds a digest of it, for whom the
 * search is and the page size. It authenticates nothing: each result is decided, whatever the token says.
 *
 * @param query everything that determines the results
 * @throws BadRequestError for a token of another query, caller or page size
 */
export async function readPage(page: Page, query: unknown) {
  const digest = (await sha256(canonical(query))).slice(0, 22);
  const given = page?.token === undefined || page.token === '' ? undefined : parse(page.token);
  const limit = given?.[1] ?? page?.limit ?? DEFAULT_LIMIT;
  const isSame = given === undefined || (given[0] === digest && (page?.limit ?? limit) === limit);
  if (!isSame) throw foreign();
  /** The token of a page that begins at a cursor. */
  const tokenAt = (cursor: string): string =>
    textToBase64Url(JSON.stringify([digest, limit, cursor] satisfies z.output<typeof TOKEN>));
  // The cursor of the search is undefined at the start.
  return { limit: Math.min(limit, MAX_LIMIT), cursor: given?.[2] || undefined, tokenAt };
}

function parse(token: string): z.output<typeof TOKEN> {
  try {
    return z.parse(TOKEN, JSON.parse(textFromBase64Url(token)));
  } catch {
    throw foreign();
  }
}

const foreign = () => new BadRequestError('page.token does not belong to this query');

/** The same text for the same value, in whatever order its members come. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  ) ?? '';
