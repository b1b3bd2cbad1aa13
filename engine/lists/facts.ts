import type { PermissionFacts, RoleFacts, RoleTable } from '../../table/decision/facts.ts';
import type { CheckedPermission, Need } from '../needs.ts';
import type { ListReader } from './sources.ts';

/** Reads decision items as they stand in the table; null for what nobody has, and for what nobody could. */
export async function readFacts<T extends readonly unknown[]>(
  reader: ListReader,
  ...needs: { readonly [K in keyof T]: Need<T[K]> | undefined }
): Promise<{ readonly [K in keyof T]: T[K] | null }> {
  const wanted = needs.filter((need) => need !== undefined) as readonly Need<unknown>[];
  const items = wanted.length > 0 ? await reader.getMany(wanted.map(({ key }) => key)) : [];
  const facts = new Map(
    wanted.map((need, position) => {
      const item = items[position];
      return [need.id, item ? need.decode(item) : null] as const;
    }),
  );
  return needs.map((need) => (need && facts.get(need.id)) ?? null) as {
    readonly [K in keyof T]: T[K] | null;
  };
}

/** What the roles in one tree of scopes do to one permission. */
export interface Effects {
  readonly permission: CheckedPermission;
  readonly global: RoleTable;
  /** Roles of the root, and what they do to the permission; empty for a list of no one root. */
  readonly own: RoleTable;
  readonly owned: PermissionFacts | null;
}

/**
 * Whether a role, or one from which it inherits, allows the permission. It may still be refused: by a DENY,
 * a window, an entitlement. Who has none of these roles and is no administrator is refused for certain.
 */
export function mayAllow(first: string, { permission, global, own, owned }: Effects): boolean {
  const seen = new Set<string>();
  for (let role: string | undefined = first; role !== undefined && !seen.has(role); ) {
    seen.add(role);
    const mine = own.get(role);
    const facts: RoleFacts | undefined = mine ?? global.get(role);
    if (!facts) return false;
    if ((mine ? owned : permission)?.allow.has(role)) return true;
    if (permission.covering.some((pattern) => facts.patterns.get(pattern) === 'ALLOW')) return true;
    role = facts.parent;
  }
  return false;
}
