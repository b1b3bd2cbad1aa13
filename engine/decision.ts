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
  | 'no_grant'
  | ActorReason
  | MandateReason;
/** Of a question with an actor: the subject is allowed it, the actor is not. */
export type ActorReason =
  | 'actor_unknown'
  | 'actor_inactive'
  | 'actor_ended'
  | 'actor_not_subscribed'
  | 'actor_not_licensed'
  | 'actor_condition_failed'
  | 'actor_denied_by_role'
  | 'actor_no_grant';
/** Of a question with an actor: both are allowed it, the mandate does not cover it. */
export type MandateReason =
  /** An agent without one. */
  | 'mandate_required'
  /** There is no such mandate, or it is of another subject or actor. */
  | 'mandate_unknown'
  /** It was ended by hand. */
  | 'mandate_inactive'
  | 'mandate_ended'
  | 'mandate_permission'
  | 'mandate_scope'
  | 'mandate_condition_failed'
  /** It has a budget, and this question does not count. */
  | 'budget_uncounted';

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
  actor_unknown: decision(false, 'actor_unknown'),
  actor_inactive: decision(false, 'actor_inactive'),
  actor_ended: decision(false, 'actor_ended'),
  actor_not_subscribed: decision(false, 'actor_not_subscribed'),
  actor_not_licensed: decision(false, 'actor_not_licensed'),
  actor_condition_failed: decision(false, 'actor_condition_failed'),
  actor_denied_by_role: decision(false, 'actor_denied_by_role'),
  actor_no_grant: decision(false, 'actor_no_grant'),
  mandate_required: decision(false, 'mandate_required'),
  mandate_unknown: decision(false, 'mandate_unknown'),
  mandate_inactive: decision(false, 'mandate_inactive'),
  mandate_ended: decision(false, 'mandate_ended'),
  mandate_permission: decision(false, 'mandate_permission'),
  mandate_scope: decision(false, 'mandate_scope'),
  mandate_condition_failed: decision(false, 'mandate_condition_failed'),
  budget_uncounted: decision(false, 'budget_uncounted'),
};

/** Every reason there is: of an allow first, then in the order in which they refuse. */
export const REASONS = [...Object.keys(ALLOWED), ...Object.keys(DENIED)] as readonly Reason[];

/** Whether a condition that could not be evaluated refuses: the subject's, the actor's or the mandate's. */
export const isConditionFailed = ({ reason }: Decision): boolean =>
  reason === 'condition_failed' ||
  reason === 'actor_condition_failed' ||
  reason === 'mandate_condition_failed';
