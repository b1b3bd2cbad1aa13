import { type ConditionInput, isOfScope } from './conditions/outcomes.ts';
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
import type { Decision } from './decision.ts';
import { assertWhole, type DecisionInput, decisionInput, type Question } from './decision-input.ts';
import { hasGrant, holdingsOf, rolesInForce, withInherited } from './effective-roles.ts';
import type { Span } from './item-cache.ts';
import { CREDENTIAL, GLOBAL, GLOBAL_ID, SCOPE, SUBJECT, subjectId } from './items.ts';
import type { KeptDecision, KeptDecisions } from './kept-decisions.ts';
import type { Load, Look, Plan, Run, Spans } from './load.ts';

/**
 * Builds a question from items of the table, such as routes or an email look-up; undefined until all of them
 * are loaded. These items become part of the decision input: they are as fresh as, and coherent with, the
 * others.
 */
export type Ask<Q extends Question> = (look: Look) => Q | undefined;

/** How a question is decided. */
export interface Deciding {
  /** Whether a decision that is kept may be given again: only for `cached` questions. */
  readonly givesAgain: boolean;
  /** Whether a decision that is made may be kept: only for `cached` questions. */
  readonly keeps: boolean;
  /** Whether the effective roles are needed, and what conditions look at. */
  readonly withRoles: boolean;
  /** The budget of conditions for several questions together. */
  readonly work: Work | undefined;
  /** Logs what was decided; undefined if nobody does. */
  readonly log: ((decided: readonly Decided<Question>[]) => void) | undefined;
}

type Asked<Q extends Question> = Pick<DecisionInput<Q>, 'question' | 'credential'>;

/** What a question is decided from: a decision that is kept, or items. */
export type Decidable<Q extends Question> = Known<Q> | Anew<Q>;

interface Known<Q extends Question> extends Asked<Q> {
  readonly known: KeptDecision;
  /** Undefined where no condition has to be evaluated. */
  readonly input: ConditionInput | undefined;
}

interface Anew<Q extends Question = Question> extends Asked<Q> {
  readonly known: undefined;
  readonly input: DecisionInput<Q>;
  /** Undefined where the decision cannot be kept. */
  readonly spans: Spans | undefined;
}

/** Not within a function that asks: it would allocate the closure's context for each question. */
export const asking =
  <Q extends Question>(question: Q): Ask<Q> =>
  () =>
    question;

/** The tenant of a scope, and the subject's effective roles there by id, inherited ones included. */
export interface TenantRoles {
  readonly tenant: string;
  readonly roles: readonly string[];
}

/** A question that was decided. */
export interface Decided<Q extends Question> extends Asked<Q> {
  /** Undefined if the question has no scope and its credential, if any, is valid. */
  readonly decision: Decision | undefined;
  /** What the decision came to without the credential; undefined if the question has no scope. */
  readonly made: KeptDecision | undefined;
  /** Whether it was kept. */
  readonly isKept: boolean;
  /** When its items were looked at, in epoch milliseconds; undefined where none was. */
  readonly instant: number | undefined;
  readonly input: ConditionInput | undefined;
}

/** Decides questions, from what is kept where it still holds. */
export function createDeciding(
  kept: KeptDecisions | undefined,
  { now, holds, atOnce, recall }: Pick<Load, 'now' | 'holds' | 'atOnce' | 'recall'>,
) {
  /** A plan that builds a question, and loads what it is decided from. */
  const planOf =
    <Q extends Question>(ask: Ask<Q>, deciding: Deciding): Plan<Decidable<Q>> =>
    (look, run) => {
      const question = ask(look);
      const known = question && deciding.givesAgain ? findKept(question, deciding, look, run) : undefined;
      const decidable = known ?? (question && lookAnew(look, run, question, deciding.keeps));
      if (decidable === undefined) prefetchAsBefore(ask, look);
      return decidable;
    };

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

  /** What is kept for a question that is asked for now; whether it still holds is for the load to say. */
  function knownFor(
    { subject, groups, permission, scope, at }: Question,
    withRoles: boolean,
  ): KeptDecision | undefined {
    if (!kept || at !== undefined || permission === undefined || scope === undefined) return undefined;
    const known = kept.find(subject, groups, scope, permission);
    return withRoles && known?.roles === undefined ? undefined : known;
  }

  function findKept<Q extends Question>(
    question: Q,
    { withRoles }: Deciding,
    look: Look,
    run: Run,
  ): Decidable<Q> | undefined {
    const known = knownFor(question, withRoles);
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
    if (question.credential) return decideAskedAtOnce(asking(question), deciding);
    const at = now();
    const known = knownFor(question, deciding.withRoles);
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
  function decide<Q extends Question>(
    value: Decidable<Q>,
    instant: number,
    isStale: boolean,
    { work, withRoles }: Deciding,
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
    const holdings = holdingsOf(input.subject, input);
    const residual = residualOf(input, at, holdings);
    const end = validUntil(input, at, holdings);
    const decision = refused ?? settle(residual, input, work);
    const { shared, ofPermission, ofEffects } = value.spans ?? NO_SPANS;
    const made: KeptDecision = {
      permission: question.permission ?? '',
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
    if (value.spans && !isStale) kept?.keep(question.subject, question.groups, question.scope, made);
    return { question, credential, decision, made, isKept: false, instant, input };
  }

  return { planOf, decideAtOnce, decideAskedAtOnce, decide };
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
  if (work?.isSpent() || !isOfScope(input.question)) return false;
  const question = { ...input.question, given: undefined };
  return usesOfGiven(residual, { ...input, question }).length === 0;
}

/** What the conditions of a decision look at beside what the table keeps. */
export const usesOf = ({ made, decision, input }: Decided<Question>): readonly string[] =>
  made && input && decision?.reason !== 'credential_refused'
    ? usesOfGiven(made.residual, input)
    : NOTHING_USED;

const NOTHING_USED: readonly string[] = [];

/** The tenant and the effective roles; undefined if the scope does not exist. */
export function rolesOf({ made }: Decided<Question>): TenantRoles | undefined {
  const { tenant, roles = [] } = made ?? {};
  return tenant === undefined ? undefined : { tenant, roles };
}

/** The next instant at which something that a decision rests on begins or ends by time alone, the credential included. */
export const endOf = ({ made, credential }: Decided<Question>, at: number): number =>
  Math.min(made?.validUntil ?? FOREVER, credentialUntil(credential, at));

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
  if (question !== undefined) decisionInput(question, before);
}
