import { type Place, placeOf } from '../../table/decision/apart.ts';
import { Attribute, type Entry as Said } from '../../table/decision/attributes.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey, parseKey } from '../../table/keys.ts';
import { readEdge } from '../edges/read-edge.ts';
import { entriesOfNode } from '../kinds/entries.ts';

/**
 * An entry that a node or an edge requires in a decision item, where it stands: `apart` where the part of the item that
 * holds it stands apart. Both directions are checked: a decision item may lack an entry, and it may hold one without a
 * source.
 */
export interface Entry extends Said, Partial<Omit<Place, keyof Said>> {}

/** A group in the place of an edge's own: its entries do not depend on which it is. */
export const ANY_GROUP: Item = { ...nodeKey({ type: 'group', id: 'any' }), Type: 'Group' };

/** Entries of an edge, by any of its items; `groupNode` carries the role. */
export function entriesOfEdge(item: Item, groupNode: Item | undefined): readonly Entry[] {
  if (item.Type === 'GroupRole' && (!groupNode || groupNode.deletingSince !== undefined)) return [];
  return (readEdge(item)?.entries ?? []).flatMap((entry): readonly Entry[] => {
    const { at, attribute, value } = entry;
    if (value instanceof Set) return [...value].map((member) => ({ at, attribute, member }));
    return value === undefined && entry.member === undefined ? [] : [placeOf(entry) ?? entry];
  });
}

/**
 * The entries of a node or an edge.
 *
 * @param groupNode of an edge of a group: the group
 */
export function entriesOfItem(item: Item, groupNode: Item | undefined): readonly Entry[] {
  const parsed = parseKey(item);
  if (parsed?.form !== 'node' || parsed.type === 'grant') return entriesOfEdge(item, groupNode);
  return entriesOfNode({ ref: { type: parsed.type, id: parsed.id }, item }).flatMap((entry) => {
    if (entry.value === undefined && entry.member === undefined) return [];
    return [entry.attribute === Attribute.everyone ? { ...entry, member: String(entry.value) } : entry];
  });
}
