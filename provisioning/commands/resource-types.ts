import { resourceTypeChange } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { notAScope } from '../../table/entities/scope-types.ts';
import type { Action } from '../../table/write/action.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { scopeTypeOf } from '../nodes/scope-types.ts';
import type { Node, Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/** Resource types of the AuthZEN API: which permission an action is, and where their objects are decided. */
type Mapping = Parameters<typeof resourceTypeChange>[1];
const mappingOf = ({ permission, actions, scope }: Attributes) => ({ permission, actions, scope }) as Mapping;

/** Throws `invalid` on `scope` for a type of scopes that there is not. Whether the scope exists, decisions see. */
async function refuseUnknownScope({ reader }: Planning, { scope }: Attributes): Promise<void> {
  if (typeof scope === 'string' && !(await scopeTypeOf(reader, scope.slice(0, scope.indexOf(':')))))
    throw notAScope('scope');
}

/**
 * The decision item stays, without a mapping: that it is absent would count as true at any time, also beside
 * items from before the deletion (engine/item-cache.ts).
 */
const unmap = ({ ref }: Node): readonly Action[] => [resourceTypeChange(ref.id, {})];

const resourceTypeBehaviour: Behaviour = {
  onCreate: async (planning, ref, attributes) => {
    await refuseUnknownScope(planning, attributes);
    return { actions: [resourceTypeChange(ref.id, mappingOf(attributes))] };
  },
  onUpdate: async (planning, { ref }, after, changes) => {
    await refuseUnknownScope(planning, changes);
    return [resourceTypeChange(ref.id, mappingOf(after))];
  },
  close: unmap,
  onDelete: unmap,
};

export const RESOURCE_TYPE: NodeKind = {
  entity: ENTITIES['resource-type'],
  behaviour: resourceTypeBehaviour,
};
