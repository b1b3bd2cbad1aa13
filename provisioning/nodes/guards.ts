import type { Entity, Guard } from '../../table/entities/entity.ts';
import { conflict } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, type Key } from '../../table/keys.ts';
import { NORMALISATION } from '../../table/normalise.ts';
import { type Action, create, type Delete } from '../../table/write/action.ts';

/**
 * Uniqueness guards (SPEC section 1): one item per value, which is at the same time the look-up from
 * the value. They are written by condition in the transaction of their owner, never checked first.
 */
type Attributes = Readonly<Record<string, unknown>>;

/** Where the guard of this value stands; undefined when the entity has no such value. */
function keyFor(guard: Guard, attributes: Attributes): Key | undefined {
  const value = attributes[guard.field];
  if (typeof value !== 'string') return undefined;
  const within = guard.within?.map((attribute) => String(attributes[attribute])).join(' ');
  return guardKey(guard.kind, guard.normalise(value, guard.field), within);
}

function claim(guard: Guard, key: Key, owner: Ref, attributes: Attributes, now: string): Action {
  const item = {
    ...key,
    Type: 'Guard',
    kind: guard.kind,
    value: attributes[guard.field],
    owner: formatRef(owner),
    normalisation: NORMALISATION,
    createdAt: now,
    ...(guard.kind === 'EMAIL' && attributes.emailProvider ? { provider: attributes.emailProvider } : {}),
  };
  return create(item, (found) =>
    conflict(
      guard.field,
      `${guard.field} is taken`,
      typeof found?.owner === 'string' ? found.owner : undefined,
    ),
  );
}

/** Only the owner frees a guard: one that has changed hands meanwhile is left alone. */
const free = (key: Key, field: string, owner: Ref): Delete => ({
  kind: 'delete',
  key,
  when: { exists: true, equals: { owner: formatRef(owner) } },
  failure: () => conflict(field, `${field} was changed by someone else meanwhile`),
});

export const claimGuards = (
  entity: Entity,
  owner: Ref,
  attributes: Attributes,
  now: string,
): readonly Action[] =>
  entity.guards.flatMap((guard) => {
    const key = keyFor(guard, attributes);
    return key ? [claim(guard, key, owner, attributes, now)] : [];
  });

export const freeGuards = (entity: Entity, owner: Ref, item: Item): readonly Action[] =>
  entity.guards.flatMap((guard) => {
    const key = keyFor(guard, item);
    return key ? [free(key, guard.field, owner)] : [];
  });

/** Moves the guards whose values change; where old and new normalise alike, the guard stays as it is. */
export function moveGuards(
  entity: Entity,
  owner: Ref,
  before: Item,
  after: Attributes,
  now: string,
): readonly Action[] {
  return entity.guards.flatMap((guard) => {
    const from = keyFor(guard, before);
    const to = keyFor(guard, after);
    if (from?.PK === to?.PK) return [];
    return [
      ...(to ? [claim(guard, to, owner, after, now)] : []),
      ...(from ? [free(from, guard.field, owner)] : []),
    ];
  });
}
