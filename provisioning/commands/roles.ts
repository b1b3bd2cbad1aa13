import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, invalid, notFound, stale } from '../../table/errors.ts';
import { formatRef, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { ANY_TENANT, edgeKey, GLOBAL, nodeKey } from '../../table/keys.ts';
import { edgesFrom, OWNERSHIP, ownedBy } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import { isAllowOnly, notAllowOnly, refusedEffect } from '../edges/allow-only.ts';
import { readGrant } from '../edges/read-edge.ts';
import { changeGrantRoles, ownerOf, role, subject } from '../edges/rights.ts';
import { by, listCommand, readAllCommand } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { asRead, beingDeleted, loadNode, loadRoot, optionalText, textOf, touch } from '../nodes/nodes.ts';
import type { Owner } from '../nodes/ownership.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import type { Node, Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';
import { fromTemplate } from './role-templates.ts';

/** Longest chain of inheritance: the engine walks it on every decision that uses the role. */
const MAX_INHERITANCE = 16;

/**
 * The owners of a role: its scope, or the list of roles without a tenant, and the role that it inherits from.
 */
function ownersOfRole({ scope, parent }: Attributes): readonly Owner[] {
  const owner = ownerOf(String(scope));
  return [
    owner
      ? { ref: owner, field: 'scope' }
      : { ref: unownedRoles(String(scope)), field: 'scope', isAnchor: true },
    ...(typeof parent === 'string' ? [{ ref: role(parent), field: 'parent' }] : []),
  ];
}

/** Where the roles that no tenant owns are listed. */
const unownedRoles = (scope: string): Ref => (scope === 'global' ? GLOBAL : ANY_TENANT);

const tooDeep = () => invalid('parent', `roles inherit through at most ${MAX_INHERITANCE} levels`);

/** The inheritance changed between read and write: the command is planned again. */
const changedAbove = () => stale('the inheritance of roles', 'parent');

/** How many levels of roles inherit from this one. Adding or removing one below increments its revision. */
async function levelsBelow({ reader }: Planning, top: Ref): Promise<number> {
  let level: readonly Ref[] = [top];
  for (let depth = 0; ; depth++) {
    const edges = await reader.listAll({
      ranges: level.flatMap((ref) => ownedBy(ref, 'role').ranges),
      keep: (item) => item.Type === OWNERSHIP,
    });
    if (edges.length === 0 || depth === MAX_INHERITANCE) return depth;
    level = edges.map((edge) => parseRef(textOf(edge, 'owned'), 'owned'));
  }
}

/**
 * Makes sure that inheriting from `parent` is allowed and closes no circle. The chain above is part of
 * the transaction: should a role in it be given another parent meanwhile, the write is planned again.
 *
 * @param below levels of roles that inherit from the child, which may be a new one
 */
async function inheritFrom(
  planning: Planning,
  child: { readonly id: string; readonly scope: string; readonly allowOnly: boolean },
  parent: string,
  below: number,
): Promise<readonly Action[]> {
  const { scope, allowOnly } = child;
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
      when: { exists: true, equals: { parent: grandparent, ...(allowOnly ? { allowOnly } : {}) } },
      failure: (found) => {
        if (!found) return notFound('parent', formatRef(above.ref));
        if (found.deletingSince !== undefined) return beingDeleted(above.ref, 'parent');
        return allowOnly && !isAllowOnly(found) ? notAllowOnly('parent', above.ref) : changedAbove();
      },
    });
    next = grandparent;
  }
  return actions;
}

/** Throws `conflict` where a role that is to be allow-only holds what such a role does not. */
async function refuseOtherEffects({ reader }: Planning, of: Ref): Promise<void> {
  const keep = ({ effect, permission }: Item): boolean =>
    effect !== 'ALLOW' || refusedEffect(of, effect, permission) !== undefined;
  const [first] = await reader.listAll({ ...edgesFrom(of, 'page', 'permission'), keep });
  if (!first) return;
  const [does, which] = first.effect === 'ALLOW' ? ['allows', ', a permission of operators'] : ['denies', ''];
  throw conflict('allowOnly', `${formatRef(of)} ${does} ${textOf(first, 'permission')}${which}`);
}

const roleBehaviour: Behaviour = {
  owners: ownersOfRole,
  asRead: ['parent'],
  onCreate: async (planning, ref, { scope: given, parent, customTemplateId, allowOnly }) => {
    const scope = String(given);
    const owner = ownerOf(scope);
    if (owner) await loadRoot(planning, scope, 'scope', 'a role is owned by a root scope or by none');
    const above = typeof parent === 'string' ? parent : undefined;
    const made = { id: ref.id, scope, allowOnly: allowOnly === true };
    const inherits = above ? await inheritFrom(planning, made, above, 0) : [];
    const { actions = [], ...starts } =
      typeof customTemplateId === 'string' ? await fromTemplate(planning, made, customTemplateId) : {};
    return {
      ...starts,
      actions: [...inherits, ...actions],
      derived: { isSystem: owner === undefined },
    };
  },
  onUpdate: async (planning, node, after, changes) => {
    const allowOnly = isAllowOnly(after);
    const isMarked = allowOnly && !isAllowOnly(node.item);
    if (changes.parent === undefined && !isMarked) return [];
    const scope = textOf(node.item, 'scope');
    const before = optionalText(node.item, 'parent');
    const parent = typeof after.parent === 'string' ? after.parent : undefined;
    if (parent === before && !isMarked) return [];
    if (isMarked) await refuseOtherEffects(planning, node.ref);
    const below = parent ? await levelsBelow(planning, node.ref) : 0;
    const child = { id: node.ref.id, scope, allowOnly };
    const unchanged = asRead(node, ['parent', 'rev'], changedAbove);
    return [unchanged, ...(parent ? await inheritFrom(planning, child, parent, below) : [])];
  },
  keepsOwned: true,
  remains: withdrawFromGrants,
};

/** Takes a role out of the tenant grants that hold it; the grants themselves stay. */
async function withdrawFromGrants(
  planning: Planning,
  { ref: gone }: Node,
  around: readonly Item[],
): Promise<readonly Action[][]> {
  const mirrors = around.filter((item) => item.Type === 'GrantRole');
  const keys = mirrors.map((item) =>
    edgeKey(subject(textOf(item, 'user')), parseRef(textOf(item, 'scope'), 'scope')),
  );
  const grants = await planning.reader.getMany(keys);
  return grants.flatMap((item) => {
    if (!item) return [];
    const grant = readGrant(item);
    const roles = grant.roles.filter((id) => id !== gone.id);
    return [[...changeGrantRoles(grant, roles, planning.now, touch)]];
  });
}

const listRoles = listCommand({
  name: 'role.list',
  summary:
    'Lists roles: of one scope (global, tenant, or an owner such as tenant:ID), those that inherit from one role, or all, page by page.',
  by: [
    by({ scope: ENTITIES.role.attributes.shape.scope }, async ({ scope }, reader) =>
      ownedBy(isRef(scope) ? await readScopeRef(reader, scope, 'scope') : unownedRoles(scope), 'role'),
    ),
    by({ parent: field.id }, ({ parent }) => ownedBy(role(parent), 'role')),
  ],
  all: allOf('role'),
});

const readWithPermissions = readAllCommand(
  'role',
  'Reads a role with its effects on pages, permissions and patterns, page by page.',
  ['page', 'permission'],
);

export const ROLE: NodeKind = {
  entity: ENTITIES.role,
  behaviour: roleBehaviour,
  commands: [readWithPermissions, listRoles],
};
