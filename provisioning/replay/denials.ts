import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { group, role } from '../edges/rights.ts';
import { remembered } from '../remembered.ts';
import type { Attributes } from '../visible.ts';
import type { ChangeRecord } from './record.ts';

/** Whether what a record gives, beyond what the table has, holds a DENY: then it closed access as well. */
export type GivesDenial = (record: ChangeRecord, current: Attributes | undefined) => Promise<boolean>;

/**
 * Looks for a DENY in the roles that were given: as the restored table has them, and as was recorded since.
 *
 * @param lasts the last record of each entity
 * @param reader of the restored table
 */
export function createDenials(
  lasts: readonly ChangeRecord[],
  reader: Pick<Reader, 'get' | 'listAll'>,
): GivesDenial {
  const denying = new Set<unknown>();
  const parents = new Map<string, unknown>();
  const carried = new Map<unknown, unknown[]>();
  for (const { entity, after = {} } of lasts) {
    if (entity.type === 'role-permission' && after.effect === 'DENY') denying.add(after.role);
    if (entity.type === 'role') parents.set(entity.id, after.parent);
    if (entity.type === 'group-role')
      carried.set(after.group, [...(carried.get(after.group) ?? []), after.role]);
  }

  const denies = remembered(async (id: unknown): Promise<boolean> => {
    const seen = new Set<string>();
    for (let next = id; typeof next === 'string' && !seen.has(next); ) {
      seen.add(next);
      const effects = await reader.listAll(edgesFrom(role(next), 'page', 'permission'));
      if (denying.has(next) || effects.some(({ effect }) => effect === 'DENY')) return true;
      next = parents.get(next) ?? (await reader.get(nodeKey(role(next))))?.parent;
    }
    return false;
  });
  const rolesOf = remembered(async (id: unknown): Promise<readonly unknown[]> => {
    const edges = await reader.listAll(edgesFrom(group(String(id)), 'role'));
    return [...edges.map((edge) => edge.role), ...(carried.get(id) ?? [])];
  });

  return async ({ entity: { type }, after = {} }, current) => {
    const given: readonly unknown[] =
      type === 'membership'
        ? await rolesOf(after.group)
        : Array.isArray(after.roles)
          ? after.roles.filter((id) => !(Array.isArray(current?.roles) && current.roles.includes(id)))
          : ['assignment', 'global-role', 'group-role'].includes(type)
            ? [after.role]
            : [];
    for (const id of given) if (await denies(id)) return true;
    return false;
  };
}
