import type { Effect } from '../../table/decision/items.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { optionalText, textOf, textsOf } from '../nodes/nodes.ts';
import type { Edge } from './edge.ts';
import { enterpriseUse, setting, workstreamMember } from './links.ts';
import {
  admin,
  assignment,
  type GrantOf,
  globalRole,
  groupRole,
  membership,
  rolePermission,
  tenantGrant,
} from './rights.ts';

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
      grantedBy: optionalText(item, 'grantedBy'),
      grantedAt: optionalText(item, 'grantedAt'),
    }),
  Assignment: (item) =>
    assignment({
      id: textOf(item, 'id'),
      user: textOf(item, 'user'),
      role: textOf(item, 'role'),
      scope: textOf(item, 'scope'),
      startsAt: optionalText(item, 'startsAt'),
      endsAt: optionalText(item, 'endsAt'),
      createdBy: optionalText(item, 'createdBy'),
    }),
  TenantGrant: (item) => tenantGrant(readGrant(item)),
  GlobalRole: (item) => globalRole({ user: textOf(item, 'user'), role: textOf(item, 'role') }),
  Admin: (item) => admin({ user: textOf(item, 'user') }),
  WorkstreamMember: (item) =>
    workstreamMember({
      user: textOf(item, 'user'),
      workstream: textOf(item, 'workstream'),
      assignedAt: textOf(item, 'assignedAt'),
    }),
  EnterpriseProduct: (item) => readUse('product', item),
  EnterpriseService: (item) => readUse('service', item),
  Setting: (item) =>
    setting({
      id: textOf(item, 'id'),
      scope: textOf(item, 'scope'),
      key: textOf(item, 'key'),
      value: textOf(item, 'value'),
      valueType: textOf(item, 'valueType'),
      isOverridable: item.isOverridable === true,
      description: optionalText(item, 'description'),
      updatedBy: optionalText(item, 'updatedBy'),
    }),
};

const readUse = (type: 'product' | 'service', item: Item): Edge =>
  enterpriseUse(type, {
    enterprise: textOf(item, 'enterprise'),
    used: textOf(item, type),
    assignedAt: textOf(item, 'assignedAt'),
  });

export const readGrant = (item: Item): GrantOf => ({
  id: textOf(item, 'id'),
  user: textOf(item, 'user'),
  scope: textOf(item, 'scope'),
  joinedAt: textOf(item, 'joinedAt'),
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
