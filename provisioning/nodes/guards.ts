import { type Entity, type Guard, INDEXES } from '../../table/entities/entity.ts';
import { conflict } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, type Key, listPartition, shardOf } from '../../table/keys.ts';
import { NORMALISATION } from '../../table/normalise.ts';
import { type Action, create, type Delete } from '../../table/write/action.ts';
import { toUpdate } from './nodes.ts';

/**
 * Uniqueness guards: one item per value, which is at the same time the look-up from
 * the value. They are written by condition in the transaction of their owner, never checked first.
 */
type Attributes = Readonly<Record<string, unknown>>;

/** The key of the guard of this value; undefined when the entity has no such value. */
export function guardKeyOf(guard: Guard, attributes: Attributes): Key | undefined {
  const value = attributes[guard.field];
  if (typeof value !== 'string') return undefined;
  const within = guard.within?.map((attribute) => String(attributes[attribute])).join(' ');
  return guardKey(guard.kind, guard.normalise(value, guard.field), within);
}

/** The owner that a guard names. Natural keys are no ids, so `parseRef` does not read them. */
export const ownerOf = (guard: Item, { type }: Pick<Entity, 'type'>): Ref => ({
  type,
  id: String(guard.owner).slice(type.length + 1),
});

/** Over how many index partitions the list of all guards is spread. */
const GUARD_SHARDS = 16;

/** The partitions of the list of all guards. A guard without its owner is found only there (ADR 0012). */
export const guardLists: readonly string[] = Array.from({ length: GUARD_SHARDS }, (_, shard) =>
  listPartition('guard', shard),
);

/** What the guard repeats of its owner, under the names that it has there. */
const repeated = (guard: Guard, attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(guard.repeats ?? {}).map(([name, attribute]) => [name, attributes[attribute]]),
  );

/** The guard of a value that the owner has, whole but for its dates. */
const guardItem = (guard: Guard, key: Key, owner: Ref, attributes: Attributes): Item => ({
  ...key,
  Type: 'Guard',
  kind: guard.kind,
  value: guard.normalise(String(attributes[guard.field]), guard.field),
  owner: formatRef(owner),
  normalisation: NORMALISATION,
  ...repeated(guard, attributes),
  [`${INDEXES.all}PK`]: listPartition('guard', shardOf(key.PK, GUARD_SHARDS)),
  [`${INDEXES.all}SK`]: key.PK,
});

/** Every guard that a node must have, whole but for their dates. */
export const guardsOf = (entity: Entity, owner: Ref, attributes: Attributes): readonly Item[] =>
  entity.guards.flatMap((guard) => {
    const key = guardKeyOf(guard, attributes);
    return key ? [guardItem(guard, key, owner, attributes)] : [];
  });

function claim(guard: Guard, key: Key, owner: Ref, attributes: Attributes, now: string): Action {
  const item = { ...guardItem(guard, key, owner, attributes), createdAt: now, updatedAt: now };
  return create(item, (found) =>
    conflict(
      guard.field,
      `${guard.field} is taken`,
      typeof found?.owner === 'string' ? found.owner : undefined,
    ),
  );
}

/** The condition that the guard still belongs to this owner. */
const owned = (field: string, owner: Ref) => ({
  when: { exists: true, equals: { owner: formatRef(owner) } },
  failure: () => conflict(field, `${field} was changed by someone else meanwhile`),
});

const free = (key: Key, field: string, owner: Ref): Delete => ({
  kind: 'delete',
  key,
  ...owned(field, owner),
});

/**
 * Claims the guards of new values and frees those of old ones. Where both normalise alike, the guard stays as
 * it is.
 *
 * @param before the attributes so far; none at creation
 * @param after the attributes from now on; none at deletion
 */
export function moveGuards(
  entity: Entity,
  owner: Ref,
  before: Attributes,
  after: Attributes,
  now: string,
): readonly Action[] {
  return entity.guards.flatMap((guard) => {
    const from = guardKeyOf(guard, before);
    const to = guardKeyOf(guard, after);
    if (from?.PK === to?.PK) return to ? follow(guard, to, owner, before, after, now) : [];
    return [
      ...(to ? [claim(guard, to, owner, after, now)] : []),
      ...(from ? [free(from, guard.field, owner)] : []),
    ];
  });
}

/** Updates what the guard of an unchanged value repeats of its owner. */
function follow(
  guard: Guard,
  key: Key,
  owner: Ref,
  before: Attributes,
  after: Attributes,
  now: string,
): readonly Action[] {
  const [old, wanted] = [repeated(guard, before), repeated(guard, after)];
  if (Object.keys(wanted).every((name) => wanted[name] === old[name])) return [];
  return [{ kind: 'update', key, ...toUpdate({ ...wanted, updatedAt: now }), ...owned(guard.field, owner) }];
}

/** The attributes that decide which guards, names and index entries a change frees, takes or brings up to date. */
export function guardedValues(entity: Entity, item: Item): Record<string, string | undefined> {
  const guarded = entity.guards.flatMap((guard) => [
    guard.field,
    ...(guard.within ?? []),
    ...Object.values(guard.repeats ?? {}),
  ]);
  const indexed = [
    ...Object.values(entity.inTenant ?? {}),
    ...Object.values(entity.byStatus ?? {}),
    ...(entity.byName ? [entity.byName] : []),
    ...(entity.named?.by ?? []),
    ...(entity.expires ? [entity.expires.from] : []),
  ];
  return Object.fromEntries(
    [...guarded, ...indexed].map((attribute) => [attribute, item[attribute] as string | undefined]),
  );
}
