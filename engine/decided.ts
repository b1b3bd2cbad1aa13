import type { MandateItem, SubjectItem } from '../table/decision/items.ts';
import type { Actor } from './actor.ts';
import type { ConditionInput } from './condition-outcomes.ts';
import type { Work } from './conditions/work.ts';
import type { Decision } from './decision.ts';
import type { DecisionInput, Question } from './decision-input.ts';
import type { KeptDecision } from './kept-decisions.ts';
import type { Load, Look, Run, Spans } from './load.ts';

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

export type Asked<Q extends Question> = Pick<DecisionInput<Q>, 'question' | 'credential'>;

/** What a question is decided from. */
export type Decidable<Q extends Question> = Half<Q> | Both<Q>;

/** Of one subject: a decision that is kept, or items. */
export type Half<Q extends Question> = Known<Q> | Anew<Q>;

export interface Known<Q extends Question> extends Asked<Q> {
  readonly acting?: undefined;
  readonly known: KeptDecision;
  /** Undefined where no condition has to be evaluated. */
  readonly input: ConditionInput | undefined;
}

export interface Anew<Q extends Question = Question> extends Asked<Q> {
  readonly acting?: undefined;
  readonly known: undefined;
  readonly input: DecisionInput<Q>;
  /** Undefined where the decision cannot be kept. */
  readonly spans: Spans | undefined;
}

/** The tenant of a scope, and the subject's effective roles there by id, inherited ones included. */
export interface TenantRoles {
  readonly tenant: string;
  readonly roles: readonly string[];
}

/** A question that was decided. */
export interface Decided<Q extends Question> extends Asked<Q> {
  /** Undefined if the question has no scope, its credential, if any, is valid, and who acts may act. */
  readonly decision: Decision | undefined;
  /** What the decision came to without the credential; undefined if the question has no scope. */
  readonly made: KeptDecision | undefined;
  /** Whether it was kept. */
  readonly isKept: boolean;
  /** When its items were looked at, in epoch milliseconds; undefined where none was. */
  readonly instant: number | undefined;
  readonly input: ConditionInput | undefined;
  /** What was decided on the actor, and the mandate; undefined without an actor. */
  readonly acting?: Acting | undefined;
}

/** What was decided on the actor, as of the subject. */
interface Acting extends Pick<Decided<Question>, 'made' | 'input'> {
  readonly mandate: MandateItem | null | undefined;
}

/** With an actor: what both are decided from, and the mandate; undefined if the actor has none. */
export interface Both<Q extends Question> extends Asked<Q> {
  readonly subject: Half<Q>;
  readonly acting: {
    readonly actor: Actor;
    readonly half: Half<Question>;
    /** The actor itself, where the question has no scope; null if there is none. */
    readonly who: SubjectItem | null;
    readonly mandate: MandateItem | null | undefined;
  };
}

/** How one subject's half of a decision is looked for and made. */
export interface Halves {
  readonly lookAnew: <Q extends Question>(
    look: Look,
    run: Run,
    question: Q,
    keeps: boolean,
  ) => Anew<Q> | undefined;
  readonly findKept: <Q extends Question>(
    question: Q,
    withRoles: boolean,
    look: Look,
    run: Run,
  ) => Known<Q> | undefined;
  readonly decideHalf: <Q extends Question>(
    half: Half<Q>,
    instant: number,
    isStale: boolean,
    work: Work | undefined,
    withRoles: boolean,
  ) => Decided<Q>;
  /** What conditions look at, of items that are cached; undefined where one is not. */
  readonly conditionInput: (question: Question) => ConditionInput | undefined;
  readonly recall: Look['recall'];
  /** A decision that is kept, for which it is not known whether it holds. */
  readonly keptFor: (
    subject: string,
    groups: undefined,
    scope: string,
    permission: string,
  ) => KeptDecision | undefined;
  /** The decision on a question without its credential; undefined where conditions have to be evaluated. */
  readonly decisionFor: (kept: KeptDecision, question: Question, withRoles: boolean) => Decision | undefined;
  readonly holdTogether: Load['holdTogether'];
}
