import { GatehouseError } from '../errors.ts';
import { isRef, parseRef, type Ref } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { edgePrefix, type Key, nodeKey, partitionOf } from '../keys.ts';
import type { ListQuery, Page } from '../read/query.ts';
import type { Reader } from '../read/reader.ts';
import { type View, viewOf, viewsOf } from '../view.ts';
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

/** Query: one page of the edges from a node to things of these types, one type after the other. */
export const edgesFrom = async (
  reader: Reader,
  from: Ref,
  types: readonly string[],
  { limit, cursor }: PageInput,
  filter: Pick<ListQuery, 'keep'> = {},
): Promise<Page<View>> =>
  viewsOf(
    await reader.list({
      ranges: types.map((type) => ({ partition: partitionOf(from), prefix: edgePrefix(type) })),
      limit,
      cursor,
      ...filter,
    }),
  );
