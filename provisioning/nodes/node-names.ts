import { type Entity, INDEXES } from '../../table/entities/entity.ts';
import { formatRef, isRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, listPartition, nodeNamedKey, shardOf } from '../../table/keys.ts';
import { foldName, NORMALISATION } from '../../table/normalise.ts';
import type { Action } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';

/**
 * Names by which people find a node and which need not be unique (ADR 0023): one item per node and name, in a
 * partition of the name. It holds nothing but what is in the node, so the transaction of the node writes it blindly.
 */
export const NODE_NAME = 'NodeName';

type Attributes = Readonly<Record<string, unknown>>;

/** What is indexed of a name: a path may end with it, so it is what follows the last slash. */
export const lastSegment = (folded: string): string => folded.slice(folded.lastIndexOf('/') + 1);

/** Over how many index partitions the list of all names is spread. */
const NAME_SHARDS = 4;

/** The partitions of the list of all names, in the order of their keys. */
export const nameLists: readonly string[] = Array.from({ length: NAME_SHARDS }, (_, shard) =>
  listPartition('names', shard),
);

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string');

/** The items by which a node is found. */
export function nodeNamesOf({ named }: Entity, ref: Ref, attributes: Attributes): readonly Item[] {
  if (!named) return [];
  const folded = [...new Set(named.by.flatMap((name) => textsOf(attributes[name])).map(foldName))];
  const segments = [...new Set(folded.map(lastSegment))];
  const above = textsOf(named.above && attributes[named.above]).filter(isRef);
  return segments.map((segment) => {
    const key = nodeNamedKey(named.kind, segment, ref);
    return {
      ...key,
      Type: NODE_NAME,
      of: formatRef(ref),
      name: attributes[named.by[0]] as string,
      values: folded.filter((each) => lastSegment(each) === segment),
      normalisation: NORMALISATION,
      ...(above.length > 0 ? { above } : {}),
      [`${INDEXES.all}PK`]: listPartition('names', shardOf(identityOf(key), NAME_SHARDS)),
      [`${INDEXES.all}SK`]: key.PK,
    };
  });
}

/**
 * Writes the items of new or changed names, and deletes those of old ones.
 *
 * @param before the attributes so far; none at creation
 * @param after the attributes from now on; none at deletion
 */
export function moveNodeNames(
  entity: Entity,
  ref: Ref,
  before: Attributes,
  after: Attributes,
): readonly Action[] {
  const [old, wanted] = [before, after].map(
    (attributes) => new Map(nodeNamesOf(entity, ref, attributes).map((item) => [identityOf(item), item])),
  ) as [Map<string, Item>, Map<string, Item>];
  return [
    ...[...wanted].flatMap(([key, item]): readonly Action[] =>
      canonical(old.get(key)) === canonical(item) ? [] : [{ kind: 'put', item }],
    ),
    ...[...old].flatMap(([key, { PK, SK }]): readonly Action[] =>
      wanted.has(key) ? [] : [{ kind: 'delete', key: { PK, SK } }],
    ),
  ];
}

/** How a node is found under a name, as its item says. */
export interface NodeName {
  readonly ref: string;
  readonly name: string;
  /** Folded. */
  readonly values: readonly string[];
  /** The scopes above it, from the nearest on; of a group only the one that it is in. */
  readonly above: readonly string[];
}

export const readNodeName = (item: Item): NodeName => ({
  ref: String(item.of),
  name: String(item.name),
  values: textsOf(item.values),
  above: textsOf(item.above),
});
