import type { Entry } from '../../table/decision/attributes.ts';
import { changesEntries, entryChanges } from '../../table/decision/entries.ts';
import { conflict, notFound, stale } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, type Key, META } from '../../table/keys.ts';
import { type Action, create, type Delete } from '../../table/write/action.ts';
import { toUpdate, touch, touchLiving } from '../nodes/nodes.ts';
import { type AuditEntry, keptPlan, type OneTransaction } from '../plan.ts';
import { visible } from '../visible.ts';

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
  /** What it says in decision items. */
  readonly entries: readonly Entry[];
  /** What else is written when the edge is created or changed. */
  readonly grant?: readonly Action[];
  /** What else is written when it is deleted. */
  readonly revoke?: readonly Action[];
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
const edgeInWords = (label: string): string => label.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

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

/**
 * Attributes that say who made an edge, who else gives it, and when. Where a command leaves them out, any value is equal to it; all others
 * count, left out or not: an edge without an end is not one that has one.
 */
const ABOUT_ITSELF: ReadonlySet<string> = new Set([
  'id',
  'joinedAt',
  'assignedAt',
  'grantedAt',
  'grantedBy',
  'createdBy',
  'updatedBy',
  'origins',
  'suspended',
]);

/** Whether an edge that is there is the one that a command asks for with this input. */
const isSameEdge = (there: Edge, wanted: Edge, input: Given): boolean =>
  [...new Set([...Object.keys(there.attributes), ...Object.keys(wanted.attributes)])]
    .filter((name) => !ABOUT_ITSELF.has(name) || input[name] !== undefined)
    .every((name) => isSame(there.attributes[name], wanted.attributes[name]));

/** Lists of ids are sets: their order says nothing. */
const isSame = (a: Edge['attributes'][string], b: Edge['attributes'][string]): boolean =>
  typeof a === 'object' && typeof b === 'object'
    ? a.length === b.length && a.every((each) => b.includes(each))
    : a === b;

const isThere = ({ label }: Edge): string => `this ${edgeInWords(label)} exists already`;

/** @param isAnew whether it is planned anew where whoever was faster has made this one: nothing is wrong with it */
export function addEdge(
  edge: Edge,
  now: string,
  isAnew: (found: Item | undefined) => boolean = () => false,
): readonly Action[] {
  const stored = { Type: edge.label, ...edge.attributes, createdAt: now, updatedAt: now };
  return [
    ...edge.ends.map((end) => touchLiving(end.ref, end.field)),
    ...edge.keys.map((key) =>
      create({ ...key, ...stored }, (found) =>
        key === edge.keys[0] && isAnew(found)
          ? stale(`this ${edgeInWords(edge.label)}`, edge.field)
          : conflict(key.SK === META ? 'id' : edge.field, isThere(edge)),
      ),
    ),
    ...entryChanges([], edge.entries),
    ...(edge.grant ?? []),
  ];
}

/**
 * The plan that creates an edge; with `ifExists: "keep"` it keeps one that is there and equal.
 *
 * @param there what is there, read only if it may be kept
 * @throws GatehouseError `conflict` for one that is there and is another
 */
export function createEdgePlan(
  { edge, input, audit, isAnew }: Creation,
  now: string,
  there: { readonly item: Item; readonly edge: Edge } | undefined,
): OneTransaction {
  if (there === undefined) {
    const after = { ...edge.attributes, createdAt: now, updatedAt: now };
    const actions = addEdge(edge, now, (found) => input.ifExists === 'keep' || isAnew?.(found) === true);
    return { actions, result: after, audit: { ...audit, after } };
  }
  if (!isSameEdge(there.edge, edge, input)) throw conflict(edge.field, `${isThere(edge)}, and is another`);
  const after = visible(there.item);
  return keptPlan({ ...audit, after }, after);
}

interface Creation {
  readonly edge: Edge;
  readonly input: Given;
  readonly audit: AuditEntry;
  /** As that of {@link addEdge}, whatever the input says. */
  readonly isAnew?: ((found: Item | undefined) => boolean) | undefined;
}

type Given = Readonly<Record<string, unknown>>;

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
    ...entryChanges(before.entries, after.entries).filter(changesEntries),
    ...(after.grant ?? []),
  ];
}

export function removeEdge(edge: Edge): readonly Action[] {
  return [
    ...edge.ends.map((end) => touch(end.ref, end.field)),
    ...edge.keys.map((key): Delete => ({ kind: 'delete', key, ...asRead(edge, key) })),
    ...entryChanges(edge.entries, []),
    ...(edge.revoke ?? []),
  ];
}
