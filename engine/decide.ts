import { ALLOWED_ADMIN, ALLOWED_ROLE, DENIED, type Decision } from './decision.ts';
import { type Effects, effectsOn } from './effects.ts';
import { isSubscribed } from './entitlements.ts';
import { type Footing, footingOf } from './footing.ts';
import { type Bits, meet } from './numbering.ts';
import type { View } from './view.ts';

/** The decision of SPEC section 2. Pure: all it looks at is in the view, `at` is an instant in epoch milliseconds. */
export function decide(view: View, at: number): Decision {
  const roles = view.scopes.at(-1)?.roles;
  const effects = effectsOn({ ...view, roles });
  return judge(footingOf(view.subject, view, at), effects, isSubscribed(view, effects.soldModule, at));
}

/**
 * The decision of SPEC section 2, step by step and in its order.
 *
 * @param isSold whether what is sold by subscription is sold here, or need not be
 */
export function judge(footing: Footing, effects: Effects, isSold: boolean): Decision {
  if (footing.refusal) return footing.refusal;
  if (!effects.isRegistered) return DENIED.permission_unknown;
  if (footing.isAdmin) return ALLOWED_ADMIN;
  if (!isSold) return DENIED.not_subscribed;
  if (!footing.isLicensed) return DENIED.not_licensed;
  return combine(footing.ownRoles, footing.globalRoles, footing.denyOverrides, effects);
}

/** The same for who is nothing but a holder of roles, by these: active, known, no administrator, licensed. */
export function judgeMember(
  ownRoles: Bits,
  globalRoles: Bits,
  denyOverrides: boolean,
  effects: Effects,
  isSold: boolean,
): Decision {
  if (!effects.isRegistered) return DENIED.permission_unknown;
  return isSold ? combine(ownRoles, globalRoles, denyOverrides, effects) : DENIED.not_subscribed;
}

/** Steps 6 to 9: what the roles in force do, brought down to one answer (ADR 0005). */
function combine(ownRoles: Bits, globalRoles: Bits, denyOverrides: boolean, effects: Effects): Decision {
  const allowed = meet(globalRoles, effects.globalAllow) || meet(ownRoles, effects.ownAllow);
  if (allowed && !denyOverrides) return ALLOWED_ROLE;
  if (meet(globalRoles, effects.globalDeny) || meet(ownRoles, effects.ownDeny)) return DENIED.denied_by_role;
  return allowed ? ALLOWED_ROLE : DENIED.no_grant;
}
