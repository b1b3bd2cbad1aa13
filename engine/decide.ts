import { ALLOWED_ADMIN, ALLOWED_ROLE, DENIED, type Decision } from './decision.ts';
import { notEntitled } from './entitlements.ts';
import { someRoleInForce } from './roles.ts';
import type { View } from './view.ts';

/**
 * The decision of SPEC section 2, step by step and in its order. Pure: everything it looks at is in the
 * view, and `at` is an instant in epoch milliseconds.
 */
export function decide(view: View, at: number): Decision {
  const { subject, scopes, permission } = view;
  if (!subject) return DENIED.subject_unknown;
  if (!subject.active) return DENIED.subject_inactive;
  // Asked this way round, an `at` that is no instant (NaN) is refused as well.
  if (!(at < subject.endsAt)) return DENIED.subject_ended;
  for (const scope of scopes) {
    if (!scope) return DENIED.scope_unknown;
    if (!scope.active) return DENIED.scope_inactive;
  }
  if (!permission?.registered) return DENIED.permission_unknown;
  if (subject.isAdmin) return ALLOWED_ADMIN;
  return notEntitled(view, at) ?? combine(view, at);
}

/**
 * Steps 6 to 9: the effects of the roles in force, exact and by wildcard, brought down to one answer.
 * `allow-overrides` ends at the first ALLOW, `deny-overrides` at the first DENY (ADR 0005).
 */
function combine(view: View, at: number): Decision {
  const { permission, owned } = view;
  const denyOverrides = view.scopes.at(-1)?.combination === 'deny-overrides';
  let allowed = false;
  let denied = false;
  someRoleInForce(view, at, (role, facts, isOwned) => {
    const exact = isOwned ? owned : permission;
    if (exact?.allow.has(role)) allowed = true;
    if (exact?.deny.has(role)) denied = true;
    if (facts.patterns.size > 0) {
      for (const pattern of permission?.covering ?? []) {
        const effect = facts.patterns.get(pattern);
        if (effect === 'ALLOW') allowed = true;
        else if (effect === 'DENY') denied = true;
      }
    }
    return denyOverrides ? denied : allowed;
  });
  if (denyOverrides && denied) return DENIED.denied_by_role;
  if (allowed) return ALLOWED_ROLE;
  return denied ? DENIED.denied_by_role : DENIED.no_grant;
}
