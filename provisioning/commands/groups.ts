import { Attribute } from '../../table/decision/attributes.ts';
import { markOf } from '../../table/decision/split.ts';
import { expireGroupRoles, removeGroupRoles } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { limitExceeded, stale } from '../../table/errors.ts';
import { formatRef, isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { DECISION, decisionKey, EVERYONE_LIST, nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import { isAllowOnly, notAllowOnly } from '../edges/allow-only.ts';
import { role } from '../edges/rights.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { asRead, loadScope, rootOf, textOf } from '../nodes/nodes.ts';
import type { Node, Planning } from '../plan.ts';

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
  onUpdate: async (planning, node, after) =>
    isAllowOnly(after) && !isAllowOnly(node.item) ? [await carryingAllowOnly(planning, node)] : [],
  // What stands for it in tokens is to be taken away first.
  keepsOwned: true,
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

/** A group of more roles than this is marked as allow-only when it is made, or not at all. */
const MAX_CARRIED = 1_000;

/** The condition that a group carries the roles that it was found to carry, which are allow-only. */
async function carryingAllowOnly({ reader }: Planning, group: Node): Promise<Action> {
  const edges = await reader.listAll(edgesFrom(group.ref, 'role'));
  if (edges.length > MAX_CARRIED)
    throw limitExceeded(
      `the group carries ${edges.length} roles: at most ${MAX_CARRIED} are looked at`,
      'allowOnly',
    );
  const carried = edges.map((edge) => role(textOf(edge, 'role')));
  const nodes = await reader.getMany(carried.map(nodeKey));
  const other = carried.find((_, n) => !isAllowOnly(nodes[n] ?? {}));
  if (other) throw notAllowOnly('allowOnly', other);
  return asRead(group, ['rev'], () => stale('the group', 'id'));
}

const rolesIn = ({ [Attribute.rolesOfGroup]: roles }: Item): ReadonlySet<string> =>
  roles instanceof Set ? (roles as ReadonlySet<string>) : new Set();
const isExpiring = (item: Item): boolean =>
  item[Attribute.timeToLive] !== undefined && rolesIn(item).size === 0;

export const GROUP: NodeKind = {
  entity: ENTITIES.group,
  behaviour: groupBehaviour,
};
