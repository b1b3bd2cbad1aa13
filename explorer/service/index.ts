/** Entry of the explorer's service: what its page asks of a table. */
export type { Named as NamedRef } from '../../engine/index.ts';
export type { CommandForms, FormField } from './form.ts';
export type { LiveDecision, LiveEvent, LiveRequest, LiveRequestLine } from './live.ts';
export type { Inputs, Method } from './method-inputs.ts';
export type { CoveredRoute, PolicyShown, RouteTrial } from './policy.ts';
export { createService, type Fault, type Reply, type Results, type Service } from './service.ts';
