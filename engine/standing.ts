import { type RolesInForce, rolesInForce } from './footing.ts';
import { numbered, pick } from './numbering.ts';
import type { Place, View } from './view.ts';

/** Where a subject stands at a scope: the tenant it belongs to and the roles in force there. */
export interface Standing {
  readonly root: string;
  /** Their ids, inherited ones included: those of the tenant, then those that hold everywhere. */
  readonly roles: readonly string[];
}

/** The standing of a subject that has these roles at a place; undefined where the place has no root. */
export function standingAt(
  { scopes, global }: Place,
  { ownRoles, globalRoles }: RolesInForce,
): Standing | undefined {
  const root = scopes.at(-1);
  if (!root) return undefined;
  const roles: string[] = [];
  pick(ownRoles, numbered(root.roles).ids, roles);
  pick(globalRoles, numbered(global.roles).ids, roles);
  return { root: root.ref, roles };
}

/** The standing out of a view, at the instant `at` (epoch milliseconds); undefined when there is no such subject. */
export const standingOf = (view: View, at: number): Standing | undefined =>
  view.subject ? standingAt(view, rolesInForce(view.subject, view, at)) : undefined;
