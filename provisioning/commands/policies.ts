import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { namedFrom } from '../../table/index-queries.ts';
import type { Command } from '../command.ts';
import { by, listCommand } from '../kinds/lists.ts';
import { nodeCommands } from '../kinds/node-commands.ts';
import type { NodeKind } from '../kinds/node-kind.ts';

/**
 * Static policies of Verified Permissions, found by name, by the beginning of a name, or by id.
 */
export const POLICY_KINDS: readonly NodeKind[] = [{ entity: ENTITIES.policy, behaviour: {} }];

const listPolicies = listCommand({
  name: 'policy.list',
  summary: 'Lists policies by name, all or those whose names begin with `prefix`, page by page.',
  by: [by({ prefix: field.pageName }, ({ prefix }) => namedFrom('policy', prefix.toLowerCase()))],
  all: namedFrom('policy', ''),
});

export const policyCommands: readonly Command[] = [...POLICY_KINDS.flatMap(nodeCommands), listPolicies];
