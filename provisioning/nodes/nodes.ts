import type { EntityType } from '../../table/entities/registry.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { GatehouseError, notFound } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Update, Value } from '../../table/write/action.ts';
import type { Node, Planning } from '../plan.ts';

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
export const loadScope = async (planning: Planning, text: string, field: string): Promise<Node> =>
  loadRef(planning, parseScopeRef(text, field), field);

async function loadRef(planning: Planning, ref: Ref, field: string): Promise<Node> {
  const item = await planning.reader.get(nodeKey(ref));
  if (!item) throw notFound(field, formatRef(ref));
  return { ref, item };
}

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
