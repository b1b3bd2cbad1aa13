import { type Entity, INDEXES } from '../../table/entities/entity.ts';
import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import {
  datedSort,
  listPartition,
  partitionOf,
  shardOf,
  statusPartition,
  timedSort,
} from '../../table/keys.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Sorts after every date: what has none is not what "until this date" asks for. */
const NO_DATE = '9999-12-31T23:59:59.999Z';

const entry = (index: string, partition: string, sort: string) => ({
  [`${index}PK`]: partition,
  [`${index}SK`]: sort,
});

/** The index keys of a node, from its registry entry and its attributes. Indexes are sparse: no attribute, no entry. */
export function indexAttributes(
  entity: Entity,
  ref: Ref,
  attributes: Attributes,
): Readonly<Record<string, string>> {
  const shard = shardOf(ref.id, entity.listShards);
  const { inTenant, byStatus } = entity;
  const tenant = inTenant && attributes[inTenant.tenant];
  const time = inTenant && attributes[inTenant.time];
  const status = byStatus && attributes[byStatus.status];
  const date = byStatus && attributes[byStatus.date];
  return {
    ...entry(INDEXES.all, listPartition(ref.type, shard), ref.id),
    ...(typeof tenant === 'string' && isRef(tenant) && typeof time === 'string'
      ? entry(INDEXES.tenant, partitionOf(parseRef(tenant, 'tenant')), timedSort(ref.type, time, ref.id))
      : {}),
    ...(typeof status === 'string'
      ? entry(
          INDEXES.status,
          statusPartition(ref.type, status, shard),
          datedSort(typeof date === 'string' ? date : NO_DATE, ref.id),
        )
      : {}),
  };
}

/** Changes of index keys that a change of attributes brings: a value to set, undefined to remove. */
export function indexChanges(
  entity: Entity,
  ref: Ref,
  before: Attributes,
  after: Attributes,
): Readonly<Record<string, string | undefined>> {
  const [old, wanted] = [indexAttributes(entity, ref, before), indexAttributes(entity, ref, after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(wanted)])];
  return Object.fromEntries(
    names.filter((name) => old[name] !== wanted[name]).map((name) => [name, wanted[name]]),
  );
}
