import type { ConditionalEffect, Effect, RoleItem, ScopeItem } from '../table/decision/items.ts';
import { findOwnRole, findRole, inheritance, ownRoles, type Place } from './effective-roles.ts';
import { type CheckedPermission, ROLES_PER_MEMO, type TenantEffects } from './items.ts';

/** A permission's state and the effects of roles on it under one root: steps 3, 5 and 7 of a decision. */
export interface PermissionEffects {
  readonly isRegistered: boolean;
  /** Its module, if that is sold by subscription. */
  readonly soldModule: string | undefined;
  /**
   * Ids of the roles that allow or deny it: by name, by a pattern, or through a role that they inherit from.
   */
  readonly allow: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
  /** By role: the effects, own and inherited, that count only where a condition holds. */
  readonly conditional: ConditionalEffects;
}

/** The same, asked of one role after the other: all that a decision needs. */
export interface EffectsOfRoles extends Pick<PermissionEffects, 'isRegistered' | 'soldModule'> {
  readonly allow: Pick<PermissionEffects['allow'], 'has'>;
  readonly deny: Pick<PermissionEffects['deny'], 'has'>;
  /** Without one, `size` is 0. */
  readonly conditional: Pick<ConditionalEffects, 'size' | 'get'>;
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
export function* effectsOfRole(
  role: string,
  { patterns }: RoleItem,
  isOwn: boolean,
  { name, permission, tenantEffects }: PermissionItems,
): Generator<RoleEffect> {
  const exact = isOwn ? tenantEffects : permission;
  const by = { kind: 'exact', name } as const;
  if (exact?.allow.has(role)) yield { effect: 'ALLOW', condition: undefined, by, width: 0 };
  if (exact?.deny.has(role)) yield { effect: 'DENY', condition: undefined, by, width: 0 };
  const condition = exact?.conditional.get(role);
  if (condition) yield { effect: condition.effect, condition, by, width: 0 };
  if (patterns.size === 0) return;
  for (const [position, pattern] of (permission?.patterns ?? []).entries()) {
    const found = patterns.get(pattern);
    if (found === undefined) continue;
    const condition = typeof found === 'string' ? undefined : found;
    const effect = typeof found === 'string' ? found : found.effect;
    yield { effect, condition, by: { kind: 'pattern', name: pattern }, width: position + 1 };
  }
}

function effectsUnder(items: PermissionItems, place: Place): PermissionEffects {
  const { permission } = items;
  const own = ownRoles(place);
  const global = place.global.roles;
  const effects = { ALLOW: new Set<string>(), DENY: new Set<string>() };
  const conditional = new Map<string, ConditionalEffect[]>();
  for (const table of [ownRolesOn(items, place), global]) {
    for (const [role, item] of table) {
      // A role that the root owns hides a global one with the same id.
      if (table === global && own.has(role)) continue;
      for (const { effect, condition } of effectsOfRole(role, item, table !== global, items)) {
        if (condition === undefined) effects[effect].add(role);
        else conditional.set(role, [...(conditional.get(role) ?? []), condition]);
      }
    }
  }
  return {
    ...stateOf(permission, place),
    allow: withHeirs(effects.ALLOW, place),
    deny: withHeirs(effects.DENY, place),
    conditional: conditional.size > 0 ? inheritedConditions(conditional, place) : NO_CONDITIONS,
  };
}

function stateOf(
  permission: CheckedPermission | null,
  { global }: Place,
): Pick<PermissionEffects, 'isRegistered' | 'soldModule'> {
  const module = permission?.module;
  return {
    isRegistered: permission?.registered === true,
    soldModule: module !== undefined && global.soldModules.has(module) ? module : undefined,
  };
}

/**
 * An effect on the permission, and the roles that lead to it: the granted role, then those it inherits from.
 */
export interface InheritedEffect extends RoleEffect {
  readonly roles: readonly string[];
}

/** Every effect that a role and all roles it inherits from have on the permission. */
export function* inheritedEffectsOf(
  granted: string,
  items: PermissionItems,
  place: Place,
): Generator<InheritedEffect> {
  const roles: string[] = [];
  for (const role of inheritance(granted, place)) {
    roles.push(role);
    const own = findOwnRole(role, place);
    const item = own ?? findRole(role, place);
    if (!item) continue;
    for (const effect of effectsOfRole(role, item, own !== undefined, items))
      yield { ...effect, roles: [...roles] };
  }
}

/** The effects of each role when it is asked for: of all of them at once they would be too many to be kept. */
function effectsOfEach(items: PermissionItems, place: Place): EffectsOfRoles {
  const known = new Map<string, { allow: boolean; deny: boolean; conditional: ConditionalEffect[] }>();
  const of = (role: string) => {
    const before = known.get(role);
    if (before) return before;
    const found = { allow: false, deny: false, conditional: [] as ConditionalEffect[] };
    for (const { effect, condition } of inheritedEffectsOf(role, items, place)) {
      if (condition) found.conditional.push(condition);
      else if (effect === 'ALLOW') found.allow = true;
      else found.deny = true;
    }
    known.set(role, found);
    return found;
  };
  return {
    ...stateOf(items.permission, place),
    allow: { has: (role) => of(role).allow },
    deny: { has: (role) => of(role).deny },
    // Whether there is one at all is not known.
    conditional: { size: 1, get: (role) => of(role).conditional },
  };
}

/** The root's own roles that may have an effect: those it lists and those whose effect names the permission. */
export function* ownRolesOn({ tenantEffects }: PermissionItems, place: Place): Generator<[string, RoleItem]> {
  const listed = ownRoles(place);
  yield* listed;
  if (place.scopes.at(-1)?.closing === undefined || tenantEffects === null) return;
  const { allow, deny, conditional } = tenantEffects;
  for (const role of new Set([...allow, ...deny, ...conditional.keys()])) {
    const item = listed.has(role) ? undefined : findOwnRole(role, place);
    if (item) yield [role, item];
  }
}

/** These roles and all roles that inherit from one of them. */
function withHeirs(roles: ReadonlySet<string>, place: Place): ReadonlySet<string> {
  if (roles.size === 0) return roles;
  const all = new Set(roles);
  for (const table of [ownRoles(place), place.global.roles])
    for (const [heir, { parent }] of table)
      if (parent !== undefined && !all.has(heir))
        for (const role of inheritance(heir, place)) if (roles.has(role)) all.add(heir);
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
    const found = [...inheritance(heir, place)].flatMap((role) => conditions.get(role) ?? []);
    if (found.length > 0) all.set(heir, found);
  }
  return all;
}

/**
 * Permission effects with the items from which they were computed. The references are weak, so that a memo does
 * not keep items that the cache has dropped or replaced.
 */
interface Memo {
  readonly permission: WeakRef<CheckedPermission>;
  readonly root: WeakRef<ScopeItem> | undefined;
  readonly global: WeakRef<Place['global']>;
  /** Undefined where they are too many to be kept. */
  readonly effects: PermissionEffects | undefined;
}

/** Keyed by the tenant effects item, which belongs to one root and one permission. Freed with that item. */
const memos = new WeakMap<TenantEffects, Memo>();

/** The memo of these very items. */
function memoOf({ permission, tenantEffects }: PermissionItems, place: Place): Memo | undefined {
  const kept = tenantEffects === null ? undefined : memos.get(tenantEffects);
  const isOfThese =
    kept?.permission.deref() === permission &&
    kept?.root?.deref() === (place.scopes.at(-1) ?? undefined) &&
    kept?.global.deref() === place.global;
  return isOfThese ? kept : undefined;
}

/** The effects of all roles on a permission at a place. Memoized by the identity of the items. */
export function permissionEffects(items: PermissionItems, place: Place): PermissionEffects {
  const { permission, tenantEffects } = items;
  if (permission === null || tenantEffects === null) return effectsUnder(items, place);
  const kept = memoOf(items, place);
  if (kept?.effects) return kept.effects;
  const effects = effectsUnder(items, place);
  const root = place.scopes.at(-1) ?? undefined;
  const isSmall = effects.allow.size + effects.deny.size + effects.conditional.size <= ROLES_PER_MEMO;
  memos.set(tenantEffects, {
    permission: new WeakRef(permission),
    root: root && new WeakRef(root),
    global: new WeakRef(place.global),
    effects: isSmall ? effects : undefined,
  });
  return effects;
}

/** As {@link permissionEffects}, for a decision: it costs nothing for the roles that the subject does not have. */
export function effectsOfRoles(items: PermissionItems, place: Place): EffectsOfRoles {
  const { permission, tenantEffects } = items;
  const named = (permission?.allow.size ?? 0) + (permission?.deny.size ?? 0);
  const namedHere = (tenantEffects?.allow.size ?? 0) + (tenantEffects?.deny.size ?? 0);
  if (named + namedHere > ROLES_PER_MEMO) return effectsOfEach(items, place);
  const kept = memoOf(items, place);
  return kept && !kept.effects ? effectsOfEach(items, place) : permissionEffects(items, place);
}
