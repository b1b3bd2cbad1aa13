import { INDEXES } from '../../table/entities/entity.ts';
import type { EntityType } from '../../table/entities/registry.ts';
import type { Ref } from '../../table/identifiers.ts';
import { allInTenant, allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import {
  ANY_TENANT,
  apiRef,
  EVERYONE_LIST,
  edgePrefix,
  GLOBAL,
  type Key,
  parseKey,
  partitionOf,
  SCOPE_TYPE_LIST,
} from '../../table/keys.ts';
import type { ListQuery, Reader } from '../../table/reader.ts';
import { ADDED, NODE_KINDS } from '../commands/node-kinds.ts';
import { guardLists } from '../nodes/guards.ts';
import { nameLists } from '../nodes/node-names.ts';

/** The partitions that a walk checks: those of all nodes, found by Query, a page at a time. */
const A_PAGE = 200;

/** The items of a list, page after page. */
export async function* pagesOf(
  reader: Reader,
  query: ListQuery,
  limit = A_PAGE,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<Reader['list']>> = await reader.list({ ...query, limit, cursor });
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function* nodesOf(reader: Reader, query: ListQuery): AsyncGenerator<Ref> {
  for await (const items of pagesOf(reader, query)) {
    for (const item of items) {
      const parsed = parseKey(item);
      if (parsed?.form === 'node') yield { type: parsed.type, id: parsed.id };
    }
  }
}

/** Types whose nodes are listed under their own name. */
const LISTED_TYPES = NODE_KINDS.map(({ entity }) => entity.type).filter((type) => type !== ADDED);

/** Owners that always exist and have no node. */
const ANCHORS: readonly Ref[] = [GLOBAL, ANY_TENANT, SCOPE_TYPE_LIST, EVERYONE_LIST, apiRef('default')];

/** Everything that has a partition, by the lists of all nodes of each type. */
export async function* everything(reader: Reader): AsyncGenerator<Ref> {
  yield* ANCHORS;
  for (const type of LISTED_TYPES) yield* nodesOf(reader, allOf(type as EntityType));
  for await (const types of pagesOf(reader, { ranges: [{ partition: partitionOf(SCOPE_TYPE_LIST) }] })) {
    for (const item of types) {
      const key = parseKey(item);
      const type = key?.form === 'edge' ? key.to[0]?.id : undefined;
      if (type !== undefined) yield* nodesOf(reader, allOf('scope', type));
    }
  }
}

/** A tenant, all that is listed in it, and who has a grant there. */
export async function* inOneTenant(reader: Reader, tenant: Ref): AsyncGenerator<Ref> {
  yield tenant;
  for await (const ref of nodesOf(reader, allInTenant(tenant)))
    if (partitionOf(ref) !== partitionOf(tenant)) yield ref;
  for (const prefix of [edgePrefix('user'), edgePrefix('grant')]) {
    for await (const items of pagesOf(reader, { ranges: [{ partition: partitionOf(tenant), prefix }] })) {
      for (const item of items) {
        const parsed = parseKey(item);
        if (parsed?.form === 'edge' && parsed.to[0]) yield parsed.to[0];
      }
    }
  }
}

/** The keys of all guards and names that are listed. */
export async function* lookUpKeys(reader: Reader): AsyncGenerator<readonly Key[]> {
  const ranges = [...guardLists, ...nameLists].map((partition) => ({ partition }));
  for await (const items of pagesOf(reader, { index: INDEXES.all, ranges }))
    yield items.map(({ PK, SK }) => ({ PK, SK }));
}

/** Several at a time. */
export async function inParallel<T>(
  all: AsyncIterable<T>,
  width: number,
  work: (each: T) => Promise<void>,
): Promise<void> {
  const iterator = all[Symbol.asyncIterator]();
  const worker = async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Holds a walk to a rate, from now on.
 *
 * @param rate items per second, at most; no limit when left out
 * @returns waits while so many items, in total, are more than the rate allows
 */
export function createPace(
  clock: { readonly now: () => number },
  rate: number | undefined,
): (items: number) => Promise<void> {
  const begun = clock.now();
  return async (items) => {
    if (rate === undefined) return;
    const ahead = (items / rate) * 1_000 - (clock.now() - begun);
    if (ahead > 0) await sleep(ahead);
  };
}
