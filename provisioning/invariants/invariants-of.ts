import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { type Invariant, invariantSchema } from '../../table/invariant.ts';
import { GLOBAL, invariantsKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';

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

/** The roots that have invariants, or once had. */
export async function readRootsWithInvariants(reader: Pick<Reader, 'get'>): Promise<ReadonlySet<string>> {
  const roots = (await reader.get(invariantsKey(GLOBAL)))?.[Attribute.rootsWithInvariants];
  return roots instanceof Set ? (roots as ReadonlySet<string>) : new Set();
}
