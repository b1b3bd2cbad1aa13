import type { Caller, Values } from './fields.ts';

/** HTTP API with format 2.0 and 1.0, REST API with REQUEST and TOKEN authorizer, WebSocket API, AppSync. */
type RequestKind = 'http' | 'http-1.0' | 'rest-request' | 'rest-token' | 'websocket' | 'appsync';

/** A request as described by an authorizer event, in one format for all kinds of API. */
export interface GatewayRequest {
  readonly kind: RequestKind;
  /** `methodArn`, or `routeArn` of HTTP API 2.0. Empty for AppSync, which has none. */
  readonly arn: string;
  /** The verb that API Gateway routed; CONNECT for a WebSocket, GRAPHQL for AppSync. */
  readonly method: string;
  /** As received, without the stage; `/$connect` for a WebSocket, `/` for AppSync. */
  readonly path: string;
  /** The values of path parameters as HTTP APIs hand them over, decoded once; none for other kinds. */
  readonly parameters?: readonly string[] | undefined;
  /** The route that an HTTP API 2.0 matched, such as `GET /docs/{id}`; undefined for other kinds. */
  readonly routeKey?: string | undefined;
  /** The values of the Authorization header. */
  readonly authorization: readonly string[];
  /** By lower-case name. */
  readonly header: Values;
  /** By case-sensitive name; decoded by API Gateway. */
  readonly query: Values;
  /** By case-sensitive name; values with their quotes and percent signs. */
  readonly cookies: Values;
  /** Who sent it, as API Gateway saw it; undefined for kinds whose events do not say. */
  readonly caller?: Caller | undefined;
}
