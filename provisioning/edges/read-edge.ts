import type { Effect } from '../../table/decision/items.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { readOrigins } from '../../table/membership-origins.ts';
import { optionalText, textOf, textsOf } from '../nodes/nodes.ts';
import type { Edge } from './edge.ts';
import { enterpriseProduct, enterpriseService, setting, workstreamMember } from './links.ts';
import {
  admin,
  assignment,
  type GrantOf,
  globalRole,
  groupRole,
  type MembershipOf,
  membership,
  rolePermission,
  tenantGrant,
} from './rights.ts';

/** Makes an edge of the attributes of an item: texts that it must have, and that it may, and what is no text. */
const reader =
  <T>(
    make: (of: T) => Edge,
    names: readonly (keyof T & string)[],
    optional: readonly (keyof T & string)[] = [],
    others: (item: Item) => Partial<T> = () => ({}),
  ) =>
  (item: Item): Edge =>
    make({
      ...Object.fromEntries(names.map((name) => [name, textOf(item, name)])),
      ...Object.fromEntries(optional.map((name) => [name, optionalText(item, name)])),
      ...others(item),
    } as T);

/** Every kind of edge, by the `Type` of its items: a deletion reads a node's partition and undoes each. */
const READERS: Readonly<Record<string, (item: Item) => Edge>> = {
  Membership: (item) => membership(readMembership(item)),
  GroupRole: reader(groupRole, ['group', 'role', 'scope', 'assignedAt'], [], ({ everyone, allowOnly }) => ({
    everyone: everyone === true,
    allowOnly: typeof allowOnly === 'boolean' ? allowOnly : undefined,
  })),
  RolePermission: reader(
    rolePermission,
    ['role', 'permission', 'roleScope'],
    ['when', 'grantedBy', 'grantedAt'],
    (item) => ({ effect: effectOf(item) }),
  ),
  Assignment: reader(assignment, ['id', 'user', 'role', 'scope'], ['startsAt', 'endsAt', 'createdBy']),
  TenantGrant: (item) => tenantGrant(readGrant(item)),
  GlobalRole: reader(globalRole, ['user', 'role']),
  Admin: reader(admin, ['user']),
  WorkstreamMember: reader(workstreamMember, ['user', 'workstream', 'assignedAt']),
  EnterpriseProduct: reader(enterpriseProduct, ['enterprise', 'product', 'assignedAt']),
  EnterpriseService: reader(enterpriseService, ['enterprise', 'service', 'assignedAt']),
  Setting: reader(
    setting,
    ['id', 'scope', 'key', 'value', 'valueType'],
    ['description', 'updatedBy'],
    ({ isOverridable }) => ({ isOverridable: isOverridable === true }),
  ),
};

export const readMembership = (item: Item): MembershipOf => ({
  user: textOf(item, 'user'),
  group: textOf(item, 'group'),
  scope: textOf(item, 'scope'),
  joinedAt: textOf(item, 'joinedAt'),
  isByScope: item.isByScope === true,
  ...readOrigins(item),
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
