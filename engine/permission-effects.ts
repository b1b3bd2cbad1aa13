import type { ConditionalEffect, Effect, RoleItem } from '../table/decision/items.ts';
import { findRole, inheritance, ownRoles, type Place, type RoleAt } from './effective-roles.ts';
import type { CheckedPermission, TenantEffects } from './items.ts';

/** The effects of roles on a permission under one root: step 7 of a decision. */
export interface PermissionEffects {
  /**
   * Ids of the roles that allow or deny it: by name, by a pattern, or through a role that they inherit from.
   */
  readonly allow: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
  /** By role: the effects, own and inherited, that count only where a condition holds. */
  readonly conditional: ConditionalEffects;
}

export type ConditionalEffects = ReadonlyMap<string, readonly ConditionalEffect[]>;

/** The roles that allow the permission, with or without a condition. */
export function mayAllow({ allow, conditional }: PermissionEffects): ReadonlySet<string> {
  if (conditional.size === 0) return allow;
  const roles = [...conditional].filter(([, all]) => all.some(({ effect }) => effect === 'ALLOW'));
  return new Set([...allow, ...roles.map(([role]) => role)]);
}

/** One effect of one role on a permission. */
export interface RoleEffect {
  readonly effect: Effect;
  /** Undefined if the effect always counts. */
  readonly condition: ConditionalEffect | undefined;
  /** The permission itself, or the pattern that covers it. */
  readonly by: { readonly kind: 'exact' | 'pattern'; readonly name: string };
  /** 0 for the permission itself, larger for wider patterns. */
  readonly width: number;
}

/** The items from which the effects on a permission follow. */
export interface PermissionItems {
  /** The permission's name. */
  readonly name: string;
  readonly permission: CheckedPermission | null;
  readonly tenantEffects: TenantEffects | null;
}

/** The effects of one role on a permission, without inherited ones. */
export function effectsOfRole(
  { id, item: { patterns }, isOwn }: RoleAt,
  { name, permission, tenantEffects }: PermissionItems,
): readonly RoleEffect[] {
  const exact = isOwn ? tenantEffects : permission;
  const isAllowed = exact?.allow.has(id) === true;
  const isDenied = exact?.deny.has(id) === true;
  const condition = exact?.conditional.get(id);
  // Most roles say nothing of a permission.
  if (!isAllowed && !isDenied && !condition && patterns.size === 0) return NO_EFFECTS;
  const by = { kind: 'exact', name } as const;
  const effects: RoleEffect[] = isAllowed ? [{ effect: 'ALLOW', condition: undefined, by, width: 0 }] : [];
  if (isDenied) effects.push({ effect: 'DENY', condition: undefined, by, width: 0 });
  if (condition) effects.push({ effect: condition.effect, condition, by, width: 0 });
  if (patterns.size === 0) return effects;
  for (const [position, pattern] of (permission?.patterns ?? []).entries()) {
    const found = patterns.get(pattern);
    if (found === undefined) continue;
    const condition = typeof found === 'string' ? undefined : found;
    const effect = typeof found === 'string' ? found : found.effect;
    effects.push({ effect, condition, by: { kind: 'pattern', name: pattern }, width: position + 1 });
  }
  return effects;
}

const NO_EFFECTS: readonly RoleEffect[] = [];

/** The effects of all roles on a permission at a place. A decision needs those of the subject's roles only. */
export function permissionEffects(items: PermissionItems, place: Place): PermissionEffects {
  const own = ownRoles(place);
  const global = place.global.roles;
  const effects = { ALLOW: new Set<string>(), DENY: new Set<string>() };
  const conditional = new Map<string, ConditionalEffect[]>();
  for (const table of [ownRolesOn(items, place), global]) {
    for (const [id, item] of table) {
      // A role that the root owns hides a global one with the same id.
      if (table === global && own.has(id)) continue;
      for (const { effect, condition } of effectsOfRole({ id, item, isOwn: table !== global }, items)) {
        if (condition === undefined) effects[effect].add(id);
        else conditional.set(id, [...(conditional.get(id) ?? []), condition]);
      }
    }
  }
  return {
    allow: withHeirs(effects.ALLOW, place),
    deny: withHeirs(effects.DENY, place),
    conditional: conditional.size > 0 ? inheritedConditions(conditional, place) : NO_CONDITIONS,
  };
}

/** The module of a permission, if that is sold by subscription. */
export function soldModuleOf(
  permission: CheckedPermission | null,
  { global }: Pick<Place, 'global'>,
): string | undefined {
  const module = permission?.module;
  return module !== undefined && global.soldModules.has(module) ? module : undefined;
}

/**
 * An effect on the permission, and the roles that lead to it: the granted role, then those it inherits from.
 */
export interface InheritedEffect extends RoleEffect {
  readonly roles: readonly string[];
}

/** Every effect that a role and all roles it inherits from have on the permission. */
export function inheritedEffectsOf(
  granted: string,
  items: PermissionItems,
  place: Place,
): readonly InheritedEffect[] {
  const line = inheritance(granted, place);
  return line.flatMap((role, position) => {
    const roles = line.slice(0, position + 1).map(({ id }) => id);
    return effectsOfRole(role, items).map((effect) => ({ ...effect, roles }));
  });
}

/** The root's own roles that may have an effect: those it lists and those whose effect names the permission. */
export function* ownRolesOn({ tenantEffects }: PermissionItems, place: Place): Generator<[string, RoleItem]> {
  const listed = ownRoles(place);
  yield* listed;
  if (place.scopes.at(-1)?.closing === undefined || tenantEffects === null) return;
  const { allow, deny, conditional } = tenantEffects;
  for (const role of new Set([...allow, ...deny, ...conditional.keys()])) {
    const found = listed.has(role) ? undefined : findRole(role, place);
    if (found?.isOwn) yield [role, found.item];
  }
}

/** These roles and all roles that inherit from one of them. */
function withHeirs(roles: ReadonlySet<string>, place: Place): ReadonlySet<string> {
  if (roles.size === 0) return roles;
  const all = new Set(roles);
  for (const table of [ownRoles(place), place.global.roles])
    for (const [heir, { parent }] of table)
      if (parent !== undefined && !all.has(heir))
        if (inheritance(heir, place).some(({ id }) => roles.has(id))) all.add(heir);
  return all;
}

const NO_CONDITIONS: ConditionalEffects = new Map();

/** The conditional effects of each role, with those of the roles that it inherits from. */
function inheritedConditions(conditions: ConditionalEffects, place: Place): ConditionalEffects {
  const all = new Map<string, readonly ConditionalEffect[]>();
  for (const heir of new Set([
    ...ownRoles(place).keys(),
    ...place.global.roles.keys(),
    ...conditions.keys(),
  ])) {
    const found = inheritance(heir, place).flatMap(({ id }) => conditions.get(id) ?? []);
    if (found.length > 0) all.set(heir, found);
  }
  return all;
}
