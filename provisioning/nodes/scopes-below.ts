import { mayBeScopeType, typesBelow } from '../../table/entities/scope-types.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey, partitionOf, SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { edgesFrom, isOwnership, ownedBy, ownedRef } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import type { Node } from '../plan.ts';

/** The edges from a scope to the scopes directly below it: of all types, or of these. */
async function edgesToChildren(reader: Reader, parent: Ref, types?: readonly string[]) {
  const { ranges } = types ? edgesFrom(parent, ...types) : { ranges: [{ partition: partitionOf(parent) }] };
  const items = await reader.listAll({ ranges, keep: isOwnership });
  return items.flatMap((item) => {
    const ref = ownedRef(item);
    // A building also owns copies of what is in its zones, an enterprise of workstreams of accounts.
    return mayBeScopeType(ref.type) && item.parent === formatRef(parent) ? [{ ref, item }] : [];
  });
}

/**
 * The children of these scopes, as their nodes say: the edges only name them, and what was moved away after it was listed
 * is no child any more. Whatever leaves a scope changes the revision that the scope had when it was listed.
 */
export async function scopesBelow(reader: Reader, parents: readonly Ref[]): Promise<readonly Node[]> {
  const found: { readonly ref: Ref; readonly item: Item }[] = [];
  for (const parent of parents) found.push(...(await edgesToChildren(reader, parent)));
  const nodes = await reader.getMany(found.map(({ ref }) => nodeKey(ref)));
  return found.flatMap(({ ref, item: { parent } }, position) => {
    const item = nodes[position];
    return item && item.parent === parent ? [{ ref, item }] : [];
  });
}

/**
 * All scopes below one, parents first, as the edges say. Only edges to types that may be there are read.
 *
 * @param which whether inactive scopes are left out with all below them: nobody is allowed anything there
 */
export async function* refsBelow(
  reader: Reader,
  top: string,
  which: 'active' | 'all',
): AsyncGenerator<string> {
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  const addedTypes = added.map(({ name }) => String(name));
  async function* below(parent: Ref): AsyncGenerator<string> {
    const types = typesBelow(parent.type, addedTypes);
    if (types.length === 0) return;
    for (const { ref, item } of await edgesToChildren(reader, parent, types)) {
      if (which === 'active' && item.status !== undefined && item.status !== 'active') continue;
      yield formatRef(ref);
      yield* below(ref);
    }
  }
  yield* below(parseRef(top, 'scope'));
}
