import { ENTITIES } from '../../table/entities/registry.ts';
import { notAScope } from '../../table/entities/scope-types.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { scopeTypeOf } from '../nodes/scope-types.ts';
import type { Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/** Resource types of the AuthZEN API: which permission an action is, and where their objects are decided. */

/** Throws `invalid` on `scope` for a type of scopes that there is not. Whether the scope exists, decisions see. */
async function refuseUnknownScope({ reader }: Planning, { scope }: Attributes): Promise<void> {
  if (typeof scope === 'string' && !(await scopeTypeOf(reader, scope.slice(0, scope.indexOf(':')))))
    throw notAScope('scope');
}

const resourceTypeBehaviour: Behaviour = {
  onCreate: async (planning, _ref, attributes) => {
    await refuseUnknownScope(planning, attributes);
    return {};
  },
  onUpdate: async (planning, _node, _after, changes) => {
    await refuseUnknownScope(planning, changes);
    return [];
  },
};

export const RESOURCE_TYPE: NodeKind = {
  entity: ENTITIES['resource-type'],
  behaviour: resourceTypeBehaviour,
};
