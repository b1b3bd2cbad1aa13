import { INDEXES } from './entities/entity.ts';
import { ENTITIES, type EntityType } from './entities/registry.ts';
import { isBuiltIn } from './entities/scope-types.ts';
import type { Ref } from './identifiers.ts';
import {
  listPartition,
  logPartitions,
  namePartition,
  namesFrom,
  partitionOf,
  statusPartition,
  timesBetween,
  treePartition,
  treePartitions,
  treeSort,
  typeBetween,
} from './keys.ts';
import type { ListQuery, MergedQuery } from './reader.ts';

/** The queries of lists over many nodes: of the indexes, and of the log. */

/** From an instant on, until before another: ISO 8601; in the order of time, or in the opposite one. */
export interface Period {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly descending?: boolean | undefined;
}

const shardsOf = (kind: EntityType, partition: (shard: number) => string): readonly string[] =>
  Array.from({ length: ENTITIES[kind].listShards }, (_, shard) => partition(shard));

/** All of a kind. Scopes of types that were added share a kind and are listed by their type. */
export const allOf = (kind: EntityType, type: string = kind): ListQuery => ({
  index: INDEXES.all,
  ranges: shardsOf(kind, (shard) => listPartition(type, shard)).map((partition) => ({ partition })),
});

/** All scopes of one type. */
export const scopesOf = (type: string): ListQuery =>
  isBuiltIn(type) ? allOf(type as 'tenant') : allOf('scope', type);

/** All subjects of one type. Those of types that were added share a kind, and their ids begin with the type. */
export function subjectsOf(type: string): ListQuery {
  if (type === 'user' || type === 'technical-user') return allOf(type);
  const all = allOf('subject');
  return { ...all, ranges: all.ranges.map((range) => ({ ...range, prefix: `${type}:` })) };
}

/** All scopes, tree by tree. */
export const allScopes = (): ListQuery => ({
  index: INDEXES.status,
  ranges: treePartitions().map((partition) => ({ partition })),
});

/**
 * A scope and all scopes below it.
 *
 * @param path the references of the scope and its ancestors, up to the root
 */
export const scopesFrom = (path: readonly string[]): ListQuery => ({
  index: INDEXES.status,
  ranges: [{ partition: treePartition(path.at(-1) as string), prefix: treeSort(path) }],
});

/** What a tenant has of one type, in the order of creation. */
export const inTenant = (type: string, tenant: Ref, { from, until, descending }: Period): ListQuery => ({
  index: INDEXES.tenant,
  ranges: [{ partition: partitionOf(tenant), between: typeBetween(type, from, until) }],
  descending,
});

/** The audit records of what an actor did for others, in the order of time. */
export const doneForOthers = (actor: Ref, time: Period): ListQuery => ({
  ...inTenant('audit', actor, time),
  index: INDEXES.all,
});

/** All that a tenant has, by type and then in the order of creation, the tenant itself included. */
export const allInTenant = (tenant: Ref): ListQuery => ({
  index: INDEXES.tenant,
  ranges: [{ partition: partitionOf(tenant) }],
});

/** What has a status, in the order of the date that goes with it; without a date it comes last. */
export const withStatus = (
  type: EntityType,
  status: string,
  { from, until, descending }: Period,
): MergedQuery => ({
  descending,
  index: INDEXES.status,
  partitions: shardsOf(type, (shard) => statusPartition(type, status, shard)),
  between: timesBetween(from, until),
});

/** What has a name that begins with `prefix`, in the order of names. */
export const namedFrom = (type: EntityType, prefix: string): MergedQuery => ({
  index: INDEXES.tenant,
  partitions: shardsOf(type, (shard) => namePartition(type, shard)),
  between: namesFrom(prefix),
});

/** The audit log of a tenant, or of what concerns none, by time. */
export const logOf = (owner: Ref | undefined, { from, until, descending }: Period): MergedQuery => ({
  descending,
  partitions: logPartitions(owner),
  between: timesBetween(from, until),
});
