import { defined } from '../table/defined.ts';
import { isId } from '../table/identifiers.ts';
import { notFound, ScimError } from './errors.ts';
import {
  comparisonsIn,
  type Filter,
  holds,
  mustEqual,
  placesIn,
  readFilter,
  type ValuesOf,
  valuesIn,
} from './filter.ts';
import { listResponse, type Page, type ReadList, readAll, readPage, readUntil } from './page.ts';
import { type AreAll, CommandError, type Result, type Send } from './port.ts';
import type { AttributePlace, ResourceType } from './schema.ts';
import type { Resource, Wanted } from './wanted.ts';

/** What a request is about, beside its body. */
export interface Asked {
  readonly send: Send;
  readonly areAll: AreAll;
  /** The id of the user of ours with an email, whoever that is: it is said to nobody but by a link. */
  readonly userWith: (email: string) => Promise<string | undefined>;
  /** The address of the API, before `/Users`. */
  readonly base: string;
  readonly query: URLSearchParams;
  readonly wanted: Wanted;
}

/** What is done with resources of one type. Each function throws ScimError or CommandError. */
export interface Resources {
  readonly type: ResourceType;
  readonly create: (asked: Asked, body: unknown) => Promise<Resource>;
  readonly read: (asked: Asked, id: string) => Promise<Resource>;
  readonly list: (asked: Asked) => Promise<unknown>;
  readonly replace: (asked: Asked, id: string, body: unknown) => Promise<Resource>;
  /** Undefined where nothing is shown. */
  readonly patch: (asked: Asked, id: string, body: unknown) => Promise<Resource | undefined>;
  readonly delete: (asked: Asked, id: string) => Promise<Result>;
}

/** Entries that a filter is applied to, where nothing in it is looked up. */
const MOST_FILTERED = 1_000;

/** Groups of one user that are shown, or looked up. */
const MOST_GROUPS = 1_000;

/** How resources of a type are found. */
export interface Finding {
  readonly type: ResourceType;
  /** The command that lists them all. */
  readonly list: string;
  /** By attribute: the entries that have a value. */
  readonly lookUps: Readonly<Record<string, (asked: Asked, value: string) => Promise<readonly Result[]>>>;
  readonly resourceOf: (base: string, entry: Result) => Resource;
  /** Prepares what a filter compares by itself. */
  readonly special?: (send: Send, filter: Filter) => Promise<Special>;
}

/** The values of an attribute that no entry holds; undefined for one that it does. */
type Special = (resource: Resource, place: AttributePlace, compare: Filter) => readonly unknown[] | undefined;

/** What a command lists, page by page. */
export const listing =
  (send: Send, command: string, input: Result = {}): ReadList =>
  (limit, cursor) =>
    send(command, { ...input, limit, ...defined({ cursor }) }) as never;

/** The groups of a user, as far as they are the connection's. */
export const groupsOf = (send: Send, user: string) =>
  readAll(listing(send, 'scim-user.list-groups', { user: idIn(user) }), MOST_GROUPS);

/**
 * The answer to a query of resources (RFC 7644 section 3.4.2).
 *
 * @param shown reads more of each
 */
export async function answerToQuery(
  asked: Asked,
  finding: Finding,
  shown: (resource: Resource) => Promise<Resource>,
) {
  const { resources, total, page } = await found(asked, finding);
  const all: Resource[] = [];
  for (const resource of resources) all.push(await shown(resource));
  return listResponse(all, total, page.skipped);
}

async function found(
  asked: Asked,
  { type, list, lookUps, resourceOf, special }: Finding,
): Promise<{ readonly resources: readonly Resource[]; readonly total: number; readonly page: Page }> {
  const { send, base, query } = asked;
  const page = readPage(query);
  const [text] = query.getAll('filter');
  if (text === undefined) {
    const { items, total } = await readUntil(listing(send, list), page);
    return { resources: items.map((entry) => resourceOf(base, entry)), total, page };
  }
  const filter = readFilter(text);
  const placeOf = placesIn(type);
  for (const { attrPath } of comparisonsIn(filter) as readonly { readonly attrPath: string }[])
    placeOf(attrPath);
  const ofItself = await special?.(send, filter);
  const entries =
    (await lookedUp(asked, filter, type, lookUps)) ?? (await readAll(listing(send, list), MOST_FILTERED));
  const valuesOf =
    (resource: Resource): ValuesOf =>
    (attribute, compare) => {
      const place = placeOf(attribute);
      return ofItself?.(resource, place, compare) ?? valuesIn(resource, place);
    };
  const all = entries.map((entry) => resourceOf(base, entry));
  const matching = all.filter((resource) => holds(filter, placeOf, valuesOf(resource)));
  return {
    resources: matching.slice(page.skipped, page.skipped + page.count),
    total: matching.length,
    page,
  };
}

/** The entries that a look-up finds for one of the values that a filter demands; undefined where it demands none. */
async function lookedUp(
  asked: Asked,
  filter: Filter,
  type: ResourceType,
  lookUps: Finding['lookUps'],
): Promise<readonly Result[] | undefined> {
  for (const { attrPath, compValue } of mustEqual(filter)) {
    const { at = [] } = type.find(attrPath) ?? {};
    // What has several values is compared by `value`.
    const lookUp = lookUps[at.length === 1 ? `${at[0]}.value` : at.join('.')] ?? lookUps[at.join('.')];
    if (lookUp === undefined || typeof compValue !== 'string') continue;
    return lookUp(asked, compValue).catch(nothing);
  }
  return undefined;
}

/** What is no name of anything names nothing. */
export function nothing(error: unknown): readonly Result[] {
  const code = error instanceof CommandError ? error.failure.code : undefined;
  const isNoId = error instanceof ScimError && error.status === 404;
  if (isNoId || code === 'not_found' || code === 'invalid') return [];
  throw error;
}

/** An id in a path. What cannot be one names nothing. */
export function idIn(text: string): string {
  if (!isId(text)) throw notFound();
  return text;
}

export const metaOf = (type: ResourceType, base: string, id: string, { createdAt, updatedAt }: Result) => ({
  resourceType: type.name,
  ...(typeof createdAt === 'string' ? { created: createdAt, lastModified: updatedAt ?? createdAt } : {}),
  location: `${base}${type.endpoint}/${id}`,
});
