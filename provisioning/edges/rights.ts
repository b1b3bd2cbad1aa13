import {
  Attribute,
  assignmentAttribute,
  conditionAttribute,
  type Entry,
  formatInterval,
  grantAttribute,
  groupAttribute,
  groupRolesAttribute,
  memberAttribute,
  patternAttribute,
} from '../../table/decision/attributes.ts';
import type { Effect } from '../../table/decision/items.ts';
import { BY_SCOPE } from '../../table/decision/split.ts';
import { stale } from '../../table/errors.ts';
import { isRef, parseRef, type Ref, readSubject } from '../../table/identifiers.ts';
import {
  decisionKey,
  edgeKey,
  GLOBAL,
  globalKey,
  type Key,
  nodeKey,
  permissionRef,
  tenantEffectsKey,
  wideEdgeKey,
} from '../../table/keys.ts';
import { isInForce, type Origins } from '../../table/membership-origins.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Action } from '../../table/write/action.ts';
import { touch } from '../nodes/nodes.ts';
import { refusedEffect, unlessAllowOnly, whenAllowOnly } from './allow-only.ts';
import { between, changeEdge, type Edge } from './edge.ts';

/**
 * Every kind of edge that a check follows. Each constructor takes the ends and attributes and returns the
 * whole edge, which commands and deletions add, change and remove.
 */

/** A user by id, any other subject by reference. */
export const subject = (text: string): Ref => readSubject(text, 'user');
export const group = (id: string): Ref => ({ type: 'group', id });
export const role = (id: string): Ref => ({ type: 'role', id });

export interface MembershipOf extends Origins {
  user: string;
  group: string;
  scope: string;
  joinedAt: string;
  /** Of a new one: whether those of the group are listed by scope (ADR 0003). */
  isByScope?: boolean | undefined;
}

/** A user in a group. */
export function membership({ isByScope, ...of }: MembershipOf): Edge {
  const [u, g] = [subject(of.user), group(of.group)];
  // Where the groups of the subject stand, nobody knows before it is sent (table/decision/apart.ts).
  const entry = {
    at: decisionKey(u),
    attribute: memberAttribute(of.scope, of.group),
    value: isByScope ? BY_SCOPE : true,
  };
  return {
    label: 'Membership',
    ...between({ ref: u, field: 'user' }, { ref: g, field: 'group' }),
    attributes: { ...of, origins: of.origins, suspended: of.suspended },
    entries: isInForce(of) ? [entry] : [],
  };
}

interface GroupRoleOf {
  group: string;
  role: string;
  scope: string;
  assignedAt: string;
  /** Of a new one: whether it is the group of everyone. */
  everyone?: boolean | undefined;
  /** Of a new one: whether the group is allow-only. */
  allowOnly?: boolean | undefined;
}

/** A role that a group carries; the group's scope repeats it. */
export function groupRole({ everyone, allowOnly, ...of }: GroupRoleOf): Edge {
  const [g, r] = [group(of.group), role(of.role)];
  // Where the roles of a group stand, nobody knows before it is sent; those of the group of everyone do not move.
  const attributeOf = everyone ? groupAttribute : groupRolesAttribute;
  return {
    label: 'GroupRole',
    ...between({ ref: g, field: 'group' }, { ref: r, field: 'role' }),
    attributes: of,
    entries: [
      { at: decisionKey(parseRef(of.scope, 'scope')), attribute: attributeOf(of.group), member: of.role },
    ],
    grant:
      allowOnly === undefined
        ? []
        : [allowOnly ? whenAllowOnly(r, 'role') : unlessAllowOnly(g, () => stale('the group', 'group'))],
  };
}

/** The root that owns a role, from its `scope`; undefined for global roles. */
export const ownerOf = (roleScope: string): Ref | undefined =>
  isRef(roleScope) ? parseRef(roleScope, 'scope') : undefined;

/**
 * What a role does to a permission or to a pattern of permissions. `roleScope` says where the effect is
 * repeated: globally or in one root.
 */
interface RolePermissionOf {
  role: string;
  permission: string;
  effect: Effect;
  /** An expression in CEL: the effect counts only where it holds. */
  when?: string | undefined;
  roleScope: string;
  grantedBy?: string | undefined;
  grantedAt?: string | undefined;
}

/** The page or permission of this name; a pattern is in the keys of edges like a permission. */
export const permissionOrPattern = (text: string): Ref =>
  permissionRef(readPermissionName(text) ?? { kind: 'permission', text });

/** What a role says of a permission, or of a pattern. Only of a permission a root notes that its roles deny it. */
function effectEntries({
  role: id,
  permission,
  effect,
  when,
  roleScope,
}: RolePermissionOf): readonly Entry[] {
  const owner = ownerOf(roleScope);
  const exact = readPermissionName(permission);
  const conditional = { effect, when };
  if (!exact) {
    const attribute = patternAttribute(id, permission);
    return [{ at: owner ? decisionKey(owner) : globalKey(), attribute, value: when ? conditional : effect }];
  }
  const at = owner ? tenantEffectsKey(owner, exact) : decisionKey(permissionRef(exact));
  return [
    when
      ? { at, attribute: conditionAttribute(id), value: conditional }
      : { at, attribute: effect === 'ALLOW' ? Attribute.allow : Attribute.deny, member: id },
    ...(owner && effect === 'DENY'
      ? [{ at: decisionKey(owner), attribute: Attribute.denials, member: exact.text }]
      : []),
  ];
}

export function rolePermission(of: RolePermissionOf): Edge {
  const r = role(of.role);
  const exact = readPermissionName(of.permission);
  const p = permissionOrPattern(of.permission);
  const refusal = refusedEffect(r, of.effect, of.permission);
  return {
    label: 'RolePermission',
    field: 'permission',
    keys: [edgeKey(r, p), edgeKey(p, r)],
    attributes: { ...of, ...partsOf(of.permission) },
    // A pattern is no node: nothing has to be registered for it.
    ends: [{ ref: r, field: 'role' }, ...(exact ? [{ ref: p, field: 'permission' }] : [])],
    entries: effectEntries(of),
    grant: refusal ? [unlessAllowOnly(r, () => refusal)] : [],
  };
}

/** Module, action and resource of a permission or pattern; a page has none. */
export function partsOf(
  permission: string,
): { module: string; action: string; resource: string } | undefined {
  const [module, action, resource] = permission.split(':');
  return module && action && resource ? { module, action, resource } : undefined;
}

export interface AssignmentOf {
  id: string;
  user: string;
  role: string;
  scope: string;
  startsAt?: string | undefined;
  endsAt?: string | undefined;
  createdBy?: string | undefined;
}

/** A role held at a scope, from a start until an end. */
export function assignment(of: AssignmentOf): Edge {
  const [u, r] = [subject(of.user), role(of.role)];
  const scope = parseRef(of.scope, 'scope');
  return {
    label: 'Assignment',
    field: 'role',
    keys: [
      wideEdgeKey(u, 'assignment', scope, r),
      wideEdgeKey(scope, 'assignment', u, r),
      wideEdgeKey(r, 'assignment', u, scope),
    ],
    attributes: { ...of },
    ends: [
      { ref: u, field: 'user' },
      { ref: scope, field: 'scope' },
      { ref: r, field: 'role' },
    ],
    entries: [
      {
        at: decisionKey(u),
        attribute: assignmentAttribute(of.scope, of.role),
        value: formatInterval(of.startsAt, of.endsAt),
      },
    ],
  };
}

export interface GrantOf {
  id: string;
  joinedAt: string;
  user: string;
  scope: string;
  roles: readonly string[];
}

/**
 * The key of a grant in its root's partition. A technical user is there already, as owned by its account: its
 * grant has a key of its own, and so have those of all subjects but users.
 */
export const grantKey = (root: Ref, holder: Ref): Key =>
  holder.type === 'user' ? edgeKey(root, holder) : wideEdgeKey(root, 'grant', holder);

/** A user in a tenant, with roles there or none. */
export function tenantGrant(of: GrantOf): Edge {
  const u = subject(of.user);
  const root = parseRef(of.scope, 'scope');
  return {
    label: 'TenantGrant',
    field: 'user',
    keys: [grantKey(root, u), edgeKey(u, root), nodeKey({ type: 'grant', id: of.id })],
    attributes: { ...of },
    ends: [
      { ref: root, field: 'scope' },
      ...of.roles.map((id) => ({ ref: role(id), field: 'roles' })),
      { ref: u, field: 'user' },
    ],
    // A grant without roles is a membership only; a set cannot be empty.
    entries: [
      {
        at: decisionKey(u),
        attribute: grantAttribute(of.scope),
        value: of.roles.length > 0 ? new Set(of.roles) : undefined,
      },
    ],
    grant: of.roles.map((id) => ({ kind: 'put', item: grantRoleItem(of, id) })),
    revoke: of.roles.map((id) => ({ kind: 'delete', key: grantRoleKey(of, id) })),
  };
}

/** The mirror of a grant at each of its roles: who holds this role, and what to change when it is deleted. */
const grantRoleKey = (of: Omit<GrantOf, 'roles'>, id: string) =>
  wideEdgeKey(role(id), 'grant', parseRef(of.scope, 'scope'), subject(of.user));

const grantRoleItem = ({ roles: _, ...of }: GrantOf, id: string) => ({
  ...grantRoleKey(of, id),
  Type: 'GrantRole',
  grant: of.id,
  user: of.user,
  scope: of.scope,
  role: id,
});

/** Replaces the roles of a grant. Deletes the mirrors of roles that it no longer has. */
export function changeGrantRoles(
  before: GrantOf,
  roles: readonly string[],
  now: string,
  touchEnd?: typeof touch,
): readonly Action[] {
  const gone = before.roles.filter((id) => !roles.includes(id));
  return [
    ...changeEdge(tenantGrant(before), tenantGrant({ ...before, roles }), now, touchEnd),
    ...gone.flatMap((id): Action[] => [
      touch(role(id), 'roles'),
      { kind: 'delete', key: grantRoleKey(before, id) },
    ]),
  ];
}

/** A role that a user holds everywhere. */
export function globalRole(of: { user: string; role: string }): Edge {
  const [u, r] = [subject(of.user), role(of.role)];
  return {
    label: 'GlobalRole',
    ...between({ ref: u, field: 'user' }, { ref: r, field: 'role' }),
    attributes: of,
    entries: [{ at: decisionKey(u), attribute: Attribute.globalRoles, member: of.role }],
    // The user shows them too.
    grant: [{ kind: 'update', key: nodeKey(u), add: { roles: new Set([of.role]) } }],
    revoke: [{ kind: 'update', key: nodeKey(u), takeOut: { roles: new Set([of.role]) } }],
  };
}

/** The user shows it too. */
const flag = (of: Ref, isAdmin: boolean): Action => ({ kind: 'update', key: nodeKey(of), set: { isAdmin } });

/** The flag that lets a user do everything. Its edge is the list of administrators. */
export function admin(of: { user: string }): Edge {
  const u = subject(of.user);
  return {
    label: 'Admin',
    field: 'user',
    keys: [edgeKey(u, GLOBAL), edgeKey(GLOBAL, u)],
    attributes: of,
    ends: [{ ref: u, field: 'user' }],
    entries: [{ at: decisionKey(u), attribute: Attribute.isAdmin, value: true }],
    grant: [flag(u, true)],
    revoke: [flag(u, false)],
  };
}
