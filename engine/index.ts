/** Door of the engine: the policy decision point. */
export type { Bearer } from './bearer.ts';
export type { Decision, Reason } from './decision.ts';
export {
  type Admission,
  type CheckOptions,
  type CheckRequest,
  createEngine,
  type Decisions,
  type Engine,
  type EngineOptions,
} from './engine.ts';
export {
  createExplainer,
  type Explainer,
  type ExplainerOptions,
  type ExplainOptions,
  type ExplanationReader,
} from './explain/explainer.ts';
export type {
  Explanation,
  Fact,
  Missing,
  Named,
  Nearest,
  Place,
  Source,
  Step,
  Way,
} from './explain/explanation.ts';
export { type FormatOptions, formatExplanation } from './explain/format.ts';
export type { Freshness } from './freshness.ts';
export { createLists, type Lists, type ListsOptions } from './lists/lists.ts';
export type { ListOptions } from './lists/page.ts';
export { createReach, type Reach } from './lists/reach.ts';
export type { Observation, Observe } from './observation.ts';
export { DEFAULT_COHERENCE_MARGIN_MS, DEFAULT_MAX_BYTES, DEFAULT_TTL_MS } from './open-views.ts';
export type { OpenSession, Session, SessionOptions } from './session.ts';
export type { Standing } from './standing.ts';
export type { Clock } from './store.ts';
