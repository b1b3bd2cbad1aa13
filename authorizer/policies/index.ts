/** Entry of policies and of how routes match, free of Node: what the explorer shows of an API. */
export { apiRoutesId, createApiRoutes } from '../routes/api-routes.ts';
export { resolve } from '../routes/resolve.ts';
export { isConnection, isOfOneSpelling, isVerb, type RouteRule } from '../routes/rule.ts';
export {
  type MissingValue,
  type Trial,
  type TriedRequest,
  tryRequest,
  valuesByName,
} from '../routes/try.ts';
export {
  type Allowed,
  type CallerPolicy,
  type CallerPolicyOptions,
  callerPolicy,
  type NoPolicy,
  rulesOf,
} from './caller-policy.ts';
export {
  type Decision as PolicyDecision,
  type Evaluation,
  evaluate,
  INVOKE_ACTION,
  type Statement,
} from './iam.ts';
