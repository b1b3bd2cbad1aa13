import * as z from 'zod';
import {
  isBuiltIn,
  notAScope,
  parseScopeRef,
  SCOPE_TYPES,
  type ScopeType,
} from '../../table/entities/scope-types.ts';
import { GatehouseError, invalid } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import { nodeKey, SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';

/** Scope types, wherever they are defined: those of the table in code, those that were added in items. */
const scopeTypeRef = (type: string): Ref => ({ type: 'scope-type', id: type });

const stored = z.object({
  root: z.boolean(),
  parents: z.array(z.string()),
  children: z.array(z.string()),
});

/** The definition of a type; undefined when nobody has added it. */
export async function scopeTypeOf(reader: Reader, type: string): Promise<ScopeType | undefined> {
  if (isBuiltIn(type)) return SCOPE_TYPES[type];
  const item = await reader.get(nodeKey(scopeTypeRef(type)));
  if (!item) return undefined;
  const parsed = stored.safeParse(item);
  if (!parsed.success)
    throw new GatehouseError('damaged_item', `the scope type ${type} is damaged`, { field: 'type' });
  return parsed.data;
}

/** Query: the types of scopes that can be tenants, added ones included. */
export async function rootTypes(reader: Reader): Promise<readonly string[]> {
  const builtIn = Object.keys(SCOPE_TYPES).filter((type) => SCOPE_TYPES[type]?.root);
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  return [...builtIn, ...added.filter(({ root }) => root === true).map(({ name }) => String(name))];
}

/** Reads a reference to a scope of a type that there is. Throws `invalid` on `field`. */
export async function readScopeRef(reader: Reader, text: string, field: string): Promise<Ref> {
  const ref = parseScopeRef(text, field);
  if (!(await scopeTypeOf(reader, ref.type))) throw notAScope(field);
  return ref;
}

/**
 * Throws `invalid` on `parent` unless a scope of this type may stand there: alone when there is no parent,
 * otherwise where its own type or the parent's says so.
 */
export async function refusePlace(reader: Reader, type: string, parent: Ref | undefined): Promise<void> {
  const own = await scopeTypeOf(reader, type);
  if (!own) throw notAScope('type');
  if (!parent) {
    if (!own.root) throw invalid('parent', `a ${type} cannot stand alone`);
    return;
  }
  if (own.parents.includes(parent.type)) return;
  const above = await scopeTypeOf(reader, parent.type);
  if (!above?.children?.includes(type))
    throw invalid('parent', `a ${type} cannot stand under a ${parent.type}`);
}
