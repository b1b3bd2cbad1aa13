import type { Effect } from '../../table/decision/facts.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { optionalText, textOf, textsOf } from '../nodes/nodes.ts';
import type { Edge } from './edge.ts';
import {
  admin,
  assignment,
  type GrantOf,
  globalRole,
  groupRole,
  membership,
  rolePermission,
  tenantGrant,
} from './kinds.ts';

/** Items of edges back into edges, by their `Type`. A deletion reads a node's partition and undoes each. */
const READERS: Readonly<Record<string, (item: Item) => Edge>> = {
  Membership: (item) =>
    membership({
      user: textOf(item, 'user'),
      group: textOf(item, 'group'),
      scope: textOf(item, 'scope'),
      joinedAt: textOf(item, 'joinedAt'),
    }),
  GroupRole: (item) =>
    groupRole({
      group: textOf(item, 'group'),
      role: textOf(item, 'role'),
      scope: textOf(item, 'scope'),
      assignedAt: textOf(item, 'assignedAt'),
    }),
  RolePermission: (item) =>
    rolePermission({
      role: textOf(item, 'role'),
      permission: textOf(item, 'permission'),
      effect: effectOf(item),
      roleScope: textOf(item, 'roleScope'),
    }),
  Assignment: (item) =>
    assignment({
      user: textOf(item, 'user'),
      role: textOf(item, 'role'),
      scope: textOf(item, 'scope'),
      startsAt: optionalText(item, 'startsAt'),
      endsAt: optionalText(item, 'endsAt'),
    }),
  TenantGrant: (item) => tenantGrant(readGrant(item)),
  GlobalRole: (item) => globalRole({ user: textOf(item, 'user'), role: textOf(item, 'role') }),
  Admin: (item) => admin({ user: textOf(item, 'user') }),
};

export const readGrant = (item: Item): GrantOf => ({
  id: textOf(item, 'id'),
  user: textOf(item, 'user'),
  scope: textOf(item, 'scope'),
  roles: textsOf(item, 'roles'),
});

function effectOf(item: Item): Effect {
  const effect = textOf(item, 'effect');
  if (effect === 'ALLOW' || effect === 'DENY') return effect;
  throw new GatehouseError('damaged_item', `${item.PK} / ${item.SK} has no effect`, { field: 'effect' });
}

/** The edge that the item belongs to; undefined for nodes, decision items and ownership. */
export function readEdge(item: Item): Edge | undefined {
  const read = READERS[String(item.Type)];
  return read?.(item);
}

/** The command that takes away what an item of this type stands for. */
const REMOVED_BY: Readonly<Record<string, string>> = {
  Membership: 'membership.delete',
  GroupRole: 'group-role.delete',
  RolePermission: 'role-permission.delete',
  Assignment: 'assignment.delete',
  TenantGrant: 'grant.delete',
  GrantRole: 'grant.update',
  GlobalRole: 'global-role.delete',
  Admin: 'admin.delete',
};

/** How to take away first what hangs on a node that has too many edges to go in one write. */
export function howToLighten(around: readonly Item[]): string {
  const counts = new Map<string, number>();
  for (const { Type } of around) {
    const command = REMOVED_BY[String(Type)];
    if (command) counts.set(command, (counts.get(command) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([command, count]) => `${count} by ${command}`);
  return `first remove what hangs on it (${parts.join(', ')}), then delete it`;
}
