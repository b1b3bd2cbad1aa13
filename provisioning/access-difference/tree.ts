import { isBuiltIn, SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { parseRef } from '../../table/identifiers.ts';
import { SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { edgesFrom, isOwnership, ownedBy } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';

/**
 * All scopes below one, parents first, by their ownership edges. Inactive scopes are left out with all below them:
 * nobody is allowed anything there.
 */
export async function* scopesUnder(reader: Reader, top: string): AsyncGenerator<string> {
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  const addedTypes = added.map(({ name }) => String(name));
  /** The definition of an added type may have changed since: its scopes may have any children. */
  const typesUnder = (type: string): readonly string[] => [
    ...Object.keys(SCOPE_TYPES).filter(
      (each) => !isBuiltIn(type) || SCOPE_TYPES[each]?.parents.includes(type),
    ),
    ...addedTypes,
  ];
  async function* below(parent: string): AsyncGenerator<string> {
    const ref = parseRef(parent, 'scope');
    const types = typesUnder(ref.type);
    if (types.length === 0) return;
    for (const item of await reader.listAll(edgesFrom(ref, ...types))) {
      const { owned, parent: above, status } = item;
      // A building also lists scopes in its zones, and an enterprise linked workstreams: skip those.
      if (!isOwnership(item) || above !== parent || (status !== undefined && status !== 'active')) continue;
      yield String(owned);
      yield* below(String(owned));
    }
  }
  yield* below(top);
}
