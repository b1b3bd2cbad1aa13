import { formatRef, isRef, parseRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import { originsInForce, readOrigins } from '../../table/membership-origins.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { group, role } from '../edges/rights.ts';
import { remembered } from '../remembered.ts';
import type { Attributes } from '../visible.ts';
import type { ChangeRecord } from './record.ts';

/** Whether what a record gives, beyond what the table has, holds a DENY that counts: then it closed access as well. */
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
  const recorded = new Map<string, Attributes>();
  const carried = new Map<unknown, unknown[]>();
  for (const { entity, after = {} } of lasts) {
    if (entity.type === 'role-permission' && after.effect === 'DENY') denying.add(after.role);
    recorded.set(formatRef(entity), after);
    if (entity.type === 'group-role')
      carried.set(after.group, [...(carried.get(after.group) ?? []), after.role]);
  }

  const denies = remembered(async (id: unknown): Promise<boolean> => {
    const seen = new Set<string>();
    for (let next = id; typeof next === 'string' && !seen.has(next); ) {
      seen.add(next);
      const effects = await reader.listAll(edgesFrom(role(next), 'page', 'permission'));
      if (denying.has(next) || effects.some(({ effect }) => effect === 'DENY')) return true;
      next = recorded.get(formatRef(role(next)))?.parent ?? (await reader.get(nodeKey(role(next))))?.parent;
    }
    return false;
  });
  const rolesOf = remembered(async (id: unknown): Promise<readonly unknown[]> => {
    const edges = await reader.listAll(edgesFrom(group(String(id)), 'role'));
    return [...edges.map((edge) => edge.role), ...(carried.get(id) ?? [])];
  });

  const nodesOf = async (ref: unknown): Promise<readonly Attributes[]> => {
    if (typeof ref !== 'string' || !isRef(ref)) return [];
    const nodes = [await reader.get(nodeKey(parseRef(ref, 'ref'))), recorded.get(ref)];
    return nodes.filter((node) => node !== undefined);
  };
  // A scope stays below its root. What is not known counts.
  const counts = remembered(async (place: string): Promise<boolean> => {
    const roots = await nodesOf((await nodesOf(place)).find(({ root }) => root !== undefined)?.root);
    return roots.length === 0 || roots.some(({ combination }) => combination === 'deny-overrides');
  });

  return async ({ entity: { type }, after = {} }, current) => {
    if (type === 'membership' && staysInForce(after, current)) return false;
    const given: readonly unknown[] =
      type === 'membership'
        ? await rolesOf(after.group)
        : Array.isArray(after.roles)
          ? after.roles.filter((id) => !(Array.isArray(current?.roles) && current.roles.includes(id)))
          : ['assignment', 'global-role', 'group-role'].includes(type)
            ? [after.role]
            : [];
    // A membership does not say where its group is; a global role is everywhere.
    const place = 'group' in after ? formatRef(group(String(after.group))) : String(after.scope);
    for (const id of given) if (await denies(id)) return type === 'global-role' || counts(place);
    return false;
  };
}

/** Whether the table has an origin that counts, and that the record does not end. */
function staysInForce(after: Attributes, current: Attributes | undefined): boolean {
  const wanted = originsInForce(readOrigins(after));
  return current !== undefined && originsInForce(readOrigins(current)).some((each) => wanted.includes(each));
}
