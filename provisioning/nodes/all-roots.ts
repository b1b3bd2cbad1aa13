import type { Ref } from '../../table/identifiers.ts';
import { scopesOf } from '../../table/index-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { rootTypes } from './scope-types.ts';

/** All roots: each has a log of its own. */
export async function allRoots(reader: Reader): Promise<readonly Ref[]> {
  const roots: Ref[] = [];
  for (const type of await rootTypes(reader))
    for (const { parent, id } of await reader.listAll(scopesOf(type)))
      if (parent === undefined) roots.push({ type, id: String(id) });
  return roots;
}
