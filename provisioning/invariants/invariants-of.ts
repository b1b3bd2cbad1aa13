import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import { type Invariant, invariantSchema } from '../../table/invariant.ts';
import type { Item } from '../../table/item.ts';
import { GLOBAL, invariantsKey, isSameKey, nodeKey } from '../../table/keys.ts';
import { ownedBy, ownedRef } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { entriesOfNode } from '../kinds/entries.ts';

/** The invariants that the item of a root lists. Throws `damaged_item` where one cannot be read. */
export function invariantsIn(item: Readonly<Record<string, unknown>> | undefined): readonly Invariant[] {
  return Object.entries(item ?? {}).flatMap(([name, value]) => {
    const said = parseAttribute(name);
    if (said?.kind !== 'invariant') return [];
    const parsed = invariantSchema.safeParse({ ...(value as object), id: said.id });
    if (!parsed.success)
      throw new GatehouseError('damaged_item', `${item?.PK} / ${item?.SK} has a damaged ${name}`);
    return [parsed.data];
  });
}

/**
 * The invariants of a root: those that its item lists, and those that it lacks though nodes say them. Throws `damaged_item`
 * where one cannot be read.
 */
export async function readInvariants(reader: Reader, root: Ref): Promise<readonly Invariant[]> {
  const key = invariantsKey(root);
  const nodes = await reader.listAll(ownedBy(root, 'invariant'));
  const entries = nodes.flatMap((item) => entriesOfNode({ ref: ownedRef(item), item }));
  const said = entries.filter(({ at, value }) => isSameKey(at, key) && value !== undefined);
  const ofNodes = Object.fromEntries(said.map(({ attribute, value }) => [attribute, value]));
  return invariantsIn({ ...key, ...(await reader.get(key)), ...ofNodes });
}

/**
 * The items that list the invariants of some roots, in their order. Throws `damaged_item` where one is missing, though its
 * root has invariants: nothing would keep them.
 */
export async function readInvariantItems(
  reader: Reader,
  roots: readonly string[],
): Promise<readonly (Item | undefined)[]> {
  const refs = roots.map((root) => parseRef(root, 'root'));
  const items = await reader.getMany(refs.map(invariantsKey));
  const missing = refs.filter((_, position) => !items[position]);
  const nodes = await reader.getMany(missing.map(nodeKey));
  // It goes with its root.
  for (const [position, root] of missing.entries())
    if (nodes[position] && (await reader.listAll(ownedBy(root, 'invariant'))).length > 0)
      throw new GatehouseError('damaged_item', `the item of the invariants of ${formatRef(root)} is missing`);
  return items;
}

/** The roots that have invariants, or once had: of the item that lists them or, where it is lost, of all invariants. */
export async function readRootsWithInvariants(
  reader: Pick<Reader, 'get' | 'listAll'>,
): Promise<ReadonlySet<string>> {
  const roots = (await reader.get(invariantsKey(GLOBAL)))?.[Attribute.rootsWithInvariants];
  return roots instanceof Set ? (roots as ReadonlySet<string>) : rootsOfInvariants(reader);
}

/** The roots that the nodes of invariants name. */
export const rootsOfInvariants = async (reader: Pick<Reader, 'listAll'>): Promise<ReadonlySet<string>> =>
  new Set((await reader.listAll(allOf('invariant'))).map(({ scope }) => String(scope)));
