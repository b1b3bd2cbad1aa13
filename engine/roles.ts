import type { RoleFacts, SubjectFacts } from '../table/decision/facts.ts';
import type { Place } from './view.ts';

/** Called for each role in force. */
type Visit = (role: string, facts: RoleFacts, isOwned: boolean) => void;

/**
 * Step 6 of SPEC section 2: visits every role in force for the subject at the place, at the instant
 * `at` (epoch milliseconds), each with all it inherits. A role counts when its owner lists it: the
 * global table, or that of this scope's root. A role of another tenant is in neither.
 */
export function eachRoleInForce(
  subject: SubjectFacts | null,
  { scopes, global }: Place,
  at: number,
  visit: Visit,
): void {
  const root = scopes.at(-1);
  if (!subject || !root) return;
  const seen = new Set<string>();

  const enter = (first: string): void => {
    // The `seen` set also ends a cycle, should damaged data hold one.
    for (let role: string | undefined = first; role !== undefined && !seen.has(role); ) {
      seen.add(role);
      const own = root.roles.get(role);
      const facts: RoleFacts | undefined = own ?? global.roles.get(role);
      if (facts === undefined) return;
      visit(role, facts, own !== undefined);
      role = facts.parent;
    }
  };

  for (const scope of scopes) {
    if (!scope) continue;
    for (const group of subject.groups) scope.groups.get(group)?.forEach(enter);
    for (const { role, start, end } of subject.assignments.get(scope.ref) ?? []) {
      if (start <= at && at < end) enter(role);
    }
  }
  subject.grants.get(root.ref)?.forEach(enter);
  subject.globalRoles.forEach(enter);
}
