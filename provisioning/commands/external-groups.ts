import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid } from '../../table/errors.ts';
import { isAllowOnly, notAllowOnly, whenAllowOnly } from '../edges/allow-only.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadNode, loadRoot, textOf } from '../nodes/nodes.ts';

/**
 * What a group of an identity provider means in one tenant (ADR 0043). The groups that a token names may be fewer in
 * another token of the same person, so they must not deny: only an allow-only group can be meant, which carries no role
 * with a DENY, now or later.
 */
const externalGroupBehaviour: Behaviour = {
  onCreate: async (planning, _ref, { scope, group: id }) => {
    await loadRoot(planning, String(scope), 'scope', 'scope is no root: tokens count in a whole tenant');
    const group = await loadNode(planning, 'group', String(id), 'group');
    if (textOf(group.item, 'root') !== scope)
      throw invalid('group', `the group is in ${textOf(group.item, 'root')}, not in ${String(scope)}`);
    if (group.item.everyone === true)
      throw invalid('group', 'everyone is in this group: it needs no token that names it');
    if (!isAllowOnly(group.item)) throw notAllowOnly('group', group.ref);
    return {
      actions: [whenAllowOnly(group.ref, 'group')],
      derived: { groupScope: textOf(group.item, 'scope') },
    };
  },
};

export const EXTERNAL_GROUP: NodeKind = {
  entity: ENTITIES['external-group'],
  behaviour: externalGroupBehaviour,
};
