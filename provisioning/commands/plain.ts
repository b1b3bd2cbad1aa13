import type { Entity } from '../../table/entities/entity.ts';
import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';
import { formatRef } from '../../table/identifiers.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadScopeOf, rootOf } from '../nodes/nodes.ts';

/** Kinds that are no more than their entry in the registry: what a platform keeps of its customers. */
const behaviourOf = ({ hangsOn: [owner] = [], inTenant }: Entity): Behaviour => ({
  onCreate: async (planning, _ref, attributes) => {
    if (owner === undefined) return {};
    const place = await loadScopeOf(planning, owner, String(attributes[owner]));
    return inTenant?.tenant === 'root' ? { derived: { root: formatRef(rootOf(place)) } } : {};
  },
});

export const PLAIN_KINDS: readonly NodeKind[] = PLAIN_ENTITIES.map((entity) => ({
  entity,
  behaviour: behaviourOf(entity),
}));
