import { ENTITIES, isScopeType } from '../../table/entities/registry.ts';
import { conflict, invalid } from '../../table/errors.ts';
import { allOf } from '../../table/index-queries.ts';
import { SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { listCommand } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { scopeTypeOf } from '../nodes/scope-types.ts';
import type { Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/** Types of scopes that operators add: data, no deployment. */
async function refuseUnknownTypes(
  planning: Planning,
  own: string,
  { parents, children }: Attributes,
): Promise<void> {
  for (const [field, types] of Object.entries({ parents, children })) {
    for (const type of Array.isArray(types) ? (types as string[]) : []) {
      if (type !== own && !(await scopeTypeOf(planning.reader, type)))
        throw invalid(field, `${field} names ${type}, which is no scope type`);
    }
  }
}

const scopeTypeBehaviour: Behaviour = {
  owners: () => [{ ref: SCOPE_TYPE_LIST, field: 'name', isAnchor: true }],
  onCreate: async (planning, ref, attributes) => {
    if (!isScopeType(ref.id))
      throw invalid('name', `${ref.id} has a meaning already: a scope type is called otherwise`);
    await refuseUnknownTypes(planning, ref.id, attributes);
  },
  // Read from an index, so a scope that was created this very moment may be missed: it stays what it is,
  // and only no other of its type can be created.
  refuseDeletion: async ({ reader }, { ref }) => {
    const { items } = await reader.list({ ...allOf('scope', ref.id), limit: 1 });
    if (items.length > 0) throw conflict('name', `there are still scopes of type ${ref.id}`);
  },
  onUpdate: async (planning, { ref }, _after, changes) => {
    await refuseUnknownTypes(planning, ref.id, changes);
  },
};

const listTypes = listCommand({
  name: 'scope-type.list',
  summary: 'Lists the scope types that were added, page by page.',
  all: ownedBy(SCOPE_TYPE_LIST, 'scope-type'),
});

export const SCOPE_TYPE: NodeKind = {
  entity: ENTITIES['scope-type'],
  behaviour: scopeTypeBehaviour,
  commands: [listTypes],
};
