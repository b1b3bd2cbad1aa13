/**
 * Public entry point of the middleware: enforcement points inside a service. A guard takes who, what and where
 * from a request, asks the engine, and answers 401, 403 and 503 as problem details (RFC 9457).
 */
export { type Authorization, authorizationOf, type RowsOfCaller } from './authorization.ts';
export type { Caller, Who } from './caller.ts';
export { type Access, fromEnvironment } from './environment.ts';
export {
  type ExpressMiddleware,
  type ExpressRequest,
  expressGuard,
  expressPermissions,
} from './express.ts';
export { type FastifyHook, type FastifyRequest, fastifyGuard, fastifyPermissions } from './fastify.ts';
export type { GuardOptions, RouteOptions, What, Where } from './guard.ts';
export { type HonoContext, type HonoMiddleware, honoGuard, honoPermissions } from './hono.ts';
export type { HttpAnswer, HttpRequest } from './http.ts';
export {
  type LambdaAnswer,
  type LambdaEvent,
  type LambdaGuard,
  lambdaGuard,
  lambdaPermissions,
  type PowertoolsContext,
  type PowertoolsMiddleware,
  powertoolsGuard,
} from './lambda.ts';
export { createPermissionsEndpoint, type PermissionsOptions, type Snapshot } from './permissions/endpoint.ts';
export { bearer, type TokenCaller, type TokenCallerOptions, type TokenIssuer } from './token-caller.ts';
