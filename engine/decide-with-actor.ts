import type { ConditionalEffect, MandateItem } from '../table/decision/items.ts';
import { patternsCovering } from '../table/permission-name.ts';
import {
  actorQuestion,
  combined,
  type MandateInput,
  mandateRefusal,
  refusedAlone,
  refusedToken,
} from './acting.ts';
import type { Actor } from './actor.ts';
import { type ConditionInput, createOutcomes } from './condition-outcomes.ts';
import type { Work } from './conditions/work.ts';
import { refusedCredential } from './decide.ts';
import type { Both, Decided, Deciding, Halves } from './decided.ts';
import type { Decision } from './decision.ts';
import type { Question } from './decision-input.ts';
import { MANDATE, PERMISSION, SCOPE, SUBJECT, subjectId } from './items.ts';
import type { KeptDecision } from './kept-decisions.ts';
import type { Look, Run } from './load.ts';

/** Looks for all before one is found missing: so all that is missing is read together. */
export function lookForBoth<Q extends Question>(
  question: Q,
  actor: Actor,
  { givesAgain, keeps, withRoles }: Deciding,
  look: Look,
  run: Run,
  { findKept, lookAnew }: Halves,
): Both<Q> | undefined {
  // As the credential, a mandate is judged each time.
  const mandate = actor.mandate === undefined ? undefined : look.item(MANDATE, actor.mandate);
  const own = actorQuestion(question, actor);
  // Given again are both or none: what a decision rests on that is given again is not looked at, so that it could not
  // be read again where it does not go together with what the other one looks at.
  const known = givesAgain ? findKept(question, withRoles, look, run) : undefined;
  const ownKnown = known && findKept(own, withRoles, look, run);
  const subject = ownKnown ? known : lookAnew(look, run, question, keeps);
  const half = ownKnown ?? lookAnew(look, run, own, keeps);
  // Without a scope nothing else is looked at: whether it may act at all.
  const who = question.scope === undefined ? look.item(SUBJECT, subjectId(actor.subject)) : null;
  if (subject === undefined || half === undefined || who === undefined) return undefined;
  if (actor.mandate !== undefined && mandate === undefined) return undefined;
  return { question, credential: subject.credential, subject, acting: { actor, half, who, mandate } };
}

/** The subject's decision, and what becomes of it with the actor and the mandate. */
export function decideBoth<Q extends Question>(
  { question, credential, subject, acting: { actor, half, who, mandate } }: Both<Q>,
  instant: number,
  isStale: boolean,
  { work, withRoles }: Deciding,
  { decideHalf, conditionInput, recall }: Halves,
): Decided<Q> {
  const at = question.at ?? instant;
  const own = decideHalf(subject, instant, isStale, work, withRoles);
  const ofActor = decideHalf(half, instant, isStale, work, withRoles);
  const holds = (condition: ConditionalEffect): boolean => {
    const input = subject.input ?? conditionInput(question);
    return input !== undefined && isTrue(condition, input, work);
  };
  // What a decision rests on that is given again is cached.
  const cached = cachedInput({ conditionInput, recall });
  const input = {
    scope: subject.known ? cached.scope : () => subject.input.scopes[0],
    patterns: subject.known
      ? cached.patterns
      : () => subject.input.permission?.patterns ?? patternsCovering(question.permission ?? ''),
    actor: half.known ? cached.actor : () => who ?? half.input.subject,
    holds,
  };
  const refused = refusedCredential({ question, credential }, at) ?? refusedToken(question, mandate, at);
  const decision =
    refused ??
    (question.scope === undefined
      ? refusedAlone(question, actor, who, mandate, at, input)
      : decisionOf(question, actor, mandate, at, own.decision, ofActor.decision, input));
  const acting = { made: ofActor.made, input: ofActor.input, mandate };
  return { ...own, decision, instant, acting };
}

/**
 * As `decideBoth`, at once, where both decisions are kept and rest on the table alone: so most are that are asked
 * again. Undefined where one is not.
 */
export function decideBothAtOnce<Q extends Question>(
  question: Q,
  actor: Actor,
  known: KeptDecision,
  instant: number,
  withRoles: boolean,
  { keptFor, decisionFor, holdTogether }: Halves,
  input: MandateInput,
): Decided<Q> | undefined {
  const ofActor = keptFor(actor.subject, undefined, question.scope ?? '', question.permission ?? '');
  if (ofActor === undefined) return undefined;
  const own = decisionFor(known, question, withRoles);
  const actors = decisionFor(ofActor, question, withRoles);
  if (own === undefined || actors === undefined) return undefined;
  const mandate = holdTogether(known, ofActor, MANDATE, actor.mandate, instant);
  if (mandate === undefined) return undefined;
  const decision =
    refusedToken(question, mandate, instant) ??
    decisionOf(question, actor, mandate, instant, own, actors, input);
  return {
    question,
    credential: undefined,
    decision,
    made: known,
    isKept: true,
    instant: undefined,
    input: undefined,
    acting: { made: ofActor, input: undefined, mandate },
  };
}

function decisionOf(
  question: Question,
  actor: Actor,
  mandate: MandateItem | null | undefined,
  at: number,
  own: Decision | undefined,
  ofActor: Decision | undefined,
  input: MandateInput,
): Decision | undefined {
  if (own === undefined || ofActor === undefined) return undefined;
  const isForBoth = own.allowed && ofActor.allowed;
  return combined(own, ofActor, isForBoth ? mandateRefusal(question, actor, mandate, at, input) : undefined);
}

/** What cannot be evaluated is not. */
const isTrue = (condition: ConditionalEffect, input: ConditionInput, work: Work | undefined): boolean => {
  const outcome = createOutcomes(input, work, 1)(condition);
  return 'holds' in outcome && outcome.holds;
};

/** The items on which decisions rest that are given again. */
export const cachedInput = ({
  conditionInput,
  recall,
}: Pick<Halves, 'conditionInput' | 'recall'>): MandateInput => ({
  scope: ({ scope = '' }) => recall(SCOPE, scope),
  patterns: ({ permission = '' }) => recall(PERMISSION, permission)?.patterns ?? patternsCovering(permission),
  actor: ({ subject }) => recall(SUBJECT, subjectId(subject)),
  holds: (condition, question) => {
    const input = conditionInput(question);
    return input !== undefined && isTrue(condition, input, undefined);
  },
});
