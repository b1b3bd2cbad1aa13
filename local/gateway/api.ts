import type {
  HttpAuthorizerEventV2,
  HttpProxyEventV1,
  HttpProxyEventV2,
  RestAuthorizerEvent,
  RestProxyEvent,
  TokenAuthorizerEvent,
} from './event-shapes.ts';
import type { HttpAuthorizerEventV1 } from './event-v1.ts';
import type { ApiSettings } from './request.ts';
import type { WebSocketAuthorizerEvent, WebSocketEvent } from './websocket-events.ts';

/** HTTP API with payload format 2.0 or 1.0, REST API, WebSocket API. */
export type ApiKind = 'http-2.0' | 'http-1.0' | 'rest' | 'websocket';

interface AuthorizerSettings {
  /** Selection expressions; all of them must be present in a request, and together they are the cache key. */
  readonly identitySources: readonly string[];
  /** 0 turns the result cache off; at most 3,600. */
  readonly resultTtlSeconds: number;
  /** How long the gateway waits: 10 s for HTTP APIs and 29 s for REST unless given. */
  readonly timeoutMs?: number;
}

interface RequestAuthorizer<Event> extends AuthorizerSettings {
  readonly kind: 'REQUEST';
  readonly invoke: (event: Event) => Promise<unknown>;
}

interface TokenAuthorizer extends AuthorizerSettings {
  readonly kind: 'TOKEN';
  readonly invoke: (event: TokenAuthorizerEvent) => Promise<unknown>;
}

/** A backend's answer in a Lambda proxy integration. */
export interface IntegrationResponse {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  /** One `set-cookie` header each; of HTTP APIs with payload format 2.0 only. */
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface Route<Event> {
  /** 'GET /locations/{locationId}', 'ANY /files/{proxy+}' or, in HTTP APIs, '$default'. */
  readonly key: string;
  readonly integration: (event: Event) => Promise<IntegrationResponse>;
}

/** The CORS configuration of an HTTP API (AG http-api-cors). */
export interface Cors {
  /** Origins such as `http://localhost:5173`. */
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
}

interface ApiOf<Kind extends ApiKind, Authorizer, Event> extends ApiSettings {
  readonly kind: Kind;
  readonly authorizer: Authorizer;
  readonly routes: readonly Route<Event>[];
}

interface HttpApi<Kind extends ApiKind, Authorizer, Event> extends ApiOf<Kind, Authorizer, Event> {
  readonly cors?: Cors;
}

/** `simpleResponses`: the authorizer answers `{ isAuthorized, context }` in place of a policy. */
type AuthorizerV2 = RequestAuthorizer<HttpAuthorizerEventV2> & { readonly simpleResponses?: boolean };

export type HttpApiV2 = HttpApi<'http-2.0', AuthorizerV2, HttpProxyEventV2>;
export type HttpApiV1 = HttpApi<'http-1.0', RequestAuthorizer<HttpAuthorizerEventV1>, HttpProxyEventV1>;
type RestAuthorizer = RequestAuthorizer<RestAuthorizerEvent> | TokenAuthorizer;
export type RestApi = ApiOf<'rest', RestAuthorizer, RestProxyEvent>;

export type Api = HttpApiV2 | HttpApiV1 | RestApi;

export interface WebSocketApi extends ApiSettings {
  readonly kind: 'websocket';
  /** Called at `$connect` only. There is no cache: its TTL is for HTTP APIs only (API_Authorizer). */
  readonly authorizer: Omit<RequestAuthorizer<WebSocketAuthorizerEvent>, 'resultTtlSeconds'>;
  /**
   * `$connect`, `$disconnect`, `$default`, and what the `action` of a message may be: the route selection
   * expression is `$request.body.action`. Each has a route response, so the body of an answer goes to the
   * client.
   */
  readonly routes: readonly Route<WebSocketEvent>[];
}
