import type { WebSocketApi } from './api.ts';
import { createAuthorization, type Verdict } from './authorize.ts';
import { bind, DEFAULT_TIMEOUT_MS } from './compile-api.ts';
import { parseIdentitySource } from './identity-sources.ts';
import { type GatewayResponse, readIntegrationResponse } from './responses.ts';
import { type ConnectRequest, type WebSocketEvent, webSocketAuthorizerEvent } from './websocket-events.ts';

/** Calls the backend of a route. Throws when it fails or its answer is malformed. */
export type Integrate = (event: WebSocketEvent) => Promise<GatewayResponse>;

/** A checked WebSocket API. */
export interface CompiledWebSocketApi {
  readonly settings: WebSocketApi;
  readonly routes: ReadonlyMap<string, Integrate>;
  readonly authorize: (request: ConnectRequest) => Promise<Verdict>;
}

/**
 * Checks what API Gateway checks when an API is created.
 *
 * @throws Error that says what is wrong with it
 */
export function compileWebSocketApi(api: WebSocketApi, clock: () => number): CompiledWebSocketApi {
  const { authorizer, basePath } = api;
  if (!/^(\/[^/?#]+)+$/.test(basePath)) throw new Error(`basePath "${basePath}" is not "/name"`);
  const routes = new Map<string, Integrate>();
  for (const { key, integration } of api.routes) {
    if (key === '' || (key.startsWith('$') && !['$connect', '$disconnect', '$default'].includes(key)))
      throw new Error(`route "${key}" is none of a WebSocket API`);
    if (routes.has(key)) throw new Error(`route "${key}" is declared twice`);
    const call = bind(integration, (event: WebSocketEvent) => event);
    routes.set(key, async (event) => readIntegrationResponse(await call(event)));
  }
  return {
    settings: api,
    routes,
    authorize: createAuthorization<ConnectRequest>({
      kind: 'websocket',
      simpleResponses: false,
      identitySources: authorizer.identitySources.map((source) => parseIdentitySource('websocket', source)),
      ttlSeconds: 0,
      maxCachedAnswers: 0,
      timeoutMs: authorizer.timeoutMs ?? DEFAULT_TIMEOUT_MS.rest,
      ask: bind(authorizer.invoke, webSocketAuthorizerEvent),
      clock,
    }),
  };
}
