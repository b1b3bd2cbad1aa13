import type { ConditionalEffect, GlobalItem, ScopeItem, SubjectItem } from '../../table/decision/items.ts';
import { subjectWith } from '../../table/decision/items.ts';
import { limitExceeded } from '../../table/errors.ts';
import type { ResourceType } from '../../table/resource-type.ts';
import { NO_GLOBAL } from '../decision-input.ts';
import { holdingsOf } from '../effective-roles.ts';
import { withGroupRoles } from '../group-roles.ts';
import {
  type CheckedPermission,
  GLOBAL,
  GLOBAL_ID,
  PERMISSION,
  SCOPE,
  SUBJECT,
  subjectId,
  TENANT_EFFECTS,
  type TenantEffects,
  tenantEffectsId,
} from '../items.ts';
import { type PermissionEffects, permissionEffects } from '../permission-effects.ts';
import { readItems } from '../read-items.ts';
import { grantedScopes } from '../search/granted-scopes.ts';
import { isIn, mayBeIn } from '../search/highest-scopes.ts';
import type { SearchReader } from '../search/sources.ts';
import { resourceTypeItem } from './resource-types.ts';

/** Something granted to a subject that may allow a permission, and where. */
export interface GrantedPart {
  /** The scope and its ancestors, up to the root; undefined: everywhere. */
  readonly path: readonly string[] | undefined;
  /** Expressions one of which must hold; undefined: it needs none. */
  readonly when: readonly string[] | undefined;
}

/** All that may allow a permission to a subject. Nothing else allows it anything. */
export interface GrantedParts {
  readonly parts: readonly GrantedPart[];
  /** Undefined for an unknown subject, which has no parts. */
  readonly subject: SubjectItem | undefined;
  readonly global: GlobalItem;
  /** How the table maps resources of the rows' type to scopes; undefined where it does not. */
  readonly mapping: ResourceType | undefined;
}

/** Scopes read together. */
const AT_ONCE = 50;

/** The most scopes at which something may be granted, for one list. */
const MAX_SCOPES = 1_000;

/**
 * Reads what may allow a permission to a subject: what a resource search reads first, but whatever the state of scopes,
 * and whenever it begins or ends. Two Queries, and two rounds for 50 scopes.
 *
 * @param within roots; what is granted elsewhere is left out. Where something is granted at more than 1,000 scopes that may
 *   be in their trees, the parts are these roots
 * @param type the type of the rows, where there are any
 * @throws GatehouseError `limit_exceeded` on `within` where something is granted at more than 1,000 scopes, and no
 *   roots are named; otherwise as the reader does
 */
export async function grantedParts(
  reader: SearchReader,
  subjectRef: string,
  permission: string,
  within: ReadonlySet<string> | undefined,
  type?: string,
): Promise<GrantedParts> {
  const [subject, what, everywhere, registered] = await readItems<
    [SubjectItem, CheckedPermission, GlobalItem, ResourceType]
  >(
    reader,
    { kind: SUBJECT, id: subjectId(subjectRef) },
    { kind: PERMISSION, id: permission },
    { kind: GLOBAL, id: GLOBAL_ID },
    resourceTypeItem(type ?? ''),
  );
  const about = { global: everywhere ?? NO_GLOBAL, mapping: registered ?? undefined };
  const { global } = about;
  if (!subject || !what) return { parts: [], subject: subject ?? undefined, ...about };
  const everywhereIn = (when: GrantedPart['when']): readonly GrantedPart[] =>
    within === undefined ? [{ path: undefined, when }] : [...within].map((root) => ({ path: [root], when }));
  if (subject.isAdmin) return { parts: everywhereIn(undefined), subject, ...about };

  const effectsUnder = (scopes: readonly ScopeItem[], tenantEffects: TenantEffects | null) =>
    permissionEffects({ name: permission, permission: what, tenantEffects }, { scopes, global });
  const globally = whenOf(subject.globalRoles, effectsUnder([], null));
  const parts: GrantedPart[] = globally === 'never' ? [] : [...everywhereIn(globally)];

  const { scopes, groupsAt } = await grantedScopes(reader, subjectRef, subject);
  const wanted = [...scopes].filter((ref) => mayBeIn(within, ref)).sort();
  if (wanted.length > MAX_SCOPES) {
    if (within === undefined)
      throw limitExceeded(`something is granted at more than ${MAX_SCOPES} scopes: name the roots`, 'within');
    // They may all be elsewhere, in trees of others.
    return { parts: everywhereIn(undefined), subject, ...about };
  }
  const whole = subjectWith(subject, { groupsAt });
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const found = await scopesByRef(reader, wanted.slice(start, start + AT_ONCE));
    const granted = [...found.values()].filter((scope) => isIn(within, scope));
    const roots = await scopesByRef(
      reader,
      granted.flatMap(({ ancestors }) => ancestors.slice(-1)),
      found,
    );
    const names = [...new Set(granted.map(({ ref, ancestors }) => ancestors.at(-1) ?? ref))];
    const [effects, [holder = whole]] = await Promise.all([
      readItems<TenantEffects[]>(
        reader,
        ...names.map((root) => ({ kind: TENANT_EFFECTS, id: tenantEffectsId(root, permission) })),
      ),
      withGroupRoles(reader, [...roots.values()], [whole]),
    ]);
    const under = new Map<string, PermissionEffects>();
    for (const [position, name] of names.entries()) {
      const root = roots.get(name);
      if (root) under.set(name, effectsUnder([root], effects[position] ?? null));
    }
    for (const scope of granted) {
      const path = [scope.ref, ...scope.ancestors];
      const root = roots.get(path.at(-1) as string);
      const allowing = root && under.get(root.ref);
      if (!root || !allowing) continue;
      // Of a root both are the same.
      const scopesOfPath = scope.ref === root.ref ? [scope] : [scope, root];
      const roles = holdingsOf(holder, { scopes: scopesOfPath }).flatMap((holding) =>
        holding.kind !== 'global_role' && holding.scope === scope.ref ? [holding.role] : [],
      );
      const when = whenOf(roles, allowing);
      if (when !== 'never') parts.push({ path, when });
    }
  }
  return { parts, subject, ...about };
}

/** Scopes by reference, without those that do not exist. */
export async function scopesByRef(
  reader: SearchReader,
  refs: readonly string[],
  known: ReadonlyMap<string, ScopeItem> = new Map(),
): Promise<ReadonlyMap<string, ScopeItem>> {
  const unread = [...new Set(refs)].filter((ref) => !known.has(ref));
  const items = await readItems<ScopeItem[]>(reader, ...unread.map((id) => ({ kind: SCOPE, id })));
  const all = new Map(known);
  for (const item of items) if (item) all.set(item.ref, item);
  return all;
}

/** Under which conditions one of these roles allows; undefined where one does without. */
function whenOf(
  roles: readonly string[],
  { allow, conditional }: PermissionEffects,
): readonly string[] | undefined | 'never' {
  if (roles.some((role) => allow.has(role))) return undefined;
  const isAllow = ({ effect }: ConditionalEffect) => effect === 'ALLOW';
  const effects = roles.flatMap((role) => conditional.get(role)?.filter(isAllow) ?? []);
  return effects.length > 0 ? [...new Set(effects.map(({ when }) => when))] : 'never';
}
