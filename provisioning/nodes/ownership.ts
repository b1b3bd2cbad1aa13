import { defined } from '../../table/defined.ts';
import { conflict, stale } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, type Key } from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/partition-queries.ts';
import { type Action, create } from '../../table/write/action.ts';
import { visible } from '../visible.ts';
import { toUpdate, touch, touchLiving } from './nodes.ts';

/**
 * A node and what it owns: a scope its groups, roles and the scopes below, an account its addresses and
 * licences, a role those that inherit from it. The edge in the owner's partition repeats all that is shown of
 * the node, so that what somebody owns is one Query, with everything.
 */
export interface Owner {
  readonly ref: Ref;
  /** The attribute of the node that names the owner, for messages. */
  readonly field: string;
  /** An owner that always exists and has no node. */
  readonly isAnchor?: true;
}

type Attributes = Readonly<Record<string, unknown>>;

const keyOf = (owner: Owner, owned: Ref) => edgeKey(owner.ref, owned);

/** The copy of a node in the partition of its owner. */
export const copyOf = (attributes: Attributes, owned: Ref, key: Key): Item => ({
  ...visible(attributes),
  // The copy expires with its node.
  ...defined({ ttl: attributes.ttl }),
  ...key,
  Type: OWNERSHIP,
  owned: formatRef(owned),
});

/** The edge from an owner that the node comes to. */
export function addOwner(owner: Owner, owned: Ref, attributes: Attributes): readonly Action[] {
  return [
    ...(owner.isAnchor ? [] : [touchLiving(owner.ref, owner.field)]),
    create(copyOf(attributes, owned, keyOf(owner, owned)), () =>
      conflict('id', `${formatRef(owned)} exists already`),
    ),
  ];
}

/** The edge from an owner that the node leaves. */
export const removeOwner = (owner: Owner, owned: Ref): readonly Action[] => [
  ...(owner.isAnchor ? [] : [touch(owner.ref, owner.field)]),
  { kind: 'delete', key: keyOf(owner, owned) },
];

/** Applies the changes of a node to the edge that repeats it. */
function repeat(owner: Owner, owned: Ref, changes: Attributes): Action {
  // What is not shown of the node is not shown here either.
  const shown = [...Object.keys(visible(changes)), ...('ttl' in changes ? ['ttl'] : [])];
  const { set, remove } = toUpdate(Object.fromEntries(shown.map((name) => [name, changes[name]])));
  return {
    kind: 'update',
    key: keyOf(owner, owned),
    set,
    remove,
    when: { exists: true },
    failure: () => stale(formatRef(owned), owner.field),
  };
}

/** The edges from owners to a node that changes: updated, removed or added. */
export function moveOwners(
  owned: Ref,
  before: readonly Owner[],
  after: readonly Owner[],
  attributes: Attributes,
  changes: Attributes,
): readonly Action[] {
  const has = (owners: readonly Owner[], owner: Owner) =>
    owners.some(({ ref }) => formatRef(ref) === formatRef(owner.ref));
  return [
    ...before.flatMap((owner) =>
      has(after, owner) ? [repeat(owner, owned, changes)] : removeOwner(owner, owned),
    ),
    ...after.filter((owner) => !has(before, owner)).flatMap((owner) => addOwner(owner, owned, attributes)),
  ];
}
