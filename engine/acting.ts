import type { ConditionalEffect, MandateItem, ScopeItem, SubjectItem } from '../table/decision/items.ts';
import type { Actor } from './actor.ts';
import { isCredentialGood } from './credential.ts';
import {
  type ActorReason,
  DENIED,
  type Decision,
  type DenyReason,
  type MandateReason,
  type Reason,
} from './decision.ts';
import type { Question } from './decision-input.ts';
import { refusalOf } from './effective-roles.ts';
import type { Given } from './given.ts';

/**
 * The decision with an actor (ADR 0048): whoever acts may do no more than the subject, than itself, and than the mandate.
 * All instants in epoch milliseconds.
 */

/** The question whether the actor may do it itself: the subject's groups, claims and passed properties are not its own. */
export const actorQuestion = (
  { permission, scope, at, given, prefetch, work }: Question,
  { subject }: Actor,
): Question => ({
  subject,
  permission,
  scope,
  at,
  given: given && givenToActor(given),
  prefetch,
  work,
});

/** By what is given to a question: conditions over one object are evaluated once (`Work`). */
const GIVEN_TO_ACTORS = new WeakMap<Given, Given>();

function givenToActor(given: Given): Given | undefined {
  if (!given.subject && !given.context?.claims) return given;
  const known = GIVEN_TO_ACTORS.get(given);
  if (known) return known;
  const { claims: _, ...context } = given.context ?? {};
  const own = { ...given, subject: undefined, context: given.context && context };
  GIVEN_TO_ACTORS.set(given, own);
  return own;
}

/** The refusal of the token that names the actor; undefined where none was shown, or where it is good. */
export function refusedToken(
  { subject, actor }: Question,
  mandate: MandateItem | null | undefined,
  at: number,
): Decision | undefined {
  if (actor?.until !== undefined && !(at < actor.until)) return DENIED.credential_refused;
  if (actor?.hash === undefined) return undefined;
  const isOfActor = mandate?.actor === actor.subject;
  return isOfActor && isCredentialGood(mandate, subject, actor, at) ? undefined : DENIED.credential_refused;
}

/** How the items are found that a mandate is compared with. */
export interface MandateInput {
  /** The scope asked about. */
  readonly scope: (question: Question) => ScopeItem | null | undefined;
  /** The patterns that cover the permission asked about. */
  readonly patterns: (question: Question) => readonly string[];
  readonly actor: (actor: Actor) => SubjectItem | null | undefined;
  /** Whether a condition holds. What cannot be evaluated does not. */
  readonly holds: (condition: ConditionalEffect, question: Question) => boolean;
}

/** Why the mandate does not cover what is asked; undefined if it does, or if the actor needs none. */
export function mandateRefusal(
  question: Question,
  actor: Actor,
  mandate: MandateItem | null | undefined,
  at: number,
  input: MandateInput,
): MandateReason | undefined {
  if (actor.mandate === undefined) return requiresMandate(actor, input) ? 'mandate_required' : undefined;
  if (!mandate || mandate.subject !== question.subject || mandate.actor !== actor.subject)
    return 'mandate_unknown';
  if (!mandate.active) return 'mandate_inactive';
  if (!(at < mandate.endsAt)) return 'mandate_ended';
  if (question.scope !== undefined) {
    if (!coversPermission(mandate, question, input)) return 'mandate_permission';
    if (!coversScope(mandate, question, input)) return 'mandate_scope';
    if (mandate.condition && !input.holds(mandate.condition, question)) return 'mandate_condition_failed';
  }
  return mandate.isCounted && question.isCounted !== true ? 'budget_uncounted' : undefined;
}

/** An agent needs one, unless its own entry says otherwise. */
const requiresMandate = (actor: Actor, input: MandateInput): boolean =>
  actor.subject.startsWith('agent:') && input.actor(actor)?.mandateOptional !== true;

function coversPermission({ permissions }: MandateItem, question: Question, input: MandateInput): boolean {
  if (permissions.has(question.permission ?? '')) return true;
  for (const pattern of input.patterns(question)) if (permissions.has(pattern)) return true;
  return false;
}

function coversScope({ scopes }: MandateItem, question: Question, input: MandateInput): boolean {
  if (scopes.has(question.scope ?? '')) return true;
  for (const above of input.scope(question)?.ancestors ?? []) if (scopes.has(above)) return true;
  return false;
}

/** What a refusal of the actor's own question is called. A scope or permission would have refused the subject, too. */
const OF_ACTOR: Readonly<Partial<Record<Reason, ActorReason>>> = {
  subject_unknown: 'actor_unknown',
  subject_inactive: 'actor_inactive',
  subject_ended: 'actor_ended',
  not_subscribed: 'actor_not_subscribed',
  not_licensed: 'actor_not_licensed',
  condition_failed: 'actor_condition_failed',
  denied_by_role: 'actor_denied_by_role',
  no_grant: 'actor_no_grant',
};

const reasonOfActor = (reason: Reason): DenyReason => OF_ACTOR[reason] ?? (reason as DenyReason);

/** Whose refusal a decision with an actor is: what comes after it was not looked at. Undefined of an allow. */
export function refusedFirst(decision: Decision | undefined): 'subject' | 'actor' | 'mandate' | undefined {
  if (decision === undefined || decision.allowed) return undefined;
  const [of] = /^(?:actor|mandate|budget)(?=_)/.exec(decision.reason) ?? ['subject'];
  return of === 'subject' || of === 'actor' ? of : 'mandate';
}

/** Of a question without a scope: why the actor may not act at all, whatever is asked; undefined if it may. */
export function refusedAlone(
  question: Question,
  actor: Actor,
  who: SubjectItem | null,
  mandate: MandateItem | null | undefined,
  at: number,
  input: MandateInput,
): Decision | undefined {
  const own = refusalOf(who, { scopes: [] }, at);
  const reason = own ? reasonOfActor(own) : mandateRefusal(question, actor, mandate, at, input);
  return reason && DENIED[reason];
}

/**
 * What it comes to: an allow only of all three. The first refusal counts.
 *
 * @param subject the subject's own decision
 * @param actor the actor's own decision
 * @param refusal the mandate's
 */
export function combined(subject: Decision, actor: Decision, refusal: MandateReason | undefined): Decision {
  if (!subject.allowed) return subject;
  if (!actor.allowed) return DENIED[reasonOfActor(actor.reason)];
  return refusal === undefined ? subject : DENIED[refusal];
}
