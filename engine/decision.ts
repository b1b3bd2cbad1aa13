/** The reason for a decision. The codes are stable: callers may log, count and match them. */
export type Reason = AllowReason | DenyReason;
export type AllowReason = 'admin' | 'role';
export type DenyReason =
  | 'credential_refused'
  | 'subject_unknown'
  | 'subject_inactive'
  | 'subject_ended'
  | 'scope_unknown'
  | 'scope_inactive'
  | 'permission_unknown'
  | 'not_subscribed'
  | 'not_licensed'
  /** A condition that could have allowed it, or not have denied it, could not be evaluated. */
  | 'condition_failed'
  | 'denied_by_role'
  | 'no_grant';

/** A deny is a value like an allow, not an error. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: Reason;
}

const decision = (allowed: boolean, reason: Reason): Decision => Object.freeze({ allowed, reason });

/** All possible decisions, allocated once, so that a warm check does not allocate its answer. */
export const ALLOWED: Readonly<Record<AllowReason, Decision>> = {
  admin: decision(true, 'admin'),
  role: decision(true, 'role'),
};
export const DENIED: Readonly<Record<DenyReason, Decision>> = {
  credential_refused: decision(false, 'credential_refused'),
  subject_unknown: decision(false, 'subject_unknown'),
  subject_inactive: decision(false, 'subject_inactive'),
  subject_ended: decision(false, 'subject_ended'),
  scope_unknown: decision(false, 'scope_unknown'),
  scope_inactive: decision(false, 'scope_inactive'),
  permission_unknown: decision(false, 'permission_unknown'),
  not_subscribed: decision(false, 'not_subscribed'),
  not_licensed: decision(false, 'not_licensed'),
  condition_failed: decision(false, 'condition_failed'),
  denied_by_role: decision(false, 'denied_by_role'),
  no_grant: decision(false, 'no_grant'),
};
