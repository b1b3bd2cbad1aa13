import { GatehouseError } from './errors.ts';
import { type Ref, SUBJECT_NODES } from './identifiers.ts';
import type { Item } from './item.ts';
import { edgePrefix, edgesBetween, leadingType, META, nodeBetween, parseKey, partitionOf } from './keys.ts';
import type { ListQuery } from './reader.ts';

/** The queries of one node's partition in the base table: what the node owns, and its edges. */
type Keep = (item: Item) => boolean;

/** `Type` of the edges that repeat a node in the partition of what owns it. */
export const OWNERSHIP = 'Ownership';

/** An edge that repeats the node at its other end. */
export const isOwnership: Keep = (item) => item.Type === OWNERSHIP;

/** The node that such an edge repeats. The id of a natural key may hold colons, so it is read of the key. */
export function ownedRef(item: Item): Ref {
  const parsed = parseKey(item);
  const [owned] = parsed?.form === 'edge' ? parsed.to : [];
  if (!owned) throw new GatehouseError('damaged_item', `${item.PK} / ${item.SK} is no edge to what is owned`);
  return owned;
}

/** What `owner` owns of a type. The edges repeat the nodes, so one Query brings everything. */
export const ownedBy = (owner: Ref, type: string, keep?: Keep): ListQuery => ({
  ranges: [{ partition: partitionOf(owner), prefix: edgePrefix(type) }],
  keep: (item) => isOwnership(item) && (keep?.(item) ?? true),
});

/** The edges from a node to nodes of these types, or of these wide kinds. */
export const edgesFrom = (from: Ref, ...types: readonly string[]): ListQuery => ({
  ranges: types.map((type) => ({ partition: partitionOf(from), prefix: edgePrefix(type) })),
});

/** The edges from a node to subjects of these types of nodes: one range of its partition, so one Query. */
export const edgesToSubjects = (from: Ref, types = SUBJECT_NODES): ListQuery => ({
  ranges: [{ partition: partitionOf(from), between: edgesBetween(...types) }],
  keep: (item) => types.includes(leadingType(item)),
});

/** A node with its edges to nodes of these types: one range of its partition, so one Query. */
export const nodeWith = (node: Ref, types: readonly string[], keep?: Keep): ListQuery => ({
  ranges: [{ partition: partitionOf(node), between: nodeBetween(...types) }],
  keep: (item) =>
    item.SK === META ||
    (types.some((type) => item.SK.startsWith(edgePrefix(type))) && (keep?.(item) ?? true)),
});

/** The edges of a wide kind from a node to one scope. */
export const wideEdgesFrom = (from: Ref, kind: string, to: Ref): ListQuery => ({
  ranges: [{ partition: partitionOf(from), prefix: edgePrefix(kind, to) }],
});
