import type { Entity } from '../../table/entities/entity.ts';
import { conflict, GatehouseError, stale } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { DECISION, leadingType, partitionOf } from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/partition-queries.ts';
import type { Action, Delete, Update } from '../../table/write/action.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { removeEdge } from '../edges/edge.ts';
import { readEdge } from '../edges/read-edge.ts';
import { moveGuards } from '../nodes/guards.ts';
import { isMandate } from '../nodes/mandates.ts';
import { moveNodeNames } from '../nodes/node-names.ts';
import { asRead, loadRef, unlessGone } from '../nodes/nodes.ts';
import { removeOwner } from '../nodes/ownership.ts';
import { deleteSecrets } from '../nodes/secrets.ts';
import { asManyAsFit, fits } from '../nodes/steps.ts';
import type { AuditEntry, Node, Plan, Planning } from '../plan.ts';
import { visible } from '../visible.ts';
import { changeEntries, removeEntries } from './entries.ts';
import { idsOf, labelOf, type NodeKind, nameFieldOf, ownersOf, tenantOf } from './node-kind.ts';

/** How many items of a partition one step reads: more than one transaction can delete. */
const A_STEPFUL = 150;

/** The deletion of the node of this reference; nothing is left to do where {@link unlessGone} finds it gone. */
export async function planDeletionOf(
  planning: Planning,
  kind: NodeKind,
  ref: Ref,
  again: boolean,
): Promise<Plan> {
  const node = await unlessGone(again, loadRef(planning, ref, nameFieldOf(kind.entity)));
  return node
    ? planDeletion(planning, kind, node)
    : { actions: [], audit: [], result: deleted(kind.entity, ref) };
}

/** What goes by itself is as good as gone. */
const isLeft = (item: Item): boolean =>
  !(item.Type === 'Decision' && item.ttl !== undefined && item.SK !== DECISION);

const deleted = (entity: Entity, ref: Ref): Plan['result'] => ({ ...idsOf(entity, ref), deleted: true });

/**
 * The deletion of a node with its edges. Where all fits into one transaction, it is one. Otherwise the first
 * step closes the node: from then on it has no effect on decisions and gets no new edges. The next steps
 * delete its edges, and the last one deletes the node. An interrupted deletion resumes where it stopped.
 *
 * @param given conditions under which it begins; what has begun goes on without them
 */
export async function planDeletion(
  planning: Planning,
  kind: NodeKind,
  node: Node,
  given: readonly Action[] = [],
): Promise<Plan> {
  const { entity, behaviour } = kind;
  const partition = partitionOf(node.ref);
  const hasBegun = node.item.deletingSince !== undefined;
  const own = hasBegun ? [] : ((await behaviour.beforeDeletion?.(planning, node)) ?? []);
  const conditions = [...given, ...own];
  // Read after the node: an edge that is added or deleted after this read changes the revision.
  const ranges = [{ partition }];
  const page = hasBegun
    ? await planning.reader.list({ ranges, keep: isLeft, limit: A_STEPFUL })
    : { items: await planning.reader.listAll({ ranges, keep: enough(kind) }) };
  refuseWhileOwning(kind, node, page.items);
  await behaviour.refuseDeletion?.(planning, node);
  const audit = auditBefore(entity, node);
  const result = deleted(entity, node.ref);
  const next = (again: Planning) => planDeletionOf(again, kind, node.ref, true);

  const closing = () => {
    const step = planClosing(planning, kind, node);
    return { ...step, actions: [...step.actions, ...conditions], result, next };
  };
  if (!hasBegun && page.items.length > MAX_ACTIONS) return closing();
  const pieces = await piecesOf(planning, kind, node, page.items);
  const rest = [
    removal(entity, node),
    ...deleteSecrets(entity, node.ref),
    ...moveGuards(entity, node.ref, node.item, {}, planning.now),
    ...moveNodeNames(entity, node.ref, node.item, {}),
    ...ownersOf(kind, node.item, node.ref).flatMap((owner) => removeOwner(owner, node.ref)),
    ...removeEntries(node),
    ...(behaviour.onDelete?.(node) ?? []),
    ...(hasBegun ? [] : conditions),
  ];
  const whole = [...rest, ...pieces.flat()];
  if (page.cursor === undefined && fits(whole, planning.splits, isRoot(node) ? RECORD : 0))
    return { actions: whole, result, audit: noted(node, audit) };
  if (!hasBegun) return closing();
  // Where another writer removed an edge in the meantime, the step is planned again.
  const { actions, taken } = asManyAsFit([[unchanged(entity, node)], ...pieces], planning.splits);
  if (taken <= 1) throw new GatehouseError('damaged_item', 'what hangs on this node cannot be read');
  return { actions, result, audit, next };
}

/**
 * What depends on the node, in portions that must not be split: an edge with its mirrors and decision
 * entries.
 */
async function piecesOf(
  planning: Planning,
  { behaviour }: NodeKind,
  node: Node,
  around: readonly Item[],
): Promise<readonly (readonly Action[])[]> {
  const edges = around.flatMap((item) => {
    const edge = readEdge(item);
    return edge ? [removeEdge(edge)] : [];
  });
  return [...edges, ...((await behaviour.remains?.(planning, node, around)) ?? [])];
}

/**
 * The first step of a deletion in steps: from then on the node has no effect and gets no new edges.
 */
export const planClosing = (
  planning: Planning,
  { entity, behaviour }: NodeKind,
  node: Node,
): Pick<Plan, 'actions' | 'audit'> => ({
  actions: [
    { ...unchanged(entity, node), set: { deletingSince: planning.now }, add: { rev: 1 } },
    ...changeEntries(node, { ...node.item, deletingSince: planning.now }),
    ...(behaviour.close?.(node) ?? []),
  ],
  audit: noted(node, { ...auditBefore(entity, node), after: { deletingSince: planning.now } }),
});

/** What an audit record says of a node that is changed or goes. */
export const auditBefore = (entity: Entity, { ref, item }: Node): AuditEntry => ({
  entity: ref,
  tenant: tenantOf(entity, item),
  before: visible(item),
});

/** A record, and the count of it. */
const RECORD = 2;

const isRoot = ({ ref, item }: Node): boolean => item.root === formatRef(ref);

/** A tenant has its own log, which nobody finds once it is gone: that of what concerns no tenant names it. */
const noted = (node: Node, entry: AuditEntry): Plan['audit'] =>
  isRoot(node) ? [entry, { entity: node.ref, notice: true }] : entry;

const unchanged = (entity: Entity, node: Node): Update =>
  asRead(node, ['rev'], () => changedMeanwhile(entity));

const removal = (entity: Entity, node: Node): Delete => ({ ...unchanged(entity, node), kind: 'delete' });

/** The node changed or went between read and write: the command is planned again. */
export const changedMeanwhile = (entity: Entity) => stale(`the ${labelOf(entity)}`, nameFieldOf(entity));

/** Whether the node is not deleted before what this item of its partition repeats. */
const isDependent = ({ behaviour: { keepsOwned } }: NodeKind, item: Item): boolean =>
  item.Type === OWNERSHIP &&
  !isMandate(item) &&
  (keepsOwned === true || keepsOwned?.includes(leadingType(item)) === true);

/** Keeps what the first step needs of a partition, which may hold a million edges: dependents, and a stepful of others. */
function enough(kind: NodeKind): (item: Item) => boolean {
  let room = A_STEPFUL;
  return (item) => isLeft(item) && (isDependent(kind, item) || room-- > 0);
}

/** Refuses to delete a node that still owns something; `around` holds the items of its partition. */
function refuseWhileOwning(kind: NodeKind, node: Node, around: readonly Item[]): void {
  const { entity } = kind;
  const owned = around.filter((item) => isDependent(kind, item));
  const [first] = owned;
  if (first) {
    throw conflict(
      nameFieldOf(entity),
      `the ${node.ref.type} still has ${owned.length} dependent(s), the first is ${String(first.owned)}`,
    );
  }
}
