import { SCOPE_TYPES } from '../entities/scope-types.ts';
import { GatehouseError } from '../errors.ts';
import { isName, isRef, parseRef, type Ref } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { type Key, nodeKey, parseKey, SCOPE_TYPE_LIST } from '../keys.ts';
import type { ListQuery, MergedQuery, Page, Reader } from '../reader.ts';
import { type View, viewOf, viewsOf } from '../view.ts';
import type { PageInput } from './pattern.ts';
import { ownedBy } from './stretches.ts';

/** The reads that patterns are made of. */

/** GetItem: one item as callers see it. */
export async function itemAt(reader: Reader, key: Key): Promise<View | undefined> {
  const item = await reader.get(key);
  return item && viewOf(item);
}

/** Who owns a unique value, from its guard. Ids of `natural` nodes are names. */
export function ownerOf(guard: Item, natural?: string): Ref {
  const { owner } = guard;
  if (typeof owner === 'string') {
    if (natural === undefined && isRef(owner)) return parseRef(owner, 'owner');
    const id = owner.slice(`${natural}:`.length);
    if (owner === `${natural}:${id}` && isName(id)) return { type: String(natural), id };
  }
  throw new GatehouseError('damaged_item', `${guard.PK} / ${guard.SK} has no owner`, { field: 'owner' });
}

/** GetItem of a guard, then of the node that owns the value; `natural` is the type of nodes named by a natural key. */
export async function nodeByGuard(reader: Reader, key: Key, natural?: string): Promise<View | undefined> {
  const guard = await reader.get(key);
  return guard && itemAt(reader, nodeKey(ownerOf(guard, natural)));
}

/** Query: one page of a list. */
export const pageOf = async (
  reader: Reader,
  query: ListQuery,
  { limit, cursor }: PageInput,
): Promise<Page<View>> => viewsOf(await reader.list({ ...query, limit, cursor }));

/** Query: one page of a node and what hangs on it. Each says of which type it is. */
export async function typedPageOf(
  reader: Reader,
  query: ListQuery,
  { limit, cursor }: PageInput,
): Promise<Page<View>> {
  const page = await reader.list({ ...query, limit, cursor });
  return { ...page, items: page.items.map((item) => ({ ...viewOf(item), type: typeAt(item) })) };
}

/** The type of a node, or of the thing that an edge leads to. */
function typeAt(key: Key): string {
  const parsed = parseKey(key);
  if (parsed?.form === 'node') return parsed.type;
  const [to] = parsed?.form === 'edge' ? parsed.to : [];
  if (to) return to.type;
  throw new GatehouseError('damaged_item', `${key.PK} / ${key.SK} is neither a node nor an edge`);
}

/** Query of every partition of a list that is spread over several: one page, in the order of its sort keys. */
export const mergedPageOf = async (
  reader: Reader,
  query: MergedQuery,
  { limit, cursor }: PageInput,
): Promise<Page<View>> => viewsOf(await reader.listMerged({ ...query, limit, cursor }));

/** Query: the types of scopes that can be tenants, those that were added too. */
export async function rootTypes(reader: Reader): Promise<readonly string[]> {
  const builtIn = Object.keys(SCOPE_TYPES).filter((type) => SCOPE_TYPES[type]?.root);
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  return [...builtIn, ...added.filter(({ root }) => root === true).map(({ name }) => String(name))];
}
