import { actorQuestion, refusedFirst } from './acting.ts';
import { type ConditionInput, isOfScope, usesOf as usesOfCondition } from './condition-outcomes.ts';
import type { Work } from './conditions/work.ts';
import {
  credentialUntil,
  isSettled,
  type Residual,
  refusedCredential,
  residualOf,
  settle,
  usesOfGiven,
  validUntil,
} from './decide.ts';
import { cachedInput, decideBoth, decideBothAtOnce, lookForBoth } from './decide-with-actor.ts';
import type { Anew, Ask, Decidable, Decided, Deciding, Half, Halves, Known, TenantRoles } from './decided.ts';
import type { Decision } from './decision.ts';
import { assertWhole, type DecisionInput, decisionInput, type Question } from './decision-input.ts';
import { hasGrant, holdingsOf, rolesInForce, withInherited } from './effective-roles.ts';
import type { Span } from './item-cache.ts';
import { CREDENTIAL, GLOBAL, GLOBAL_ID, MANDATE, SCOPE, SUBJECT, subjectId } from './items.ts';
import type { KeptDecision, KeptDecisions } from './kept-decisions.ts';
import type { Load, Look, Plan, Run, Spans } from './load.ts';

/** Not within a function that asks: it would allocate the closure's context for each question. */
export const asking =
  <Q extends Question>(question: Q): Ask<Q> =>
  () =>
    question;

/** Decides questions, from what is kept where it still holds. */
export function createDeciding(
  kept: KeptDecisions | undefined,
  {
    now,
    holds,
    holdTogether,
    atOnce,
    recall,
  }: Pick<Load, 'now' | 'holds' | 'holdTogether' | 'atOnce' | 'recall'>,
) {
  /** A plan that builds a question, and loads what it is decided from. */
  const planOf =
    <Q extends Question>(ask: Ask<Q>, deciding: Deciding): Plan<Decidable<Q>> =>
    (look, run) => {
      const question = ask(look);
      const decidable = question && lookFor(question, deciding, look, run);
      if (decidable === undefined) prefetchAsBefore(ask, look);
      return decidable;
    };

  function lookFor<Q extends Question>(
    question: Q,
    deciding: Deciding,
    look: Look,
    run: Run,
  ): Decidable<Q> | undefined {
    const { givesAgain, keeps, withRoles } = deciding;
    const { actor } = question;
    if (actor !== undefined) return lookForBoth(question, actor, deciding, look, run, halves);
    const known = givesAgain ? findKept(question, withRoles, look, run) : undefined;
    return known ?? lookAnew(look, run, question, keeps);
  }

  /** What a question is decided from where nothing is given again; undefined while an item is not loaded. */
  function lookAnew<Q extends Question>(
    look: Look,
    run: Run,
    question: Q,
    keeps = true,
  ): Anew<Q> | undefined {
    // The credential, which is looked at first, is judged each time.
    const first = run.position() + (question.credential ? 1 : 0);
    const input = decisionInput(question, look);
    if (input === undefined) return undefined;
    const spans = kept && keeps && mayKeep(input) ? run.spans(first) : undefined;
    return { question, credential: input.credential, known: undefined, input, spans };
  }

  function findKept<Q extends Question>(
    question: Q,
    withRoles: boolean,
    look: Look,
    run: Run,
  ): Known<Q> | undefined {
    const known = knownFor(kept, question, withRoles);
    if (known === undefined) return undefined;
    const credential = question.credential && look.item(CREDENTIAL, question.credential.ref);
    if (question.credential && credential === undefined) return undefined;
    if (!run.again(known)) return undefined;
    if (decisionFor(known, question, withRoles)) return { question, credential, known, input: undefined };
    const input = conditionInput(question, look.recall);
    return input && { question, credential, known, input };
  }

  /** Decides a `cached` question from what is kept or cached; undefined where an item has to be read, or is damaged. */
  function decideAtOnce<Q extends Question>(question: Q, deciding: Deciding): Decided<Q> | undefined {
    if (question.credential || question.actor) return decideMoreAtOnce(question, deciding);
    const at = now();
    const known = knownFor(kept, question, deciding.withRoles);
    if (known && holds(known, at)) {
      const settled = decisionFor(known, question, deciding.withRoles);
      const input = settled ? undefined : conditionInput(question, recall);
      const decision = settled ?? (input && settle(known.residual, input));
      const instant = input && at;
      if (decision)
        return { question, credential: undefined, decision, made: known, isKept: true, instant, input };
    }
    // What is not there, or does not hold, is not asked for again.
    return decidePlan<Q, Q>(lookAnew, question, deciding, at);
  }

  /** As `decideAtOnce`, with a credential or an actor. */
  function decideMoreAtOnce<Q extends Question>(question: Q, deciding: Deciding): Decided<Q> | undefined {
    const { actor, credential } = question;
    const { withRoles } = deciding;
    const known = actor && credential === undefined ? knownFor(kept, question, withRoles) : undefined;
    const both = actor && known && decideBothAtOnce(question, actor, known, now(), withRoles, halves, cached);
    return both ?? decideAskedAtOnce(asking(question), deciding);
  }

  /** As `decideAtOnce`, for a question that is built from items. */
  const decideAskedAtOnce = <Q extends Question>(ask: Ask<Q>, deciding: Deciding): Decided<Q> | undefined =>
    decidePlan(planOf(ask, deciding), undefined, deciding, now());

  function decidePlan<Q extends Question, Asked>(
    plan: Plan<Decidable<Q>, Asked>,
    asked: Asked,
    deciding: Deciding,
    instant: number,
  ) {
    try {
      const value = atOnce(plan, asked, instant);
      return value && decide(value, instant, false, deciding);
    } catch {
      // It is decided once more, by those who report its fault.
      return undefined;
    }
  }

  /** @throws GatehouseError `damaged_item` if an item that could refuse is missing */
  const decide = <Q extends Question>(
    value: Decidable<Q>,
    instant: number,
    isStale: boolean,
    deciding: Deciding,
  ): Decided<Q> =>
    value.acting === undefined
      ? decideHalf(value, instant, isStale, deciding.work, deciding.withRoles)
      : decideBoth(value, instant, isStale, deciding, halves);

  function decideHalf<Q extends Question>(
    value: Half<Q>,
    instant: number,
    isStale: boolean,
    work: Work | undefined,
    withRoles: boolean,
  ): Decided<Q> {
    const { question, credential, known, input } = value;
    const at = question.at ?? instant;
    const refused = refusedCredential(value, at);
    if (known) {
      const settled = input
        ? settle(known.residual, input, work)
        : (decisionFor(known, question, withRoles) as Decision);
      const decision = refused ?? settled;
      return { question, credential, decision, made: known, isKept: true, instant, input };
    }
    if (question.scope === undefined)
      return { question, credential, decision: refused, made: undefined, isKept: false, instant, input };
    assertWhole(input);
    const { decision, made } = madeOf(input, value.spans ?? NO_SPANS, at, refused, work, withRoles);
    if (value.spans && !isStale) kept?.keep(question.subject, question.groups, question.scope, made);
    return { question, credential, decision, made, isKept: false, instant, input };
  }

  const halves: Halves = {
    lookAnew,
    findKept,
    decideHalf,
    conditionInput: (question) => conditionInput(question, recall),
    recall,
    keptFor: (subject, groups, scope, permission) => kept?.find(subject, groups, scope, permission),
    decisionFor,
    holdTogether,
  };
  const cached = cachedInput(halves);
  return { planOf, decideAtOnce, decideAskedAtOnce, decide };
}

/** What is kept for a question that is asked for now; whether it still holds is for the load to say. */
function knownFor(
  kept: KeptDecisions | undefined,
  { subject, groups, permission, scope, at }: Question,
  withRoles: boolean,
): KeptDecision | undefined {
  if (!kept || at !== undefined || permission === undefined || scope === undefined) return undefined;
  const known = kept.find(subject, groups, scope, permission);
  return withRoles && known?.roles === undefined ? undefined : known;
}

/** Decides from items. */
function madeOf(
  input: DecisionInput,
  { shared, ofPermission, ofEffects }: Spans,
  at: number,
  refused: Decision | undefined,
  work: Work | undefined,
  withRoles: boolean,
): { readonly decision: Decision; readonly made: KeptDecision } {
  const holdings = holdingsOf(input.subject, input);
  const residual = residualOf(input, at, holdings);
  const end = validUntil(input, at, holdings);
  const decision = refused ?? settle(residual, input, work);
  const made = {
    permission: input.question.permission ?? '',
    shared,
    ofPermission,
    ofEffects,
    validUntil: end === FOREVER ? undefined : end,
    residual,
    settled: refused === undefined && isStored(residual, input, work) ? decision : undefined,
    tenant: input.scopes.at(-1)?.ref,
    hasGrant: hasGrant(input.subject, input, holdings),
    roles: withRoles ? withInherited(rolesInForce(holdings, at), input) : undefined,
  };
  return { decision, made };
}

const NO_SPAN: Span = { from: 0, until: 0, isCached: false, id: '' };
const NO_SPANS: Spans = { shared: [], ofPermission: NO_SPAN, ofEffects: NO_SPAN };

/** Whether a decision can be kept: not for another instant, nor of a subject or scope that does not exist. */
const mayKeep = ({ question, subject, scopes }: DecisionInput): boolean =>
  question.at === undefined && question.permission !== undefined && !!subject && !scopes.includes(null);

/** The decision on a question without its credential; undefined where conditions have to be evaluated. */
function decisionFor({ residual, settled }: KeptDecision, question: Question, withRoles: boolean) {
  if (isSettled(residual)) return residual;
  // An answer with roles says what conditions use of a resource that is given.
  const isOfTable = withRoles ? question.given?.resource === undefined : isOfScope(question);
  return isOfTable ? settled : undefined;
}

/** What conditions look at, of items that are cached; undefined where one is not. */
function conditionInput(question: Question, recall: Look['recall']): ConditionInput | undefined {
  const subject = recall(SUBJECT, subjectId(question.subject));
  const scope = recall(SCOPE, question.scope ?? '');
  const global = recall(GLOBAL, GLOBAL_ID);
  return subject && scope && global ? { question, subject, scopes: [scope], global } : undefined;
}

/** Whether a decision rests on the table alone, for each question about the scope itself. */
function isStored(residual: Residual, input: ConditionInput, work: Work | undefined): boolean {
  if (isSettled(residual)) return true;
  if ((input.question.work ?? work)?.isSpent() || !isOfScope(input.question)) return false;
  const question = { ...input.question, given: undefined };
  return usesOfGiven(residual, { ...input, question }).length === 0;
}

/** What the conditions of a decision look at beside what the table keeps. */
export function usesOf({ made, decision, input, acting }: Decided<Question>): readonly string[] {
  if (decision?.reason === 'credential_refused') return NOTHING_USED;
  const own = made && input ? usesOfGiven(made.residual, input) : NOTHING_USED;
  if (acting === undefined || refusedFirst(decision) === 'subject') return own;
  const ofActor =
    acting.made && acting.input ? usesOfGiven(acting.made.residual, acting.input) : NOTHING_USED;
  const isOfActor = refusedFirst(decision) === 'actor';
  const condition = isOfActor ? undefined : acting.mandate?.condition;
  return [...new Set([...own, ...ofActor, ...(condition ? usesOfCondition(condition) : NOTHING_USED)])];
}

const NOTHING_USED: readonly string[] = [];

/** The tenant and the effective roles; undefined if the scope does not exist. */
export function rolesOf({ made }: Decided<Question>): TenantRoles | undefined {
  const { tenant, roles = [] } = made ?? {};
  return tenant === undefined ? undefined : { tenant, roles };
}

/** The next instant at which something that a decision rests on begins or ends by time alone, the credential included. */
export function endOf({ question, made, credential, acting }: Decided<Question>, at: number): number {
  const own = Math.min(made?.validUntil ?? FOREVER, credentialUntil(credential, at));
  if (acting === undefined) return own;
  const { until = FOREVER } = question.actor ?? {};
  const ofActor = Math.min(acting.made?.validUntil ?? FOREVER, until > at ? until : FOREVER);
  return Math.min(own, ofActor, credentialUntil(acting.mandate, at));
}

const FOREVER = Number.POSITIVE_INFINITY;

/**
 * Prefetches what the question would look at if its items had not changed since they were cached: the usual
 * case.
 */
function prefetchAsBefore<Q extends Question>(ask: Ask<Q>, look: Look): void {
  const before: Look = {
    ...look,
    item: (kind, id) => {
      if (kind.keyOf(id) === undefined) return null;
      look.prefetch(kind, id);
      return look.recall(kind, id);
    },
  };
  const question = ask(before);
  if (question === undefined) return;
  decisionInput(question, before);
  const { actor } = question;
  if (actor === undefined) return;
  decisionInput(actorQuestion(question, actor), before);
  if (question.scope === undefined) before.item(SUBJECT, subjectId(actor.subject));
  if (actor.mandate !== undefined) before.item(MANDATE, actor.mandate);
}
