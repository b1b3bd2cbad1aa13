import type { Decision } from '../../../engine/index.ts';

/** Why, in words; the codes are those of the engine (docs/errors.md has none of its own for them). */
const REASONS: Readonly<Record<Decision['reason'], string>> = {
  admin: 'the subject is an administrator',
  role: 'a role allows it',
  credential_refused: 'the credential is refused',
  subject_unknown: 'there is no such subject',
  subject_inactive: 'the subject is not active',
  subject_ended: 'the time of the subject has ended',
  scope_unknown: 'there is no such scope',
  scope_inactive: 'the scope or one above it is not active',
  permission_unknown: 'there is no such page or permission',
  not_subscribed: 'there is no subscription to its module',
  not_licensed: 'there is no licence',
  condition_failed: 'a condition could not be evaluated',
  denied_by_role: 'a role denies it',
  no_grant: 'no role allows it',
  actor_unknown: 'there is no such actor',
  actor_inactive: 'the actor is not active',
  actor_ended: 'the time of the actor has ended',
  actor_not_subscribed: 'the actor needs a subscription to its module',
  actor_not_licensed: 'the actor needs a licence',
  actor_condition_failed: 'a condition could not be evaluated for the actor',
  actor_denied_by_role: 'a role denies it to the actor',
  actor_no_grant: 'no role allows it to the actor',
  mandate_required: 'the actor is an agent without a mandate',
  mandate_unknown: 'there is no such mandate for this subject and actor',
  mandate_inactive: 'the mandate was ended',
  mandate_ended: 'the time of the mandate has ended',
  mandate_permission: 'the mandate does not name the permission',
  mandate_scope: 'the mandate does not count at this scope',
  mandate_condition_failed: 'the condition of the mandate does not hold',
  budget_uncounted: 'the mandate has a budget: only mandate.use allows',
};

export const reasonText = (reason: Decision['reason']): string => REASONS[reason] ?? reason;

interface BadgeProps {
  readonly kind: string;
  readonly sign: string;
  readonly text: string;
}

/** What became of something in a sign and a word, never by colour alone. */
export const Badge = ({ kind, sign, text }: BadgeProps) => (
  <span class={`badge ${kind}`}>
    <span aria-hidden="true">{sign}</span> {text}
  </span>
);

export const DecisionBadge = ({ allowed }: { readonly allowed: boolean }) =>
  allowed ? (
    <Badge kind="allowed" sign="✓" text="allowed" />
  ) : (
    <Badge kind="refused" sign="✕" text="refused" />
  );
