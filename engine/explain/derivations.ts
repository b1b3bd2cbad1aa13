import type { DecisionInput } from '../decision-input.ts';
import {
  findRole,
  type Holding,
  holdingsOf,
  inheritance,
  isInForce,
  ownRoles,
  type Place,
} from '../effective-roles.ts';
import { effectsOfRole, type PermissionItems, type RoleEffect } from '../permission-effects.ts';

/** One permission at a place: what is known of roles there, and of what they do to it. */
export interface PermissionAt {
  readonly place: Place;
  readonly items: PermissionItems;
}

export const permissionAt = (input: DecisionInput): PermissionAt => ({
  place: input,
  items: {
    name: input.question.permission ?? '',
    permission: input.permission,
    tenantEffects: input.tenantEffects,
  },
});

/** Whether a role is listed at a place. One that is not does not count there. */
export const isListed = (role: string, { place }: PermissionAt): boolean =>
  findRole(role, ownRoles(place), place.global.roles) !== undefined;

/** An effect on the permission, and the roles that lead to it: the one that is held, then those that it inherits from. */
export interface InheritedEffect extends RoleEffect {
  readonly roles: readonly string[];
}

/** Every effect on the permission of a role and of all that it inherits from. */
export function* effectsOfHeld(held: string, { place, items }: PermissionAt): Generator<InheritedEffect> {
  const own = ownRoles(place);
  const roles: string[] = [];
  for (const role of inheritance(held, own, place.global.roles)) {
    roles.push(role);
    const item = findRole(role, own, place.global.roles);
    if (!item) continue;
    for (const effect of effectsOfRole(role, item, own.has(role), items))
      yield { ...effect, roles: [...roles] };
  }
}

/**
 * How a role would allow the permission: its first ALLOW, unless it also denies where one DENY refuses. Undefined when it
 * would not.
 */
export function allowOfHeld(
  role: string,
  permission: PermissionAt,
  isDenyOverriding: boolean,
): InheritedEffect | undefined {
  const effects = [...effectsOfHeld(role, permission)];
  if (isDenyOverriding && effects.some(({ effect }) => effect === 'DENY')) return undefined;
  return effects.find(({ effect }) => effect === 'ALLOW');
}

/** One way from a subject to an effect on the permission. */
export interface DerivedEffect extends InheritedEffect {
  readonly holding: Holding;
}

/** Every effect of every role in force, in the order in which the decision looks at them. */
export function* derivationsOf(input: DecisionInput, at: number): Generator<DerivedEffect> {
  const permission = permissionAt(input);
  for (const holding of holdingsOf(input.subject, input)) {
    if (!isInForce(holding, at)) continue;
    for (const effect of effectsOfHeld(holding.role, permission)) yield { ...effect, holding };
  }
}
