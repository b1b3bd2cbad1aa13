import type { EntityType } from '../../table/entities/registry.ts';
import { notAScope, parseScopeRef } from '../../table/entities/scope-types.ts';
import { conflict, GatehouseError, invalid, notFound, stale } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Expected, Failure, Update, Value } from '../../table/write/action.ts';
import type { Node, Planning } from '../plan.ts';
import { scopeTypeOf } from './scope-types.ts';

/** Reads one node. Throws `not_found` on `field`. */
export async function loadNode(
  planning: Planning,
  type: EntityType,
  id: string,
  field: string,
): Promise<Node> {
  return loadRef(planning, { type, id }, field);
}

/** Reads the scope that `text` names. Throws `invalid` or `not_found` on `field`. */
export async function loadScope(planning: Planning, text: string, field: string): Promise<Node> {
  const ref = parseScopeRef(text, field);
  const item = await planning.reader.get(nodeKey(ref));
  if (item) return { ref, item };
  // An unknown type is the better error than a missing scope.
  if (!(await scopeTypeOf(planning.reader, ref.type))) throw notAScope(field);
  throw notFound(field, formatRef(ref));
}

/** Reads the scope that `text` names, which must be a root. Throws `invalid` with `why` on `field` for another one. */
export async function loadRoot(planning: Planning, text: string, field: string, why: string): Promise<Node> {
  const scope = await loadScope(planning, text, field);
  if (textOf(scope.item, 'root') !== text) throw invalid(field, why);
  return scope;
}

/** Reads the scope that `text` names, in the field that is called as the type that it must be of. */
export async function loadScopeOf(planning: Planning, type: string, text: string): Promise<Node> {
  const ref = parseScopeRef(text, type);
  if (ref.type !== type) throw invalid(type, `${type} is not a reference to one of type ${type}`);
  return loadRef(planning, ref, type);
}

/** Reads the node of this reference. Throws `not_found` on `field`. */
export async function loadRef(planning: Pick<Planning, 'reader'>, ref: Ref, field: string): Promise<Node> {
  const item = await planning.reader.get(nodeKey(ref));
  if (!item) throw notFound(field, formatRef(ref));
  return { ref, item };
}

/**
 * What is to be deleted. Undefined when it is gone though this request has read it before (`again`): another one,
 * most likely a copy of this one, has deleted it. Throws what `load` throws otherwise.
 */
export const unlessGone = (again: boolean, load: Promise<Node>): Promise<Node | undefined> =>
  load.catch((error: unknown) => {
    if (again && error instanceof GatehouseError && error.code === 'not_found') return undefined;
    throw error;
  });

/**
 * Every edge counts up the revision of both its ends. It makes sure that they exist, and a deletion
 * that has read a node's edges is refused when one has come or gone since.
 */
export const touch = (ref: Ref, field: string): Update => ({
  kind: 'update',
  key: nodeKey(ref),
  add: { rev: 1 },
  when: { exists: true },
  failure: () => notFound(field, formatRef(ref)),
});

/** As {@link touch}, for a new edge: a node whose deletion has begun gets none. */
export const touchLiving = (ref: Ref, field: string): Update => ({
  ...touch(ref, field),
  when: { exists: true, equals: { deletingSince: undefined } },
  failure: (found) => (found ? beingDeleted(ref, field) : notFound(field, formatRef(ref))),
});

export const beingDeleted = (ref: Ref, field: string) =>
  conflict(field, `${formatRef(ref)} is being deleted`);

/** Throws `conflict` on `field` when the deletion of the node has begun. */
export function refuseDeleting(node: Node, field: string): void {
  if (node.item.deletingSince !== undefined) throw beingDeleted(node.ref, field);
}

/** The condition that a node is as it was read, as far as a plan rests on it. */
export const asRead = (
  { ref, item }: Node,
  names: readonly string[],
  failure: Failure = () => stale(ref.type),
): Update => ({
  kind: 'update',
  key: nodeKey(ref),
  when: {
    exists: true,
    equals: Object.fromEntries(names.map((name) => [name, item[name] as Expected])),
  },
  failure,
});

/** The root that a scope belongs to: its tenant. */
export const rootOf = (scope: Node): Ref => parseRef(textOf(scope.item, 'root'), 'root');

/** An attribute that the schema says is text. */
export function textOf(item: Item, attribute: string): string {
  const value = item[attribute];
  if (typeof value !== 'string') {
    throw new GatehouseError('damaged_item', `${item.PK} / ${item.SK} has no ${attribute}`, {
      field: attribute,
    });
  }
  return value;
}

export function optionalText(item: Item, attribute: string): string | undefined {
  return item[attribute] === undefined ? undefined : textOf(item, attribute);
}

/** An attribute that holds a list of texts. */
export function textsOf(item: Item, attribute: string): readonly string[] {
  const value = item[attribute];
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) {
    throw new GatehouseError('damaged_item', `${item.PK} / ${item.SK} has no list of ${attribute}`, {
      field: attribute,
    });
  }
  return value;
}

/** Changes of attributes as an update takes them: null and undefined clear, everything else is set. */
export function toUpdate(changes: Readonly<Record<string, unknown>>): {
  readonly set: Readonly<Record<string, Value>>;
  readonly remove: readonly string[];
} {
  const cleared = ([, value]: readonly [string, unknown]) => value === null || value === undefined;
  const entries = Object.entries(changes);
  return {
    set: Object.fromEntries(entries.filter((entry) => !cleared(entry))) as Record<string, Value>,
    remove: entries.filter(cleared).map(([attribute]) => attribute),
  };
}
