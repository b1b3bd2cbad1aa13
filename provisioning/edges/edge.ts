import { conflict, notFound } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Key } from '../../table/keys.ts';
import { type Action, create, type Delete } from '../../table/write/action.ts';
import { toUpdate, touch } from '../nodes/nodes.ts';

/**
 * An edge, as data: where it and its mirrors stand, what its ends are, and which facts it puts into
 * decision items. Edges are the truth for lists; decision items repeat them for checks, in the same
 * transaction (ADR 0003).
 */
export interface Edge {
  /** `Type` of its items, and the name in messages. */
  readonly label: string;
  /** The items: the edge itself first, then its mirrors. All hold the same attributes. */
  readonly keys: readonly [Key, ...Key[]];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Nodes that it ties; each must exist. The field is the command's name for it. */
  readonly ends: readonly { readonly ref: Ref; readonly field: string }[];
  /** What else is written when the edge comes to be, or changes. */
  readonly grant: (writtenAt: number) => readonly Action[];
  /** What else is written when it goes. */
  readonly revoke: (writtenAt: number) => readonly Action[];
}

/** The input field that a missing or doubled edge is blamed on: the last end, as in `membership.create`'s group. */
const blamed = (edge: Edge): string => edge.ends.at(-1)?.field ?? 'id';

export function addEdge(edge: Edge, now: string, writtenAt: number): readonly Action[] {
  const stored = { Type: edge.label, ...edge.attributes, createdAt: now, updatedAt: now };
  return [
    ...edge.ends.map((end) => touch(end.ref, end.field)),
    ...edge.keys.map((key) =>
      create({ ...key, ...stored }, () => conflict(blamed(edge), `this ${edge.label} exists already`)),
    ),
    ...edge.grant(writtenAt),
  ];
}

/** Writes new attributes to an edge that is there; `grant` must set, not add, what it repeats. */
export function changeEdge(
  edge: Edge,
  changes: Readonly<Record<string, unknown>>,
  now: string,
  writtenAt: number,
): readonly Action[] {
  const { set, remove } = toUpdate({ ...changes, updatedAt: now });
  return [
    ...edge.ends.map((end) => touch(end.ref, end.field)),
    ...edge.keys.map(
      (key): Action => ({
        kind: 'update',
        key,
        set,
        remove,
        when: { exists: true },
        failure: () => notFound(blamed(edge), `this ${edge.label}`),
      }),
    ),
    ...edge.grant(writtenAt),
  ];
}

export function removeEdge(edge: Edge, writtenAt: number): readonly Action[] {
  return [
    ...edge.ends.map((end) => touch(end.ref, end.field)),
    ...edge.keys.map(
      (key): Delete => ({
        kind: 'delete',
        key,
        when: { exists: true },
        failure: () => notFound(blamed(edge), `this ${edge.label}`),
      }),
    ),
    ...edge.revoke(writtenAt),
  ];
}
