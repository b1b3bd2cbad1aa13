import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { MAX_ANCESTORS, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { conflict, GatehouseError, stale } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { nodeKey, partitionOf } from '../../table/keys.ts';
import { isOwnership, ownedRef } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import type { Action } from '../../table/write/action.ts';
import { type Command, RESTORE, writeCommand } from '../command.ts';
import { planClosing, planDeletion } from '../kinds/deletion.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { asRead, loadScope, optionalText, rootOf, textOf, unlessGone } from '../nodes/nodes.ts';
import { scopesBelow } from '../nodes/scopes-below.ts';
import type { Node, Planning } from '../plan.ts';
import { kindOf } from './node-kinds.ts';

/** What concerns a whole tree of scopes: walking it, and deleting it from the leaves up. */
/**
 * How many levels of scopes are below this one, which of them is being moved, if any, and, unless there are
 * more than `most`, the scopes themselves, parents before children. Each node is read before its children, so
 * its revision shows whether a child was added since.
 */
export async function treeBelow(
  reader: Reader,
  top: Ref,
  most: number,
): Promise<{
  readonly height: number;
  readonly moving: Node | undefined;
  readonly nodes: readonly Node[] | undefined;
}> {
  const nodes: Node[] = [];
  let count = 0;
  let moving: Node | undefined;
  for (let level: readonly Ref[] = [top], height = 0; ; height++) {
    const below = await scopesBelow(reader, level);
    if (below.length === 0) return { height, moving, nodes: count > most ? undefined : nodes };
    count += below.length;
    moving ??= below.find(isMoving);
    if (count <= most) nodes.push(...below);
    level = below.map(({ ref }) => ref);
  }
}

export const isMoving = ({ item }: Node): boolean => item.movingTo !== undefined;

/** They are deleted with what owns them. */
const DELETED_WITH_OWNER: ReadonlySet<string> = new Set(['token', 'session', 'scim-credential', 'mandate']);

const deletionKind = (type: string): NodeKind => {
  const kind = kindOf(type);
  if (!kind) throw new GatehouseError('internal', `${type} is no type of a node`);
  return kind;
};

/** A node that owns nothing, and the scopes that it stands in, from its own up to the one below the top. */
interface Leaf {
  readonly node: Node;
  readonly path: readonly Node[];
}

/** A node below `top` that owns nothing, or `top` itself. */
async function leafOf(planning: Planning, top: Node): Promise<Leaf> {
  for (let [node, path]: [Node, readonly Node[]] = [top, []]; ; ) {
    const { items } = await planning.reader.list({
      ranges: [{ partition: partitionOf(node.ref) }],
      keep: (item) => isOwnership(item) && !DELETED_WITH_OWNER.has(ownedRef(item).type),
      limit: 1,
    });
    const [first] = items;
    if (!first) return { node, path };
    const ref = ownedRef(first);
    const item = await planning.reader.get(nodeKey(ref));
    if (!item) throw stale(formatRef(ref), 'scope');
    node = { ref, item };
    if (mayBeScopeType(ref.type)) path = await pathTo(planning, top, node, path);
  }
}

/**
 * The scopes from this one up to the one below `top`, as their parents say: a move in steps changes the parent last, and
 * `ancestors` before. What has another tenant is linked to the tree, and moves in its own.
 *
 * @param known the path of a scope that was read on the way
 */
async function pathTo(
  { reader }: Planning,
  top: Node,
  scope: Node,
  known: readonly Node[],
): Promise<readonly Node[]> {
  if (formatRef(rootOf(scope)) !== formatRef(rootOf(top))) return [];
  const path = [scope];
  for (let above = optionalText(scope.item, 'parent'); above !== formatRef(top.ref); ) {
    if (known[0] && above === formatRef(known[0].ref)) return [...path, ...known];
    const ref = above === undefined ? undefined : parseRef(above, 'parent');
    const item = ref && (await reader.get(nodeKey(ref)));
    if (!item || path.length === MAX_ANCESTORS) throw notInTree(scope, path);
    path.push({ ref, item });
    above = optionalText(item, 'parent');
  }
  return path;
}

/** It was moved away after it was listed; or a move, which was interrupted, has listed it here before it stands here. */
function notInTree(scope: Node, path: readonly Node[]): GatehouseError {
  const moving = path.find(isMoving);
  return moving ? movesItself(moving) : stale(formatRef(scope.ref), 'scope');
}

/** A scope in what a command is about has begun to move. */
export const movesItself = ({ ref }: Node) =>
  conflict('scope', `${formatRef(ref)} in it is being moved: finish that first, or move it back`);

/** A leaf is in the tree until it is deleted. Of a scope, its own revision says so. */
const asInTree = ({ node, path }: Leaf): readonly Action[] =>
  path
    .filter((scope) => scope !== node)
    .map((scope) => asRead(scope, ['parent'], () => stale(formatRef(scope.ref), 'scope')));

/** Refuses nodes of other tenants that are linked here, as workstreams of accounts are to an enterprise. */
async function refuseWhileLinked({ reader }: Planning, top: Node): Promise<void> {
  const root = formatRef(rootOf(top));
  const owned = await reader.listAll({ ranges: [{ partition: partitionOf(top.ref) }], keep: isOwnership });
  const linked = owned.find((item) => typeof item.root === 'string' && item.root !== root);
  if (linked) {
    throw conflict(
      'scope',
      `${textOf(linked, 'owned')} of another tenant is linked to it: change that first`,
    );
  }
}

export const deleteTreeCommand: Command = writeCommand({
  name: 'scope.delete-tree',
  summary:
    'Deletes a scope of any type with everything below it: scopes, groups, roles, grants, entitlements. The first step closes all of it.',
  input: z.strictObject({ scope: field.ref }),
  destructive: { undo: `none: ${RESTORE}` },
  steps: async function* (planning, input) {
    const outcome = { result: { scope: input.scope, deleted: true } };
    for (let { again = false } = planning; ; again = true) {
      const top = await unlessGone(again, loadScope(planning, input.scope, 'scope'));
      if (!top) return { actions: [], audit: [], ...outcome };
      const leaf = await leafOf(planning, top);
      const { node } = leaf;
      // Its first step may be that of a leaf.
      const carries = [{ entity: top.ref, tenant: rootOf(top) }];
      if (node !== top && top.item.deletingSince === undefined) {
        await refuseWhileLinked(planning, top);
        planning = yield { ...planClosing(planning, deletionKind(top.ref.type), top), ...outcome, carries };
        continue;
      }
      const step = await planDeletion(planning, deletionKind(node.ref.type), node, asInTree(leaf)).catch(
        (error: unknown) => {
          // It owned nothing when it was found.
          const ownsMore = error instanceof GatehouseError && error.code === 'conflict';
          throw ownsMore ? stale(formatRef(node.ref), 'scope') : error;
        },
      );
      if (node === top && step.next === undefined) return { ...step, ...outcome };
      planning = yield { ...step, ...outcome, carries };
    }
  },
});
