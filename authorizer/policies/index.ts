/** Entry of policies and of how routes match, free of Node: what the explorer shows of an API. */
export { createApiRoutes } from '../routes/api-routes.ts';
export { resolve } from '../routes/resolve.ts';
export { isOfOneSpelling, isVerb, type RouteRule } from '../routes/rule.ts';
export { tryRequest } from '../routes/try.ts';
export {
  type Allowed,
  callerPolicy,
  type NoPolicy,
  rulesOf,
} from './caller-policy.ts';
export {
  type Decision as PolicyDecision,
  evaluate,
  INVOKE_ACTION,
} from './iam.ts';
