import * as z from 'zod';
import { roleChanges } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, invalid } from '../../table/errors.ts';
import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { ANY_TENANT, edgeKey, GLOBAL, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { type Command, readCommand } from '../command.ts';
import { addEdge, removeEdge } from '../edges/edge.ts';
import { changeGrantRoles, ownerOf, ownership, role } from '../edges/kinds.ts';
import { readGrant } from '../edges/read-edge.ts';
import {
  allOf,
  type Behaviour,
  listOwned,
  nodeCommands,
  pageFields,
  refuseWhileOwning,
  viewsOf,
} from '../nodes/node-commands.ts';
import { loadNode, loadScope, optionalText, textOf } from '../nodes/nodes.ts';
import type { Planning } from '../plan.ts';

/** Longest chain of inheritance: the engine walks it on every decision that uses the role. */
export const MAX_INHERITANCE = 16;

/** What a role hangs on, so that the roles of one scope can be listed. */
const shelfOf = (scope: string): Ref => ownerOf(scope) ?? (scope === 'global' ? GLOBAL : ANY_TENANT);

/** A global or any-tenant role hangs on no node; one that a tenant owns makes sure that the tenant exists. */
function shelfEdge(scope: string, owned: Ref) {
  const edge = ownership({ owner: shelfOf(scope), owned, field: 'scope' });
  return ownerOf(scope) ? edge : { ...edge, ends: [] };
}

/**
 * Makes sure that inheriting from `parent` is allowed and closes no circle. The chain above is part of
 * the transaction: should a role in it be given another parent meanwhile, the write is refused.
 */
async function inheritFrom(
  planning: Planning,
  child: Ref,
  scope: string,
  parent: string,
): Promise<readonly Action[]> {
  const actions: Action[] = [];
  let next: string | undefined = parent;
  for (let depth = 1; next !== undefined; depth++) {
    if (next === child.id)
      throw conflict('parent', 'a role cannot inherit from itself, not even through others');
    if (depth >= MAX_INHERITANCE)
      throw invalid('parent', `roles inherit through at most ${MAX_INHERITANCE} levels`);
    const above = await loadNode(planning, 'role', next, 'parent');
    const aboveScope = textOf(above.item, 'scope');
    if (isRef(aboveScope) ? aboveScope !== scope : scope === 'global' && aboveScope !== 'global') {
      throw invalid('parent', 'a role inherits from global roles or from roles of its own scope only');
    }
    const grandparent = optionalText(above.item, 'parent');
    actions.push({
      kind: 'update',
      key: nodeKey(above.ref),
      add: { rev: 1 },
      when: { exists: true, equals: { parent: grandparent } },
      failure: () => conflict('parent', 'the roles above were changed by someone else meanwhile'),
    });
    next = grandparent;
  }
  return actions;
}

const inheritance = (parent: string, child: Ref) => ({
  ...ownership({ owner: role(parent), owned: child, field: 'parent' }),
  // inheritFrom checks and counts up the parent already.
  ends: [],
});

const roleBehaviour: Behaviour = {
  tenantOf: (node) => ownerOf(textOf(node.item, 'scope')),
  onCreate: async (planning, ref, { scope: given, parent }) => {
    const scope = String(given);
    const owner = ownerOf(scope);
    if (owner) {
      const node = await loadScope(planning, scope, 'scope');
      if (textOf(node.item, 'root') !== scope)
        throw invalid('scope', 'a role is owned by a root scope or by none');
    }
    const chain = typeof parent === 'string' ? await inheritFrom(planning, ref, scope, parent) : [];
    return {
      actions: [
        ...addEdge(shelfEdge(scope, ref), planning.now, planning.writtenAt),
        ...(typeof parent === 'string'
          ? addEdge(inheritance(parent, ref), planning.now, planning.writtenAt)
          : []),
        ...chain,
        roleChanges(owner, planning.writtenAt).list(ref.id, typeof parent === 'string' ? parent : undefined),
      ],
      tenant: owner,
    };
  },
  onUpdate: async (planning, node, after, changes) => {
    if (changes.parent === undefined) return [];
    const scope = textOf(node.item, 'scope');
    const before = optionalText(node.item, 'parent');
    const parent = typeof after.parent === 'string' ? after.parent : undefined;
    if (parent === before) return [];
    const unchanged: Action = {
      kind: 'update',
      key: nodeKey(node.ref),
      when: { exists: true, equals: { parent: before } },
      failure: () => conflict('parent', 'the parent was changed by someone else meanwhile'),
    };
    return [
      unchanged,
      ...(before
        ? removeEdge(ownership({ owner: role(before), owned: node.ref, field: 'parent' }), planning.writtenAt)
        : []),
      ...(parent ? await inheritFrom(planning, node.ref, scope, parent) : []),
      ...(parent ? addEdge(inheritance(parent, node.ref), planning.now, planning.writtenAt) : []),
      roleChanges(ownerOf(scope), planning.writtenAt).list(node.ref.id, parent),
    ];
  },
  onDelete: async (planning, node, around) => {
    refuseWhileOwning(node, around);
    const scope = textOf(node.item, 'scope');
    const parent = optionalText(node.item, 'parent');
    return [
      roleChanges(ownerOf(scope), planning.writtenAt).unlist(node.ref.id),
      ...removeEdge(shelfEdge(scope, node.ref), planning.writtenAt),
      ...(parent
        ? removeEdge(ownership({ owner: role(parent), owned: node.ref, field: 'parent' }), planning.writtenAt)
        : []),
      ...(await withdrawFromGrants(planning, node.ref, around)),
    ];
  },
};

/** Takes a role out of the tenant grants that hold it; the grants themselves stay. */
async function withdrawFromGrants(
  planning: Planning,
  gone: Ref,
  around: readonly Item[],
): Promise<readonly Action[]> {
  const mirrors = around.filter((item) => item.Type === 'GrantRole');
  const keys = mirrors.map((item) =>
    edgeKey({ type: 'user', id: textOf(item, 'user') }, parseRef(textOf(item, 'scope'), 'scope')),
  );
  const grants = await planning.reader.getMany(keys);
  return grants.flatMap((item) => {
    if (!item) return [];
    const grant = readGrant(item);
    const roles = grant.roles.filter((id) => id !== gone.id);
    return changeGrantRoles(grant, roles, planning.now, planning.writtenAt);
  });
}

const listRoles = readCommand({
  name: 'role.list',
  summary: 'Lists roles: of one scope (global, tenant, or an owner such as tenant:ID) or all, page by page.',
  input: z.strictObject({ scope: ENTITIES.role.attributes.shape.scope.optional(), ...pageFields }),
  run: async ({ reader }, { scope, ...page }) =>
    scope === undefined
      ? viewsOf(await reader.list({ ...allOf('role'), ...page }))
      : listOwned(reader, shelfOf(scope), 'role', page),
});

export const roleCommands: readonly Command[] = [...nodeCommands('role', roleBehaviour), listRoles];
