import { permissionItemsOf } from '../decide.ts';
import type { DecisionInput } from '../decision-input.ts';
import { findRole, type Holding, holdingsOf, isInForce, ownRoles, type Place } from '../effective-roles.ts';
import { type InheritedEffect, inheritedEffectsOf, type PermissionItems } from '../permission-effects.ts';

/** One permission at a place: the roles that exist there, and their effects on it. */
export interface PermissionAt {
  readonly place: Place;
  readonly items: PermissionItems;
}

export const permissionAt = (input: DecisionInput): PermissionAt => ({
  place: input,
  items: permissionItemsOf(input),
});

/** Whether a role is owned by the place's root or global. Other roles do not count there. */
export const isKnown = (role: string, { place }: PermissionAt): boolean =>
  findRole(role, place) !== undefined;

/** Whether the items of the place say so: where roles are folded, they do not list all (ADR 0003). */
export const isListed = (role: string, { place }: PermissionAt): boolean =>
  ownRoles(place).has(role) || place.global.roles.has(role);

/** Whether a role, or one that it inherits from, has an effect on the permission. */
export const hasEffect = (role: string, permission: PermissionAt): boolean =>
  inheritedEffectsOf(role, permission.items, permission.place).length > 0;

/**
 * The first ALLOW by which a role would allow the permission. Undefined when it has none, or when it also has
 * a DENY and `isDenyOverriding` is set.
 */
export function allowingEffect(
  role: string,
  permission: PermissionAt,
  isDenyOverriding: boolean,
): InheritedEffect | undefined {
  const effects = inheritedEffectsOf(role, permission.items, permission.place);
  if (isDenyOverriding && effects.some(({ effect }) => effect === 'DENY')) return undefined;
  return effects.find(({ effect }) => effect === 'ALLOW');
}

/** An effect on the permission with the holding through which the subject has it. */
export interface DerivedEffect extends InheritedEffect {
  readonly holding: Holding;
}

/** Every effect of every role in force, in the order in which the decision evaluates them. */
export function* derivationsOf(input: DecisionInput, at: number): Generator<DerivedEffect> {
  const permission = permissionAt(input);
  for (const holding of holdingsOf(input.subject, input)) {
    if (!isInForce(holding, at)) continue;
    for (const effect of inheritedEffectsOf(holding.role, permission.items, permission.place))
      yield { ...effect, holding };
  }
}
