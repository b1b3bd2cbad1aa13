import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { namedFrom } from '../../table/index-queries.ts';
import { by, listCommand } from '../kinds/lists.ts';
import type { NodeKind } from '../kinds/node-kind.ts';

const listPolicies = listCommand({
  name: 'policy.list',
  summary: 'Lists policies by name, all or those whose names begin with `prefix`, page by page.',
  by: [by({ prefix: field.pageName }, ({ prefix }) => namedFrom('policy', prefix.toLowerCase()))],
  all: namedFrom('policy', ''),
});

/** Static policies of Verified Permissions, found by name, by the beginning of a name, or by id. */
export const POLICY: NodeKind = { entity: ENTITIES.policy, behaviour: {}, commands: [listPolicies] };
