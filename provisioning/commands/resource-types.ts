import { ENTITIES } from '../../table/entities/registry.ts';
import { notAScope } from '../../table/entities/scope-types.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { scopeTypeOf } from '../nodes/scope-types.ts';

/** Resource types of the AuthZEN API: which permission an action is, and where their objects are decided. */

const resourceTypeBehaviour: Behaviour = {
  /** Whether the scope exists, decisions see. */
  check: async ({ reader }, { scope }) => {
    if (typeof scope === 'string' && !(await scopeTypeOf(reader, scope.slice(0, scope.indexOf(':')))))
      throw notAScope('scope');
  },
};

export const RESOURCE_TYPE: NodeKind = {
  entity: ENTITIES['resource-type'],
  behaviour: resourceTypeBehaviour,
};
