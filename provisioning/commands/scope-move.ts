import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { conflict, invalid, stale } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Action, Expected } from '../../table/write/action.ts';
import { type Command, writeCommand } from '../command.ts';
import type { Steps } from '../in-steps.ts';
import { changeEntries } from '../kinds/entries.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { indexChanges } from '../nodes/index-attributes.ts';
import { moveNodeNames } from '../nodes/node-names.ts';
import {
  asRead,
  loadRef,
  loadScope,
  optionalText,
  refuseDeleting,
  rootOf,
  textOf,
  textsOf,
  toUpdate,
} from '../nodes/nodes.ts';
import { moveOwners } from '../nodes/ownership.ts';
import { refusePlace } from '../nodes/scope-types.ts';
import { scopesBelow } from '../nodes/scopes-below.ts';
import { asManyAsFit, fits } from '../nodes/steps.ts';
import type { Node, Planning } from '../plan.ts';
import { visible } from '../visible.ts';
import { kindOf } from './node-kinds.ts';
import { isMoving, movesItself, treeBelow } from './scope-tree.ts';
import { asPlaced, ownersOfScope, placeUnder, refuseDepth } from './scopes.ts';

/**
 * Moving a scope to another parent of the same tenant. All that hangs below repeats the path up to the root,
 * so all of it is rewritten: in one transaction where it fits, otherwise in steps. Then the first step closes
 * the scope, which closes all below it; the next ones rewrite, from the top down; the last one puts the scope
 * in its new place and opens it. Nobody is let in by half a path.
 */
interface Move {
  readonly scope: Node;
  readonly parent: Node;
  /** The path of the scope in its new place. */
  readonly place: readonly string[];
}

/** More scopes than this need not be tried in one transaction: each takes at least four actions. */
const SMALL_TREE = 32;

const changedMeanwhile = () => stale('a scope', 'scope');

async function readMove(
  planning: Planning,
  input: { scope: string; parent: string },
  again: boolean,
): Promise<Move> {
  const scope = await loadScope(planning, input.scope, 'scope');
  const parent = await loadScope(planning, input.parent, 'parent');
  refuseDeleting(scope, 'scope');
  refuseDeleting(parent, 'parent');
  if (textsOf(scope.item, 'ancestors').length === 0)
    throw invalid('scope', 'a root is a tenant and not moved');
  if (formatRef(rootOf(scope)) !== formatRef(rootOf(parent)))
    throw invalid('parent', 'a scope is moved within its tenant');
  const place = placeUnder(parent);
  if (place.includes(formatRef(scope.ref))) throw invalid('parent', 'a scope cannot stand below itself');
  await refusePlace(planning.reader, scope.ref.type, parent.ref);
  const [stands, goes] = [textOf(scope.item, 'parent'), optionalText(scope.item, 'movingTo')];
  if (goes === undefined && stands === input.parent && !again)
    throw conflict('parent', `${input.scope} stands there already`);
  // Back to where it stood is the way out when its new place is not to be had any more.
  if (goes !== undefined && goes !== input.parent && stands !== input.parent)
    throw conflict('parent', `${input.scope} is being moved to ${goes}: finish that first, or move it back`);
  return { scope, parent, place };
}

/** A scope, and the path that it has once the move is done. */
interface Placed {
  readonly ref: Ref;
  readonly path: readonly string[];
}

const pathUnder = ({ ref, path }: Placed): readonly string[] => [formatRef(ref), ...path];

const entityOf = ({ ref }: Node) => (kindOf(ref.type) as NodeKind).entity;

/** The index keys that name the path. */
const treeChanges = (node: Node, after: Readonly<Record<string, unknown>>) =>
  toUpdate(indexChanges(entityOf(node), node.ref, node.item, after)).set;

/** What changes of a scope beside its path, and what must be so of it. */
interface Change {
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly given?: Readonly<Record<string, Expected>>;
}

/** One scope with another path: its node, its decision item, its names, and what the edges from above repeat. */
function rewrite(
  planning: Planning,
  node: Node,
  ancestors: readonly string[],
  { set = {}, remove = [], given = {} }: Change = {},
): readonly Action[] {
  const changes = { ...set, ancestors, updatedAt: planning.now };
  const after: Record<string, unknown> = { ...node.item, ...changes };
  for (const gone of remove) delete after[gone];
  return [
    {
      kind: 'update',
      key: nodeKey(node.ref),
      set: { ...changes, ...treeChanges(node, after) },
      remove,
      add: { rev: 1 },
      when: { exists: true, equals: { rev: node.item.rev as number, ...given } },
      failure: changedMeanwhile,
    },
    ...changeEntries(node, after as Item, { ancestors }),
    ...moveNodeNames(entityOf(node), node.ref, node.item, after),
    ...moveOwners(node.ref, ownersOfScope(node.item), ownersOfScope(after), after, changes),
  ];
}

/**
 * What was read of the new parent holds until the scope is there, and its revision says that one has come. The building
 * of a zone owns it before and after the zone goes further up, so that the edges alone leave the revision as it is.
 */
const asJoined = (parent: Node): Action => ({ ...asPlaced(parent), add: { rev: 1 } });

const outcomeOf = ({ scope, parent, place }: Move) => ({
  result: { scope: formatRef(scope.ref), parent: formatRef(parent.ref), ancestors: place },
  audit: {
    entity: scope.ref,
    tenant: rootOf(scope),
    before: visible(scope.item),
    after: { parent: formatRef(parent.ref), ancestors: place },
  },
});

/** All of it in one transaction, if it is small enough: nothing has come to any of these scopes meanwhile. */
function atOnce(planning: Planning, move: Move, below: readonly Node[]): readonly Action[] | undefined {
  const paths = new Map([[formatRef(move.scope.ref), move.place]]);
  const pathOf = ({ ref, item }: Node): readonly string[] => {
    const parent = textOf(item, 'parent');
    const above = paths.get(parent);
    if (!above) throw changedMeanwhile();
    const path = [parent, ...above];
    // Read below two parents: it was moved from one to the other meanwhile.
    if (paths.has(formatRef(ref))) throw changedMeanwhile();
    paths.set(formatRef(ref), path);
    return path;
  };
  const actions = [
    asJoined(move.parent),
    ...rewrite(planning, move.scope, move.place, {
      set: { parent: formatRef(move.parent.ref) },
    }),
    ...below.flatMap((node) => rewrite(planning, node, pathOf(node))),
  ];
  return fits(actions, planning.splits) ? actions : undefined;
}

/** Two moves in steps, one inside the other, would rewrite the same paths: the outer one has to be over. */
const asResting = (ref: string): Action => ({
  kind: 'update',
  key: nodeKey(parseRef(ref, 'ancestors')),
  when: { exists: true, equals: { movingTo: undefined } },
  failure: (found) =>
    found ? conflict('scope', `${ref} above it is being moved: finish that first`) : changedMeanwhile(),
});

/** Closes the scope and records the new parent: from then on nothing can be created in it. */
const close = ({ scope, parent }: Move): readonly Action[] => [
  ...(isMoving(scope) ? [] : textsOf(scope.item, 'ancestors').map(asResting)),
  asPlaced(parent),
  {
    ...asRead(scope, ['ancestors', 'movingTo', 'deletingSince'], changedMeanwhile),
    set: { movingTo: formatRef(parent.ref) },
    add: { rev: 1 },
  },
  ...changeEntries(scope, { ...scope.item, movingTo: formatRef(parent.ref) }, { status: 'moving' }),
];

/** What stands under this one gets its path only as long as it has its own, or is the one that is moved. */
const asBelow = (move: Move, { ref, path }: Placed): Action => ({
  kind: 'update',
  key: nodeKey(ref),
  when: {
    exists: true,
    equals: ref === move.scope.ref ? { movingTo: formatRef(move.parent.ref) } : { ancestors: path },
  },
  failure: changedMeanwhile,
});

/** Rewrites the scopes below that have the old path; last the scope itself, which opens it. */
async function* carryOut(planning: Planning, move: Move): Steps {
  const outcome = outcomeOf(move);
  const left: Placed[] = [{ ref: move.scope.ref, path: move.place }];
  for (let above = left[0]; above !== undefined; above = left[0]) {
    const children = await scopesBelow(planning.reader, [above.ref]);
    const path = pathUnder(above);
    const late = children.filter(({ item }) => String(item.ancestors) !== String(path));
    if (late.length === 0) {
      left.shift();
      left.push(...children.map(({ ref }) => ({ ref, path })));
      continue;
    }
    refuseDepth(path.length);
    const moving = late.find(isMoving);
    if (moving) throw movesItself(moving);
    const portions = late.map((node) => rewrite(planning, node, path));
    const { actions } = asManyAsFit([[asBelow(move, above)], ...portions], planning.splits);
    planning = yield { actions, ...outcome };
  }
  const { parent, place } = move;
  // Its name may have been changed since the first step; the edge from its new place has to show that.
  const scope = await loadRef(planning, move.scope.ref, 'scope');
  const last = rewrite(planning, scope, place, {
    set: { parent: formatRef(parent.ref) },
    remove: ['movingTo'],
    given: { movingTo: formatRef(parent.ref), deletingSince: undefined },
  });
  return { actions: [asJoined(parent), ...last], ...outcome };
}

export const moveCommand: Command = writeCommand({
  name: 'scope.move',
  summary:
    'Moves a scope of any type, with everything below it, to another parent in its tenant. A large move takes several steps, during which the scopes that it moves are closed.',
  input: z.strictObject({ scope: field.ref, parent: field.ref }),
  destructive: { undo: 'scope.move to the parent that it had' },
  steps: async function* (planning, input) {
    for (let { again = false } = planning; ; again = true) {
      const move = await readMove(planning, input, again);
      const { movingTo, parent } = move.scope.item;
      if (movingTo === input.parent) return yield* carryOut(planning, move);
      if (movingTo === undefined) {
        // Another request, most likely a copy of this one, has moved it.
        if (parent === input.parent) return { ...outcomeOf(move), actions: [], audit: [] };
        const { nodes, height, moving } = await treeBelow(planning.reader, move.scope.ref, SMALL_TREE);
        if (moving) throw movesItself(moving);
        refuseDepth(move.place.length + height);
        const actions = nodes && atOnce(planning, move, nodes);
        if (actions) return { actions, ...outcomeOf(move) };
      }
      planning = yield { actions: close(move), ...outcomeOf(move) };
    }
  },
});
