import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid } from '../../table/errors.ts';
import { invariantSchema, NOT_ONE, permissionsOf } from '../../table/invariant.ts';
import { nodeKey, permissionRef } from '../../table/keys.ts';
import { isPermissionPattern, parsePermissionName } from '../../table/permission-name.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadNode, loadRoot, textOf } from '../nodes/nodes.ts';
import type { Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/** Throws `invalid` or `not_found` where an invariant says two things, or names what is not there. */
async function refuseWrong(planning: Planning, of: Attributes): Promise<void> {
  const { id, name, separate, within, never, except, scope } = of;
  const parsed = invariantSchema.safeParse({ id, name, separate, within, never, except });
  if (!parsed.success) throw invalid('separate', NOT_ONE);
  for (const permission of permissionsOf(parsed.data).filter((said) => !isPermissionPattern(said))) {
    const ref = permissionRef(parsePermissionName(permission, 'separate'));
    if (!(await planning.reader.get(nodeKey(ref))))
      throw invalid(separate ? 'separate' : 'never', `${permission} is not registered`);
  }
  if (!parsed.data.except) return;
  const group = await loadNode(planning, 'group', parsed.data.except.group, 'except');
  if (textOf(group.item, 'root') !== scope)
    throw invalid('except', `the group is in ${textOf(group.item, 'root')}, not in ${String(scope)}`);
}

/**
 * Invariants of a tenant (ADR 0047). They decide nothing: what would break one is refused when it is written, and what
 * breaks one is found by `gatehouse prove`.
 */
const invariantBehaviour: Behaviour = {
  onCreate: async (planning, { id }, attributes) => {
    const why = 'scope is no root: an invariant holds in a whole tenant';
    await loadRoot(planning, String(attributes.scope), 'scope', why);
    await refuseWrong(planning, { ...attributes, id });
  },
  onUpdate: async (planning, _node, after) => {
    await refuseWrong(planning, after);
  },
};

export const INVARIANT: NodeKind = {
  entity: ENTITIES.invariant,
  behaviour: invariantBehaviour,
};
