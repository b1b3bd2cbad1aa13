/** Public entry point of the engine: the policy decision point. */
export { refusedFirst } from './acting.ts';
export { type Actor, askedBy } from './actor.ts';
export { type Clock, systemClock } from './clock.ts';
export { loadCel } from './conditions/load.ts';
export type { Credential } from './credential.ts';
export { type Decision, isConditionFailed, REASONS, type Reason } from './decision.ts';
export type { Question } from './decision-input.ts';
export type { DecisionLog, LogAs, LoggedDecision } from './decision-log.ts';
export {
  type Answer,
  type AnswersAsked,
  type Ask,
  type AskedDecision,
  type CheckOptions,
  type CheckRequest,
  createEngine,
  type Decisions,
  type DecisionWithRoles,
  type Engine,
  type EngineOptions,
  type TenantRoles,
} from './engine.ts';
export {
  createExplainer,
  type Explainer,
  type ExplainerOptions,
  type ExplainOptions,
  type ExplanationReader,
} from './explain/explainer.ts';
export type {
  ConditionShown,
  Derivation,
  Explanation,
  Missing,
  Named,
  Place,
  Source,
  Step,
  Suggestions,
  Validity,
} from './explain/explanation.ts';
export { CONDITION_OUTCOMES, type FormatOptions, formatExplanation } from './explain/format.ts';
export { derivationSentence, grantedSentence, type Sentence } from './explain/sentences.ts';
export type { Given } from './given.ts';
export { type Consistency, DEFAULT_MAX_BYTES, DEFAULT_TTL_MS, type Look } from './load.ts';
export type { Observation, Observe } from './observation.ts';
export { type AccessBound, createAccessBound } from './search/access-bound.ts';
export type { ListOptions } from './search/page.ts';
export { createLists, type Lists, type ListsOptions } from './search/search.ts';
export type { OpenSession, Session, SessionOptions } from './session.ts';
export type { TokenGroups } from './token-groups.ts';
