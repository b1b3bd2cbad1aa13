import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import { type Invariant, invariantSchema } from '../../table/invariant.ts';
import type { Item } from '../../table/item.ts';
import { GLOBAL, invariantsKey, isSameKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
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
 * The invariants of a root: those that its item lists, and those that it lacks though nodes say them: these are not kept.
 * Throws `damaged_item` where one cannot be read.
 */
export async function readInvariants(
  reader: Reader,
  root: Ref,
): Promise<{ readonly invariants: readonly Invariant[]; readonly areKept: boolean }> {
  const key = invariantsKey(root);
  const nodes = await reader.listAll(ownedBy(root, 'invariant'));
  const entries = nodes.flatMap((item) => entriesOfNode({ ref: ownedRef(item), item }));
  const said = entries.filter(({ at, value }) => isSameKey(at, key) && value !== undefined);
  const ofNodes = Object.fromEntries(said.map(({ attribute, value }) => [attribute, value]));
  const item = await reader.get(key);
  return {
    invariants: invariantsIn({ ...key, ...item, ...ofNodes }),
    areKept: Object.keys(ofNodes).every((attribute) => item?.[attribute] !== undefined),
  };
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
  for (const [position, root] of missing.entries()) {
    // It goes with its root.
    if (!nodes[position] || (await reader.listAll(ownedBy(root, 'invariant'))).length === 0) continue;
    // The first one may have come between.
    if (!(await reader.get(invariantsKey(root)))) throw lost(root);
  }
  return items;
}

const lost = (of: Ref): GatehouseError =>
  new GatehouseError('damaged_item', `the item of the invariants of ${formatRef(of)} is missing`);

/**
 * Throws `damaged_item` where one of these keys is of an item that lists invariants and is lost: a write would make it
 * anew, with what it writes alone.
 */
export async function refuseLost(reader: Reader, keys: readonly Key[]): Promise<void> {
  const of = keys.flatMap((key) => {
    const parsed = parseKey(key);
    return parsed?.form === 'invariants' ? [formatRef(parsed)] : [];
  });
  const roots = of.filter((root) => root !== formatRef(GLOBAL));
  await readInvariantItems(reader, roots);
  const isListed = async () => roots.length === of.length || (await listedRoots(reader)) !== undefined;
  // The first one may have come between.
  if (!(await isListed()) && (await rootsOfInvariants(reader)).size > 0 && !(await isListed()))
    throw lost(GLOBAL);
}

async function listedRoots(reader: Pick<Reader, 'get'>): Promise<ReadonlySet<string> | undefined> {
  const roots = (await reader.get(invariantsKey(GLOBAL)))?.[Attribute.rootsWithInvariants];
  return roots instanceof Set ? (roots as ReadonlySet<string>) : undefined;
}

/** The roots that have invariants, or once had: of the item that lists them or, where it is lost, of all invariants. */
export const readRootsWithInvariants = async (
  reader: Pick<Reader, 'get' | 'listAll'>,
): Promise<ReadonlySet<string>> => (await listedRoots(reader)) ?? rootsOfInvariants(reader);

/** The roots that the nodes of invariants name. */
export const rootsOfInvariants = async (reader: Pick<Reader, 'listAll'>): Promise<ReadonlySet<string>> =>
  new Set((await reader.listAll(allOf('invariant'))).map(({ scope }) => String(scope)));
