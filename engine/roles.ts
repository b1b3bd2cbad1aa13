import type { RoleFacts } from '../table/decision/facts.ts';
import type { View } from './view.ts';

/** Called for each role in force; answering true ends the walk. */
type Visit = (role: string, facts: RoleFacts, owned: boolean) => boolean;

/**
 * Step 6 of SPEC section 2: visits every role in force for the subject at the scope, at the instant
 * `at` (epoch milliseconds), each with all it inherits. A role counts when its owner lists it: the
 * global table, or that of this scope's root. A role of another tenant is in neither.
 *
 * @returns true when `visit` ended the walk
 */
export function someRoleInForce(view: View, at: number, visit: Visit): boolean {
  const { subject, scopes, global } = view;
  const root = scopes.at(-1);
  if (!subject || !root) return false;
  const seen = new Set<string>();

  const enter = (first: string): boolean => {
    // The `seen` set also ends a cycle, should damaged data hold one.
    for (let role: string | undefined = first; role !== undefined && !seen.has(role); ) {
      seen.add(role);
      const own = root.roles.get(role);
      const facts: RoleFacts | undefined = own ?? global.roles.get(role);
      if (facts === undefined) return false;
      if (visit(role, facts, own !== undefined)) return true;
      role = facts.parent;
    }
    return false;
  };

  for (const scope of scopes) {
    if (!scope) continue;
    for (const group of subject.groups) {
      for (const role of scope.groups.get(group) ?? []) if (enter(role)) return true;
    }
    for (const { role, start, end } of subject.assignments.get(scope.ref) ?? []) {
      if (start <= at && at < end && enter(role)) return true;
    }
  }
  for (const role of subject.grants.get(root.ref) ?? []) if (enter(role)) return true;
  for (const role of subject.globalRoles) if (enter(role)) return true;
  return false;
}

/** Ids of all roles in force, inherited ones included. */
export function rolesInForce(view: View, at: number): readonly string[] {
  const found: string[] = [];
  someRoleInForce(view, at, (role) => {
    found.push(role);
    return false;
  });
  return found;
}
