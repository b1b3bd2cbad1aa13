import * as z from 'zod';
import { roleChanges } from '../../table/decision/writes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { conflict, GatehouseError, invalid, notFound } from '../../table/errors.ts';
import { formatRef, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { ANY_TENANT, edgeKey, edgePrefix, GLOBAL, nodeKey, partitionOf } from '../../table/keys.ts';
import { viewsOf } from '../../table/view.ts';
import type { Action } from '../../table/write/action.ts';
import { type Command, readCommand } from '../command.ts';
import { addEdge, removeEdge } from '../edges/edge.ts';
import { changeGrantRoles, ownerOf, ownership, role } from '../edges/kinds.ts';
import { readGrant } from '../edges/read-edge.ts';
import { type Behaviour, nodeCommands, refuseWhileOwning } from '../nodes/node-commands.ts';
import { allOf, listOwned, pageFields } from '../nodes/node-lists.ts';
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

const tooDeep = () => invalid('parent', `roles inherit through at most ${MAX_INHERITANCE} levels`);

/** Somebody changed the inheritance between our read and our write: plan again from what it is now. */
const changedAbove = () =>
  new GatehouseError('stale', 'the inheritance of roles was changed by someone else meanwhile', {
    field: 'parent',
  });

/** How many levels of roles inherit from this one. A role that comes or goes below counts up its revision. */
async function levelsBelow({ reader }: Planning, top: Ref): Promise<number> {
  let level: readonly Ref[] = [top];
  for (let depth = 0; ; depth++) {
    const ranges = level.map((ref) => ({ partition: partitionOf(ref), prefix: edgePrefix('role') }));
    const edges = await reader.listAll({ ranges });
    if (edges.length === 0 || depth === MAX_INHERITANCE) return depth;
    level = edges.map((edge) => parseRef(textOf(edge, 'owned'), 'owned'));
  }
}

/**
 * Makes sure that inheriting from `parent` is allowed and closes no circle. The chain above is part of
 * the transaction: should a role in it be given another parent meanwhile, the write is planned again.
 *
 * @param below levels of roles that inherit from the child and come along
 */
async function inheritFrom(
  planning: Planning,
  child: Ref,
  scope: string,
  parent: string,
  below: number,
): Promise<readonly Action[]> {
  const actions: Action[] = [];
  let next: string | undefined = parent;
  for (let depth = below + 1; next !== undefined; depth++) {
    if (next === child.id)
      throw conflict('parent', 'a role cannot inherit from itself, not even through others');
    if (depth >= MAX_INHERITANCE) throw tooDeep();
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
      failure: (found) => (found ? changedAbove() : notFound('parent', formatRef(above.ref))),
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
    const chain = typeof parent === 'string' ? await inheritFrom(planning, ref, scope, parent, 0) : [];
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
    const below = parent ? await levelsBelow(planning, node.ref) : 0;
    const unchanged: Action = {
      kind: 'update',
      key: nodeKey(node.ref),
      when: { exists: true, equals: { parent: before, rev: node.item.rev as number } },
      failure: changedAbove,
    };
    return [
      unchanged,
      ...(before
        ? removeEdge(ownership({ owner: role(before), owned: node.ref, field: 'parent' }), planning.writtenAt)
        : []),
      ...(parent ? await inheritFrom(planning, node.ref, scope, parent, below) : []),
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
      : listOwned(reader, isRef(scope) ? parseScopeRef(scope, 'scope') : shelfOf(scope), 'role', page),
});

export const roleCommands: readonly Command[] = [...nodeCommands('role', roleBehaviour), listRoles];
