import type {
  HttpAuthorizerEventV1,
  HttpAuthorizerEventV2,
  HttpProxyEventV1,
  HttpProxyEventV2,
  RestAuthorizerEvent,
  RestProxyEvent,
  TokenAuthorizerEvent,
  WebSocketAuthorizerEvent,
  WebSocketEvent,
} from './event-shapes.ts';

/** HTTP API with payload format 2.0 or 1.0, REST API, WebSocket API. */
export type ApiKind = 'http-2.0' | 'http-1.0' | 'rest' | 'websocket';

/** Settings of every kind of API. */
export interface ApiSettings {
  readonly name: string;
  /** Replaces the API's own host name and is stripped before routing; '' makes the API the fallback. */
  readonly basePath: string;
  readonly stage: string;
  readonly apiId: string;
  readonly accountId: string;
  readonly region: string;
  readonly stageVariables?: Readonly<Record<string, string>>;
}

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

export interface HttpApiV2 extends ApiSettings {
  readonly cors?: Cors;
  readonly kind: 'http-2.0';
  /** `simpleResponses`: the authorizer answers `{ isAuthorized, context }` in place of a policy. */
  readonly authorizer: RequestAuthorizer<HttpAuthorizerEventV2> & { readonly simpleResponses?: boolean };
  readonly routes: readonly Route<HttpProxyEventV2>[];
}

export interface HttpApiV1 extends ApiSettings {
  readonly cors?: Cors;
  readonly kind: 'http-1.0';
  readonly authorizer: RequestAuthorizer<HttpAuthorizerEventV1>;
  readonly routes: readonly Route<HttpProxyEventV1>[];
}

export interface RestApi extends ApiSettings {
  readonly kind: 'rest';
  readonly authorizer: RequestAuthorizer<RestAuthorizerEvent> | TokenAuthorizer;
  readonly routes: readonly Route<RestProxyEvent>[];
}

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
