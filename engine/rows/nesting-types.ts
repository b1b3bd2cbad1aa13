import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import type { SearchReader } from '../search/sources.ts';

/** Whether a scope of a type may stand below another one of it. One Query: operators add types. */
export async function nestingTypes(reader: SearchReader): Promise<(type: string) => boolean> {
  const parents = new Map(
    Object.entries(SCOPE_TYPES).map(([type, { parents }]) => [type, new Set(parents)] as const),
  );
  const add = (type: string, parent: string) =>
    parents.set(type, (parents.get(type) ?? new Set()).add(parent));
  for (const { name, parents: above, children } of await reader.listAll(
    ownedBy(SCOPE_TYPE_LIST, 'scope-type'),
  )) {
    for (const parent of Array.isArray(above) ? above : []) add(String(name), String(parent));
    for (const child of Array.isArray(children) ? children : []) add(String(child), String(name));
  }
  return (type) => {
    const above = new Set(parents.get(type));
    for (const each of above) for (const parent of parents.get(each) ?? []) above.add(parent);
    return above.has(type);
  };
}
