/** Entry of the explorer's service: what its page asks of a table. */
export type { LiveDecision, LiveEvent, LiveRequest, LiveRequestLine } from './live.ts';
export {
  type About,
  type Fault,
  type Inputs,
  isMethod,
  type Method,
  type NamedPermission,
  type NamedRef,
  type PlanCompared,
  type Reply,
  type Results,
} from './methods.ts';
export type { CoveredRoute, PolicyShown, RouteShown, RouteTrial } from './policy.ts';
export { createService, type Service, type ServiceParts } from './service.ts';
