import { Attribute } from '../../table/decision/attributes.ts';
import { markOf } from '../../table/decision/split.ts';
import { expireGroupRoles, removeGroupRoles } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { formatRef, isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { DECISION, decisionKey, EVERYONE_LIST } from '../../table/keys.ts';
import { listOwnedCommand } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { loadScope, rootOf, textOf } from '../nodes/nodes.ts';

/**
 * Groups: owned by the scope at which they are. Their roles are repeated in that scope's decision item, and so is
 * which of them is the group of everyone. All groups of everyone are in one list: whose access they give is found
 * by no membership.
 */
const groupBehaviour: Behaviour = {
  owners: ({ scope, everyone }) => [
    ...(typeof scope === 'string' && isRef(scope) ? [{ ref: parseRef(scope, 'scope'), field: 'scope' }] : []),
    ...(everyone === true ? [{ ref: EVERYONE_LIST, field: 'everyone', isAnchor: true } as const] : []),
  ],
  onCreate: async (planning, _ref, { scope }) => {
    const place = await loadScope(planning, String(scope), 'scope');
    return { derived: { root: formatRef(rootOf(place)), ...markOf(place.item) } };
  },
  // Without its roles a group gives nothing to its members.
  close: ({ ref, item }) => [removeGroupRoles(parseRef(textOf(item, 'scope'), 'scope'), ref.id)],
  // Its roles, where they stand apart or once did.
  remains: async ({ now, splits }, { ref, item }, around) => {
    const apart = around.filter(({ SK }) => SK === DECISION);
    // Where they stand apart, taking one from it writes there, also of the group of everyone.
    const scope = decisionKey(parseRef(textOf(item, 'scope'), 'scope'));
    const isMade = apart.length === 0 && splits?.has(scope, Attribute.groupRoles) === true;
    if (isMade && around.some(({ Type }) => Type === 'GroupRole'))
      return [[expireGroupRoles(ref.id, new Set(), Date.parse(now))]];
    return apart
      .filter((each) => !isExpiring(each))
      .map((each) => [expireGroupRoles(ref.id, rolesIn(each), Date.parse(now))]);
  },
};

const rolesIn = ({ [Attribute.rolesOfGroup]: roles }: Item): ReadonlySet<string> =>
  roles instanceof Set ? (roles as ReadonlySet<string>) : new Set();
const isExpiring = (item: Item): boolean =>
  item[Attribute.timeToLive] !== undefined && rolesIn(item).size === 0;

export const GROUP: NodeKind = {
  entity: ENTITIES.group,
  behaviour: groupBehaviour,
  commands: [listOwnedCommand('group', 'scope')],
};
