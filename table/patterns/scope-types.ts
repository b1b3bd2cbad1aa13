import { SCOPE_TYPES } from '../entities/scope-types.ts';
import { SCOPE_TYPE_LIST } from '../keys.ts';
import type { Reader } from '../read/reader.ts';
import { ownedBy } from './lists.ts';

/** The scope types that can be tenants: those that come with the table, and those that were added. */
export async function rootTypes(reader: Reader): Promise<readonly string[]> {
  const builtIn = Object.keys(SCOPE_TYPES).filter((type) => SCOPE_TYPES[type]?.root);
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  return [...builtIn, ...added.filter(({ root }) => root === true).map(({ name }) => String(name))];
}
