import { SCOPE_TYPES } from '../entities/scope-types.ts';
import { GatehouseError } from '../errors.ts';
import { isRef, parseRef, type Ref } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { type Key, nodeKey, SCOPE_TYPE_LIST } from '../keys.ts';
import type { MergedQuery } from '../read/merged.ts';
import type { ListQuery, Page } from '../read/query.ts';
import type { Reader } from '../read/reader.ts';
import { type View, viewOf, viewsOf } from '../view.ts';
import { ownedBy } from './lists.ts';
import type { PageInput } from './pattern.ts';

/** The reads that patterns are made of. */

/** GetItem: one item as callers see it. */
export async function itemAt(reader: Reader, key: Key): Promise<View | undefined> {
  const item = await reader.get(key);
  return item && viewOf(item);
}

/** Who owns a unique value, from its guard. */
export function ownerOf(guard: Item): Ref {
  if (typeof guard.owner === 'string' && isRef(guard.owner)) return parseRef(guard.owner, 'owner');
  throw new GatehouseError('damaged_item', `${guard.PK} / ${guard.SK} has no owner`, { field: 'owner' });
}

/** GetItem of a guard, then of the node that owns the value. */
export async function nodeByGuard(reader: Reader, key: Key): Promise<View | undefined> {
  const guard = await reader.get(key);
  return guard && itemAt(reader, nodeKey(ownerOf(guard)));
}

/** Query: one page of a list. */
export const pageOf = async (
  reader: Reader,
  query: ListQuery,
  { limit, cursor }: PageInput,
): Promise<Page<View>> => viewsOf(await reader.list({ ...query, limit, cursor }));

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
