import { DAY_MS, type Entity, INDEXES } from '../../table/entities/entity.ts';
import { formatRef, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import {
  datedSort,
  listPartition,
  namedSort,
  namePartition,
  partitionOf,
  shardOf,
  statusPartition,
  timedSort,
  treePartition,
  treeSort,
} from '../../table/keys.ts';
import { normaliseName } from '../../table/normalise.ts';

type Attributes = Readonly<Record<string, unknown>>;
type Kept = Readonly<Record<string, string | number>>;

/** Sorts after every date: what has none is not what "until this date" asks for. */
const NO_DATE = '9999-12-31T23:59:59.999Z';

const entry = (index: string, partition: string, sort: string) => ({
  [`${index}PK`]: partition,
  [`${index}SK`]: sort,
});

/**
 * What a node's item holds for the table's sake: its index keys and its time-to-live, from its registry entry
 * and its attributes. Indexes are sparse: no attribute, no entry.
 */
export function indexAttributes(entity: Entity, ref: Ref, attributes: Attributes): Kept {
  const shard = shardOf(ref.id, entity.listShards);
  const { inTenant, inTree, byStatus, byName, expires } = entity;
  const textOf = (attribute: string | undefined): string | undefined => {
    const value = attribute === undefined ? undefined : attributes[attribute];
    return typeof value === 'string' ? value : undefined;
  };
  const [tenant, time] = [textOf(inTenant?.tenant), textOf(inTenant?.time)];
  const [status, date] = [textOf(byStatus?.status), textOf(byStatus?.date)];
  const [name, from] = [textOf(byName), textOf(expires?.from)];
  return {
    ...entry(INDEXES.all, listPartition(ref.type, shard), ref.id),
    ...(tenant && isRef(tenant) && time
      ? entry(INDEXES.tenant, partitionOf(parseRef(tenant, 'tenant')), timedSort(ref.type, time, ref.id))
      : {}),
    ...(name
      ? entry(INDEXES.tenant, namePartition(ref.type, shard), namedSort(normaliseName(name, 'name'), ref.id))
      : {}),
    ...(status
      ? entry(INDEXES.status, statusPartition(ref.type, status, shard), datedSort(date ?? NO_DATE, ref.id))
      : {}),
    ...(inTree && isPath(attributes.ancestors) ? treeEntry([formatRef(ref), ...attributes.ancestors]) : {}),
    ...(from && expires ? { ttl: Math.floor((Date.parse(from) + expires.afterDays * DAY_MS) / 1000) } : {}),
  };
}

const isPath = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const treeEntry = (path: readonly string[]) =>
  entry(INDEXES.status, treePartition(path.at(-1) as string), treeSort(path));

/** Changes of these that a change of attributes brings: a value to set, undefined to remove. */
export function indexChanges(
  entity: Entity,
  ref: Ref,
  before: Attributes,
  after: Attributes,
): Readonly<Record<string, string | number | undefined>> {
  const [old, wanted] = [indexAttributes(entity, ref, before), indexAttributes(entity, ref, after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(wanted)])];
  return Object.fromEntries(
    names.filter((name) => old[name] !== wanted[name]).map((name) => [name, wanted[name]]),
  );
}
