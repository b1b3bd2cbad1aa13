import type { Effect } from '../../table/decision/items.ts';
import { permissionChanges, roleChanges, scopeChanges, subjectChanges } from '../../table/decision/writes.ts';
import { isRef, parseRef, type Ref, readSubject } from '../../table/identifiers.ts';
import { edgeKey, GLOBAL, type Key, nodeKey, permissionRef, wideEdgeKey } from '../../table/keys.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Action } from '../../table/write/action.ts';
import { touch } from '../nodes/nodes.ts';
import { between, changeEdge, type Edge } from './edge.ts';

/**
 * Every kind of edge that a check follows. Each constructor takes the ends and attributes and returns the
 * whole edge, which commands and deletions add, change and remove.
 */

/** A user by id, any other subject by reference. */
export const subject = (text: string): Ref => readSubject(text, 'user');
export const group = (id: string): Ref => ({ type: 'group', id });
export const role = (id: string): Ref => ({ type: 'role', id });

export interface MembershipOf {
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
  return {
    label: 'Membership',
    ...between({ ref: u, field: 'user' }, { ref: g, field: 'group' }),
    attributes: of,
    grant: [subjectChanges(u).join(of.scope, of.group, isByScope)],
    change: [],
    revoke: [subjectChanges(u).leave(of.scope, of.group)],
  };
}

export interface GroupRoleOf {
  group: string;
  role: string;
  scope: string;
  assignedAt: string;
  /** Of a new one: whether it is the group of everyone. */
  everyone?: boolean | undefined;
}

/** A role that a group carries; the group's scope repeats it. */
export function groupRole({ everyone, ...of }: GroupRoleOf): Edge {
  const [g, r] = [group(of.group), role(of.role)];
  const scope = parseRef(of.scope, 'scope');
  return {
    label: 'GroupRole',
    ...between({ ref: g, field: 'group' }, { ref: r, field: 'role' }),
    attributes: of,
    grant: [scopeChanges(scope)[everyone ? 'addEveryoneRole' : 'addGroupRole'](of.group, of.role)],
    change: [],
    revoke: [scopeChanges(scope).removeGroupRole(of.group, of.role)],
  };
}

/** The root that owns a role, from its `scope`; undefined for global roles. */
export const ownerOf = (roleScope: string): Ref | undefined =>
  isRef(roleScope) ? parseRef(roleScope, 'scope') : undefined;

/**
 * What a role does to a permission or to a pattern of permissions. `roleScope` says where the effect is
 * repeated: globally or in one root.
 */
export interface RolePermissionOf {
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

/** The change of a pattern, by that of a permission. */
const PATTERN_WRITES = { addEffect: 'addPattern', setEffect: 'setPattern' } as const;

export function rolePermission(of: RolePermissionOf): Edge {
  const r = role(of.role);
  const owner = ownerOf(of.roleScope);
  const exact = readPermissionName(of.permission);
  const p = permissionOrPattern(of.permission);
  const effectOf = (write: 'addEffect' | 'setEffect'): readonly Action[] => [
    exact
      ? permissionChanges(exact, owner)[write](of.role, of.effect, of.when)
      : roleChanges(owner)[PATTERN_WRITES[write]](of.role, of.permission, of.effect, of.when),
    ...(exact && owner && of.effect === 'DENY' ? [scopeChanges(owner).noteDenial(exact)] : []),
  ];
  return {
    label: 'RolePermission',
    field: 'permission',
    keys: [edgeKey(r, p), edgeKey(p, r)],
    attributes: { ...of, ...partsOf(of.permission) },
    // A pattern is no node: nothing has to be registered for it.
    ends: [{ ref: r, field: 'role' }, ...(exact ? [{ ref: p, field: 'permission' }] : [])],
    grant: effectOf('addEffect'),
    change: effectOf('setEffect'),
    revoke: [
      exact
        ? permissionChanges(exact, owner).removeEffect(of.role)
        : roleChanges(owner).removePattern(of.role, of.permission),
    ],
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
    grant: [subjectChanges(u).assign(of.scope, of.role, of.startsAt, of.endsAt)],
    revoke: [subjectChanges(u).unassign(of.scope, of.role)],
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
    grant: [
      subjectChanges(u).grant(of.scope, of.roles),
      ...of.roles.map((id): Action => ({ kind: 'put', item: grantRoleItem(of, id) })),
    ],
    revoke: [
      subjectChanges(u).grant(of.scope, []),
      ...of.roles.map((id): Action => ({ kind: 'delete', key: grantRoleKey(of, id) })),
    ],
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
    // The user shows them too.
    grant: [
      subjectChanges(u).addGlobalRole(of.role),
      { kind: 'update', key: nodeKey(u), add: { roles: new Set([of.role]) } },
    ],
    revoke: [
      subjectChanges(u).removeGlobalRole(of.role),
      { kind: 'update', key: nodeKey(u), takeOut: { roles: new Set([of.role]) } },
    ],
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
    grant: [subjectChanges(u).setAdmin(true), flag(u, true)],
    revoke: [subjectChanges(u).setAdmin(false), flag(u, false)],
  };
}
