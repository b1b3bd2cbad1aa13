import * as z from 'zod';
import { type Entity, INDEXES } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES, type EntityType } from '../../table/entities/registry.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import {
  edgePrefix,
  listPartition,
  nodeKey,
  partitionOf,
  statusPartition,
  timesBetween,
  typeBetween,
} from '../../table/keys.ts';
import type { MergedQuery } from '../../table/read/merged.ts';
import type { ListQuery } from '../../table/read/query.ts';
import type { Reader } from '../../table/read/reader.ts';
import { viewsOf } from '../../table/view.ts';
import { type Command, readCommand } from '../command.ts';

/** Input fields of every list. */
export const pageFields = { limit: field.limit.optional(), cursor: field.cursor.optional() };

/** One page of the nodes of a type that `owner` owns: its edges by Query, then the nodes themselves. */
export async function listOwned(reader: Reader, owner: Ref, type: EntityType, page: PageInput) {
  const edges = await reader.list({
    ranges: [{ partition: partitionOf(owner), prefix: edgePrefix(type) }],
    ...page,
  });
  const owned = edges.items.filter((edge) => edge.Type === 'Ownership');
  const nodes = await reader.getMany(owned.map((edge) => nodeKey(parseRef(String(edge.owned), 'owned'))));
  // A node deleted between the two reads is not in the list any more.
  return viewsOf({ ...edges, items: nodes.filter((node) => node !== undefined) });
}

export interface PageInput {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What a tenant has of one type, in the order of creation. */
export const inTenant = (type: EntityType, tenant: Ref, { from, until }: Period): ListQuery => ({
  index: INDEXES.tenant,
  ranges: [{ partition: partitionOf(tenant), between: typeBetween(type, from, until) }],
});

/** What has a status, in the order of the date that goes with it; without a date it comes last. */
export const withStatus = (type: EntityType, status: string, { from, until }: Period): MergedQuery => ({
  index: INDEXES.status,
  partitions: Array.from({ length: ENTITIES[type].listShards }, (_, shard) =>
    statusPartition(type, status, shard),
  ),
  between: timesBetween(from, until),
});

/** From an instant on, until before another. */
export interface Period {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export const periodFields = { from: field.instant.optional(), until: field.instant.optional() };

/** The list of all nodes of a kind, from the index; it follows the table by a moment. */
export function listAllCommand(type: EntityType): Command {
  const entity: Entity = ENTITIES[type];
  return readCommand({
    name: `${type}.list`,
    summary: `Lists every ${entity.label.toLowerCase()}, page by page.`,
    input: z.strictObject(pageFields),
    run: async ({ reader }, page) => viewsOf(await reader.list({ ...allOf(type), ...page })),
  });
}

export const allOf = (type: EntityType) => ({
  index: INDEXES.all,
  ranges: Array.from({ length: ENTITIES[type].listShards }, (_, shard) => ({
    partition: listPartition(type, shard),
  })),
});
