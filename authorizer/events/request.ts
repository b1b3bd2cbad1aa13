import type { Values } from './fields.ts';

/** The kinds of API that ask: HTTP API with format 2.0 and 1.0, REST API, WebSocket API, AppSync. */
export type RequestKind = 'http' | 'http-1.0' | 'rest-request' | 'rest-token' | 'websocket' | 'appsync';

/** A request as API Gateway or AppSync describes it to an authorizer, whatever the kind of the API. */
export interface GatewayRequest {
  readonly kind: RequestKind;
  /** The ARN of what is being called: `methodArn`, or `routeArn` of HTTP API 2.0. Empty for AppSync, which has none. */
  readonly arn: string;
  /** The verb that API Gateway routed; CONNECT for a WebSocket, GRAPHQL for AppSync. */
  readonly method: string;
  /** As it came, without the stage; `/$connect` for a WebSocket, `/` for AppSync. */
  readonly path: string;
  /** The route that an HTTP API 2.0 took, such as `GET /docs/{id}`; undefined for other kinds. */
  readonly routeKey?: string | undefined;
  /** The values of the Authorization header. */
  readonly authorization: readonly string[];
  /** By lower-case name. */
  readonly header: Values;
  /** By name as it stands; decoded by API Gateway. */
  readonly query: Values;
  /** By name as it stands, and the values as well: quotes and percent signs included. */
  readonly cookies: Values;
}
