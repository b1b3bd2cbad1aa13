import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { invalid } from '../../table/errors.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import { edgeKey, GLOBAL, wideEdgeKey } from '../../table/keys.ts';
import { edgesFrom, edgesToSubjects, wideEdgesFrom } from '../../table/partition-queries.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import type { Command } from '../command.ts';
import { isAllowOnly } from '../edges/allow-only.ts';
import { group, ownerOf, permissionOrPattern, role, subject } from '../edges/rights.ts';
import { refuseEmptyPeriod, refuseForeignRole } from '../edges/rules.ts';
import { type EdgeKind, edgeCommands, rootOfEdge } from '../kinds/edge-commands.ts';
import { by } from '../kinds/lists.ts';
import { loadNode, loadRef, loadScope, rootOf, textOf } from '../nodes/nodes.ts';
import { refuseCondition } from '../nodes/properties.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { membershipKind } from './memberships.ts';

/** The commands of edges: which fields name one, which may change, and by which they are listed. */

const groupRoleKind: EdgeKind = {
  type: 'group-role',
  summary: 'the assignment of a role to a group',
  identity: z.strictObject({ group: field.id, role: field.id }),
  since: 'assignedAt',
  keyOf: (of) => edgeKey(group(String(of.group)), role(String(of.role))),
  tenantOf: rootOfEdge,
  complete: async (planning, input) => {
    const node = await loadNode(planning, 'group', String(input.group), 'group');
    const root = textOf(node.item, 'root');
    await refuseForeignRole(planning, String(input.role), root, 'role');
    return {
      attributes: {
        scope: textOf(node.item, 'scope'),
        everyone: node.item.everyone,
        allowOnly: isAllowOnly(node.item),
      },
      tenant: parseRef(root, 'root'),
    };
  },
  lists: [
    by({ group: field.id }, ({ group: id }) => edgesFrom(group(id), 'role')),
    by({ role: field.id }, ({ role: id }) => edgesFrom(role(id), 'group')),
  ],
};

/** What a role has effects on; patterns count as permissions. */
const KINDS = ['page', 'permission'] as const;

const rolePermissionKind: EdgeKind = {
  type: 'role-permission',
  summary: 'the effect (ALLOW or DENY) of a role on a page, a permission or a pattern such as reports:*:*',
  identity: z.strictObject({ role: field.id, permission: field.permissionOrPattern }),
  details: z.strictObject({
    effect: field.effect,
    when: field.condition.optional(),
    grantedBy: field.id.optional(),
    grantedAt: field.instant.optional(),
  }),
  changes: z.strictObject({ effect: field.effect.optional(), when: field.condition.nullable().optional() }),
  check: (planning, { when }) => refuseCondition(planning.reader, when),
  keyOf: (of) => edgeKey(role(String(of.role)), permissionOrPattern(String(of.permission))),
  complete: async (planning, input) => {
    const node = await loadNode(planning, 'role', String(input.role), 'role');
    const roleScope = textOf(node.item, 'scope');
    const permission = String(input.permission);
    if (!isPermissionPattern(permission)) {
      await loadRef(planning, permissionOrPattern(permission), 'permission');
    }
    return {
      attributes: { roleScope, grantedAt: input.grantedAt ?? planning.now },
      tenant: ownerOf(roleScope),
    };
  },
  tenantOf: async (_planning, item) => ownerOf(textOf(item, 'roleScope')),
  lists: [
    by({ role: field.id }, ({ role: id, kind }) => edgesFrom(role(id), ...(kind ? [kind] : KINDS)), {
      optional: { kind: z.enum(KINDS) },
    }),
    by({ permission: field.permissionOrPattern }, ({ permission }) =>
      edgesFrom(permissionOrPattern(permission), 'role'),
    ),
  ],
};

const refuseEmptyValidity = (of: Readonly<Record<string, unknown>>): void =>
  refuseEmptyPeriod(of, 'startsAt', 'endsAt');

const assignmentKind: EdgeKind = {
  type: 'assignment',
  summary: 'the assignment of a role to a user at a scope, with a start and an end',
  identity: z.strictObject({ user: field.subject, scope: field.ref, role: field.id }),
  details: z.strictObject({
    id: field.id.optional(),
    startsAt: field.instant.optional(),
    endsAt: field.end.optional(),
    createdBy: field.id.optional(),
  }),
  changes: z.strictObject({
    startsAt: field.instant.nullable().optional(),
    endsAt: field.end.nullable().optional(),
  }),
  refuse: refuseEmptyValidity,
  tenantOf: rootOfEdge,
  keyOf: (of) =>
    wideEdgeKey(
      subject(String(of.user)),
      'assignment',
      parseScopeRef(String(of.scope), 'scope'),
      role(String(of.role)),
    ),
  complete: async (planning, input) => {
    refuseEmptyValidity(input);
    const scope = await loadScope(planning, String(input.scope), 'scope');
    const root = rootOf(scope);
    await refuseForeignRole(planning, String(input.role), formatRef(root), 'role');
    return {
      attributes: { id: input.id ?? planning.newId() },
      tenant: root,
    };
  },
  lists: [
    by(
      { user: field.subject },
      async ({ user, scope }, reader) =>
        scope === undefined
          ? edgesFrom(subject(user), 'assignment')
          : wideEdgesFrom(subject(user), 'assignment', await readScopeRef(reader, scope, 'scope')),
      { optional: { scope: field.ref } },
    ),
    by({ scope: field.ref }, async ({ scope }, reader) =>
      edgesFrom(await readScopeRef(reader, scope, 'scope'), 'assignment'),
    ),
    by({ role: field.id }, ({ role: id }) => edgesFrom(role(id), 'assignment')),
  ],
};

const globalRoleKind: EdgeKind = {
  type: 'global-role',
  summary: 'the assignment of a global role to a user, everywhere',
  identity: z.strictObject({ user: field.subject, role: field.id }),
  keyOf: (of) => edgeKey(subject(String(of.user)), role(String(of.role))),
  complete: async (planning, input) => {
    const node = await loadNode(planning, 'role', String(input.role), 'role');
    if (textOf(node.item, 'scope') !== 'global')
      throw invalid('role', 'only a global role can be held everywhere');
    return {};
  },
  lists: [
    by({ user: field.subject }, ({ user }) => edgesFrom(subject(user), 'role')),
    by({ role: field.id }, ({ role: id }) => edgesToSubjects(role(id))),
  ],
};

const adminKind: EdgeKind = {
  type: 'admin',
  summary: 'the administrator flag of a user, which allows everything everywhere',
  identity: z.strictObject({ user: field.subject }),
  keyOf: (of) => edgeKey(subject(String(of.user)), GLOBAL),
  complete: async () => ({}),
  lists: [],
  listAll: edgesToSubjects(GLOBAL),
};

export const edgeKindCommands: readonly Command[] = [
  membershipKind,
  groupRoleKind,
  rolePermissionKind,
  assignmentKind,
  globalRoleKind,
  adminKind,
].flatMap(edgeCommands);
