/** Entry of the explorer's service: what its page asks of a table. */
export type { CommandForms, FormField } from './form.ts';
export type { LiveDecision, LiveEvent, LiveRequest, LiveRequestLine } from './live.ts';
export type { Inputs, Method } from './method-inputs.ts';
export type { Fault, NamedRef, PlanCompared, Reply, Results } from './methods.ts';
export type { CoveredRoute, PolicyShown, RouteTrial } from './policy.ts';
export { createService, type Service } from './service.ts';
