import { conflict, notFound, stale } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import { edgeKey, type Key, META } from '../../table/keys.ts';
import { type Action, create, type Delete } from '../../table/write/action.ts';
import { toUpdate, touch, touchLiving } from '../nodes/nodes.ts';

/**
 * An edge as data: the keys of its items, its ends, and what it writes to decision items. Lists read edges;
 * checks read decision items, which repeat them in the same transaction (ADR 0003).
 */
export interface Edge {
  /** `Type` of its items. */
  readonly label: string;
  /** The input field that names it, for an edge that is missing or there already. */
  readonly field: string;
  /** The items: the edge itself first, then its mirrors. All hold the same attributes. */
  readonly keys: readonly [Key, ...Key[]];
  readonly attributes: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** Nodes that it links; each must exist. */
  readonly ends: readonly End[];
  /** What else is written when the edge is created. */
  readonly grant: readonly Action[];
  /** What else is written when it changes; as at creation when left out. */
  readonly change?: readonly Action[];
  /** What else is written when it is deleted. */
  readonly revoke: readonly Action[];
}

interface End {
  readonly ref: Ref;
  /** The command's name for it. */
  readonly field: string;
}

/** The keys and ends of an edge that is written in both directions. */
export const between = (from: End, to: End): Pick<Edge, 'keys' | 'ends' | 'field'> => ({
  field: to.field,
  keys: [edgeKey(from.ref, to.ref), edgeKey(to.ref, from.ref)],
  ends: [from, to],
});

/** An edge in messages, from the `Type` of its items: `tenant grant`. */
export const edgeInWords = (label: string): string =>
  label.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/**
 * The condition that an edge is still as it was read: its attributes decide what else is written. Mirrors
 * always change with the edge, so comparing one item is enough.
 */
const asRead = (edge: Edge, key: Key) => ({
  when: key === edge.keys[0] ? { exists: true, equals: edge.attributes } : { exists: true },
  failure: (found: unknown) =>
    found
      ? stale(`this ${edgeInWords(edge.label)}`, edge.field)
      : notFound(edge.field, `this ${edgeInWords(edge.label)}`),
});

export function addEdge(edge: Edge, now: string): readonly Action[] {
  const stored = { Type: edge.label, ...edge.attributes, createdAt: now, updatedAt: now };
  return [
    ...edge.ends.map((end) => touchLiving(end.ref, end.field)),
    ...edge.keys.map((key) =>
      create({ ...key, ...stored }, () =>
        conflict(key.SK === META ? 'id' : edge.field, `this ${edgeInWords(edge.label)} exists already`),
      ),
    ),
    ...edge.grant,
  ];
}

/**
 * Gives an edge the attributes of `after`; what is written with it must set, not add, what it repeats.
 *
 * @param touchEnd {@link touch} where the change only revokes: then the deletion of an end may have begun
 */
export function changeEdge(
  before: Edge,
  after: Edge,
  now: string,
  touchEnd: typeof touch = touchLiving,
): readonly Action[] {
  const changed = Object.entries(after.attributes).filter(
    ([name, value]) => value !== before.attributes[name],
  );
  const { set, remove } = toUpdate({ ...Object.fromEntries(changed), updatedAt: now });
  return [
    ...after.ends.map((end) => touchEnd(end.ref, end.field)),
    ...before.keys.map((key): Action => ({ kind: 'update', key, set, remove, ...asRead(before, key) })),
    ...(after.change ?? after.grant),
  ];
}

export function removeEdge(edge: Edge): readonly Action[] {
  return [
    ...edge.ends.map((end) => touch(end.ref, end.field)),
    ...edge.keys.map((key): Delete => ({ kind: 'delete', key, ...asRead(edge, key) })),
    ...edge.revoke,
  ];
}
