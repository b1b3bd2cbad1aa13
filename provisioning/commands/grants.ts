import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { notFound } from '../../table/errors.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { type Command, POSSIBLY, readCommand, writeCommand } from '../command.ts';
import { createEdgePlan, removeEdge } from '../edges/edge.ts';
import type { Names } from '../edges/names-beside-ids.ts';
import { readGrant } from '../edges/read-edge.ts';
import { changeGrantRoles, grantKey, role, subject, tenantGrant } from '../edges/rights.ts';
import { refuseForeignRole, refuseUnknownType } from '../edges/rules.ts';
import { by, listCommand } from '../kinds/lists.ts';
import { loadRoot } from '../nodes/nodes.ts';
import { readScopeRef, rootTypes } from '../nodes/scope-types.ts';
import type { Planning } from '../plan.ts';
import { visible } from '../visible.ts';
import { USER_NAMES } from './memberships.ts';

/**
 * Tenant grants: a user in a root scope, with roles there or none. They have an id of their
 * own, and roles that come and go one by one, which sets them apart from the other edges.
 */
const MAX_ROLES = 20;
const roles = z
  .array(field.id)
  .max(MAX_ROLES)
  .refine((ids) => new Set(ids).size === ids.length, 'names a role twice');

/** A grant is named by its id, or by user and scope. */
const name = z.strictObject({
  id: field.id.optional(),
  user: field.subject.optional(),
  scope: field.ref.optional(),
});
type Name = z.infer<typeof name>;
const isOneName = ({ id, user: userId, scope }: Name): boolean =>
  id === undefined
    ? userId !== undefined && scope !== undefined
    : userId === undefined && scope === undefined;
const ONE_NAME = 'either id, or user and scope are needed';

async function find(reader: Reader, { id, user: userId, scope }: Name): Promise<Item> {
  const key = id
    ? nodeKey({ type: 'grant', id })
    : grantKey(parseScopeRef(String(scope), 'scope'), subject(String(userId)));
  const item = await reader.get(key);
  if (item) return item;
  await refuseUnknownType(reader, { scope });
  throw notFound(id ? 'id' : 'user', 'this tenant grant');
}

/** A tenant grant at a location shows the location's code and name. */
const PLACE_NAMES: Names = {
  of: (edge) => parseRef(String(edge.scope), 'scope'),
  as: { locationCode: 'code', locationName: 'name' },
};

async function refuseForeignRoles(planning: Planning, ids: readonly string[], root: string): Promise<void> {
  await Promise.all(ids.map((id) => refuseForeignRole(planning, id, root, 'roles')));
}

const auditRef = (id: string) => ({ type: 'grant', id });

export const grantCommands: readonly Command[] = [
  writeCommand({
    name: 'grant.create',
    summary: 'Adds a user to a tenant (or another root scope), with or without roles there.',
    input: z.strictObject({
      id: field.id.optional(),
      user: field.subject,
      scope: field.ref,
      roles: roles.optional(),
      joinedAt: field.instant.optional(),
      ifExists: field.ifExists,
    }),
    plan: async (planning, input) => {
      const { user, scope, roles = [], joinedAt = planning.now, id = planning.newId() } = input;
      const why = 'a grant is made in a root scope; below it, use an assignment';
      const { ref: tenant } = await loadRoot(planning, scope, 'scope', why);
      await refuseForeignRoles(planning, roles, scope);
      const item = input.ifExists && (await planning.reader.get(grantKey(tenant, subject(user))));
      const of = { id, user, scope, roles, joinedAt };
      const audit = { entity: auditRef(id), tenant };
      const there = item && { item, edge: tenantGrant(readGrant(item)) };
      return createEdgePlan({ edge: tenantGrant(of), input, audit }, planning.now, there);
    },
  }),
  readCommand({
    name: 'grant.read',
    summary: 'Reads a grant by id, or by user and scope.',
    input: name.refine(isOneName, ONE_NAME),
    run: async ({ reader }, input) => visible(await find(reader, input)),
  }),
  writeCommand({
    name: 'grant.update',
    summary: 'Replaces the roles of a grant.',
    destructive: { undo: 'grant.update with the roles that it had', ...POSSIBLY },
    input: name.extend({ roles }).refine(isOneName, ONE_NAME),
    plan: async (planning, { roles: wanted, ...by }) => {
      const item = await find(planning.reader, by);
      const before = readGrant(item);
      await refuseForeignRoles(planning, wanted, before.scope);
      const after = { ...visible(item), roles: wanted, updatedAt: planning.now };
      return {
        actions: changeGrantRoles(before, wanted, planning.now),
        result: after,
        audit: {
          entity: auditRef(before.id),
          tenant: parseRef(before.scope, 'scope'),
          before: visible(item),
          after,
        },
      };
    },
  }),
  writeCommand({
    name: 'grant.delete',
    summary: 'Removes a user from a tenant, with the roles held there.',
    input: name.refine(isOneName, ONE_NAME),
    destructive: { undo: 'grant.create with the same fields' },
    plan: async (planning, input) => {
      const item = await find(planning.reader, input);
      const grant = readGrant(item);
      return {
        actions: removeEdge(tenantGrant(grant)),
        result: { id: grant.id, deleted: true },
        audit: { entity: auditRef(grant.id), tenant: parseRef(grant.scope, 'scope'), before: visible(item) },
      };
    },
  }),
  listCommand({
    name: 'grant.list',
    summary:
      'Lists the grants of one user (all, or in roots of one type), of one scope or role, page by page.',
    by: [
      by(
        { user: field.subject },
        async ({ user, type }, reader) =>
          edgesFrom(subject(user), ...(type === undefined ? await rootTypes(reader) : [type])),
        { optional: { type: field.scopeType }, names: PLACE_NAMES },
      ),
      by(
        { scope: field.ref },
        async ({ scope }, reader) => edgesFrom(await readScopeRef(reader, scope, 'scope'), 'user', 'grant'),
        { names: USER_NAMES },
      ),
      by({ role: field.id }, ({ role: id }) => edgesFrom(role(id), 'grant'), { names: PLACE_NAMES }),
    ],
  }),
];
