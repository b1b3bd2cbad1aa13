import { foldRoles, hasFoldedRoles, listedRolesIn, unfoldRoles } from '../../table/decision/folded-roles.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import { OWNERSHIP, ownedBy } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { MAX_ITEM_BYTES, sizeOf } from '../../table/size.ts';
import { textOf } from '../nodes/nodes.ts';
import { replacing } from '../verify/relation.ts';
import type { SplitTable, Splitting } from './splitting.ts';

/** Of the decision item of a scope: the scope. */
export function scopeOf(item: Item): Ref | undefined {
  const parsed = parseKey(item);
  return parsed?.form === 'decision' && isScopeType(parsed.type) ? parsed : undefined;
}

/** The ids of the roles that a root owns, of those in deletion too. */
async function rolesOf(reader: Reader, root: Ref): Promise<readonly string[]> {
  const { ranges } = ownedBy(root, 'role');
  const edges = await reader.listAll({ ranges, keep: ({ Type }) => Type === OWNERSHIP });
  return edges.map((edge) => textOf(edge, 'owned').slice('role:'.length));
}

/**
 * The item, made anew. Every command that adds or deletes a role writes to it, so what was listed after it was read is
 * still so where the item is as it was.
 */
async function madeAnew({ reader, send }: SplitTable, item: Item, make: typeof foldRoles): Promise<boolean> {
  const root = scopeOf(item);
  if (!root) return false;
  const made = make(item, await rolesOf(reader, root));
  if (sizeOf(made) > MAX_ITEM_BYTES) return false;
  await send([replacing(item, made)]);
  return true;
}

/** The roles of a root, folded (ADR 0003): one transaction either way. */
export const FOLDED_ROLES: Splitting = {
  isDue: (item, { rolesOfRoot }) => scopeOf(item) !== undefined && listedRolesIn(item) > rolesOfRoot,
  isSplit: (item) => scopeOf(item) !== undefined && hasFoldedRoles(item),
  split: (table, item) => madeAnew(table, item, foldRoles),
  join: (table, item) => madeAnew(table, item, unfoldRoles),
};
