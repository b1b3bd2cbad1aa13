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
import { A_PAGE } from '../list-pages.ts';
import { guardLists } from '../nodes/guards.ts';
import { nameLists } from '../nodes/node-names.ts';

/** How far a walk is: in which of its lists, and where it goes on there. */
export interface Place {
  readonly list: string;
  /** The first page, where it is left out. */
  readonly cursor?: string | undefined;
}

/** What a page of a list leads to. */
export interface Found {
  /** Partitions to be read. */
  readonly refs: readonly Ref[];
  /** Items to be read by key. */
  readonly keys: readonly Key[];
  /** Where the walk goes on after it; undefined at its end. */
  readonly next: Place | undefined;
}

/** One of the lists of a walk. */
interface List {
  readonly name: string;
  readonly query: ListQuery;
  readonly of: (items: readonly Item[]) => Partial<Found>;
}

const nodesIn = (items: readonly Item[]): Partial<Found> => ({
  refs: items.flatMap((item) => {
    const parsed = parseKey(item);
    return parsed?.form === 'node' ? [{ type: parsed.type, id: parsed.id }] : [];
  }),
});

/** Types whose nodes are listed under their own name. */
const LISTED_TYPES = NODE_KINDS.map(({ entity }) => entity.type).filter((type) => type !== ADDED);

/** Owners that always exist and have no node. */
const ANCHORS: readonly Ref[] = [GLOBAL, ANY_TENANT, SCOPE_TYPE_LIST, EVERYONE_LIST, apiRef('default')];

/** The scope types that were added, in the order of their names. */
async function addedTypes(reader: Reader): Promise<readonly string[]> {
  const items = await reader.listAll({ ranges: [{ partition: partitionOf(SCOPE_TYPE_LIST) }] });
  return items.flatMap((item) => {
    const key = parseKey(item);
    const type = key?.form === 'edge' ? key.to[0]?.id : undefined;
    return type === undefined ? [] : [type];
  });
}

/** Everything that has a partition, by the lists of all nodes of each type; and the guards and names that are listed. */
async function everything(reader: Reader): Promise<readonly List[]> {
  const added = await addedTypes(reader);
  return [
    ...LISTED_TYPES.map((type) => ({ name: type, query: allOf(type as EntityType), of: nodesIn })),
    ...added.map((type) => ({ name: `scope ${type}`, query: allOf('scope', type), of: nodesIn })),
    {
      name: 'guards and names',
      query: {
        index: INDEXES.all,
        ranges: [...guardLists, ...nameLists].map((partition) => ({ partition })),
      },
      of: (items) => ({ keys: items.map(({ PK, SK }) => ({ PK, SK })) }),
    },
  ];
}

/** All that is listed in a tenant, and who has a grant there. */
function inOneTenant(tenant: Ref): readonly List[] {
  const partition = partitionOf(tenant);
  const granted = (items: readonly Item[]): Partial<Found> => ({
    refs: items.flatMap((item) => {
      const parsed = parseKey(item);
      return parsed?.form === 'edge' && parsed.to[0] ? [parsed.to[0]] : [];
    }),
  });
  return [
    {
      name: 'tenant',
      query: allInTenant(tenant),
      of: (items) => ({ refs: (nodesIn(items).refs ?? []).filter((ref) => partitionOf(ref) !== partition) }),
    },
    ...['user', 'grant'].map((type) => ({
      name: `${type} of the tenant`,
      query: { ranges: [{ partition, prefix: edgePrefix(type) }] },
      of: granted,
    })),
  ];
}

/**
 * The pages of a walk, over a tenant or over everything.
 *
 * @param from where an earlier walk has stopped
 */
export async function* walkOver(
  reader: Reader,
  tenant: Ref | undefined,
  from: Place | undefined,
): AsyncGenerator<Found> {
  const lists = tenant ? inOneTenant(tenant) : await everything(reader);
  if (!from) yield { refs: tenant ? [tenant] : ANCHORS, keys: [], next: { list: lists[0]?.name ?? '' } };
  const first = Math.max(
    0,
    lists.findIndex(({ name }) => name === from?.list),
  );
  for (const [position, { name, query, of }] of lists.entries()) {
    if (position < first) continue;
    let cursor = position === first ? from?.cursor : undefined;
    do {
      const page: Awaited<ReturnType<Reader['list']>> = await reader.list({
        ...query,
        limit: A_PAGE,
        cursor,
      });
      cursor = page.cursor;
      const following = cursor === undefined ? lists[position + 1]?.name : name;
      const next = following === undefined ? undefined : { list: following, cursor };
      yield { refs: [], keys: [], ...of(page.items), next };
    } while (cursor !== undefined);
  }
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
