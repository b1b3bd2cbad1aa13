import { ALLOWED_ADMIN, ALLOWED_ROLE, DENIED, type Decision } from './decision.ts';
import { type Effects, effectsOn } from './effects.ts';
import { isSubscribed } from './entitlements.ts';
import { meet } from './numbering.ts';
import { type Standing, standingOf } from './standing.ts';
import type { View } from './view.ts';

/** The decision of SPEC section 2. Pure: all it looks at is in the view, `at` is an instant in epoch milliseconds. */
export function decide(view: View, at: number): Decision {
  const roles = view.scopes.at(-1)?.roles;
  return judge(standingOf(view.subject, view, at), effectsOn({ ...view, roles }), at);
}

/** The decision of SPEC section 2, step by step and in its order, where the standing holds at `at`. */
export function judge(standing: Standing, effects: Effects, at: number): Decision {
  if (standing.refusal) return standing.refusal;
  if (!effects.isRegistered) return DENIED.permission_unknown;
  if (standing.isAdmin) return ALLOWED_ADMIN;
  if (effects.soldModule !== undefined && !isSubscribed(standing.place, effects.soldModule, at)) {
    return DENIED.not_subscribed;
  }
  return standing.isLicensed ? combine(standing, effects) : DENIED.not_licensed;
}

/** Steps 6 to 9: what the roles in force do, brought down to one answer (ADR 0005). */
function combine(standing: Standing, { own, everywhere }: Effects): Decision {
  const allowed = meet(standing.own, own.allow) || meet(standing.everywhere, everywhere.allow);
  if (allowed && !standing.denyOverrides) return ALLOWED_ROLE;
  if (meet(standing.own, own.deny) || meet(standing.everywhere, everywhere.deny))
    return DENIED.denied_by_role;
  return allowed ? ALLOWED_ROLE : DENIED.no_grant;
}
