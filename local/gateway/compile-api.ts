import { messageOf } from '../message-of.ts';
import type { Api, ApiKind, Cors, Route } from './api.ts';
import { type AuthorizationOptions, createAuthorization, type Verdict } from './authorize.ts';
import type { Grant } from './event-parts.ts';
import {
  httpAuthorizerEventV1,
  httpProxyEventV1,
  restAuthorizerEvent,
  restProxyEvent,
  tokenAuthorizerEvent,
} from './event-v1.ts';
import { httpAuthorizerEventV2, httpProxyEventV2 } from './event-v2.ts';
import { throughJson } from './http.ts';
import { isRestHeader, parseIdentitySource } from './identity-sources.ts';
import type { ApiSettings, MatchedRequest } from './request.ts';
import { bySpecificity, parseRouteKey, type RoutePattern } from './routes.ts';

export interface CompiledRoute extends RoutePattern {
  readonly integrate: (request: MatchedRequest, grant: Grant) => Promise<unknown>;
}

/** A checked API with its event formats bound: later code does not depend on the kind's events. */
export interface CompiledApi {
  readonly kind: ApiKind;
  readonly settings: ApiSettings;
  readonly cors: Cors | undefined;
  readonly routes: readonly CompiledRoute[];
  readonly authorize: (request: MatchedRequest) => Promise<Verdict>;
}

/** `authorizerResultTtlInSeconds` (AG API_Authorizer, apis-apiid-authorizers). */
const MAX_TTL_SECONDS = 3_600;

/**
 * "Timeout for Lambda authorizer response" (AG http-api-quotas); a REST API waits as for an integration (AG
 * limits).
 */
export const DEFAULT_TIMEOUT_MS = { http: 10_000, rest: 29_000 };

/**
 * An integration or authorizer bound to its event. Async, so that a synchronous exception becomes a
 * rejection.
 */
export const bind =
  <Event, Answer, Rest extends unknown[]>(
    call: (event: Event) => Promise<Answer>,
    make: (...rest: Rest) => Event,
  ) =>
  async (...rest: Rest): Promise<Answer> =>
    throughJson(await call(throughJson(make(...rest))));

function bindAuthorizer(api: Api): AuthorizationOptions['ask'] {
  if (api.kind === 'http-2.0') return bind(api.authorizer.invoke, httpAuthorizerEventV2);
  if (api.kind === 'http-1.0') return bind(api.authorizer.invoke, httpAuthorizerEventV1);
  const { authorizer } = api;
  if (authorizer.kind === 'REQUEST') return bind(authorizer.invoke, restAuthorizerEvent);
  return bind(authorizer.invoke, tokenAuthorizerEvent);
}

const bindRoutes = <Event>(
  routes: readonly Route<Event>[],
  make: (request: MatchedRequest, grant: Grant) => Event,
): CompiledRoute[] =>
  routes.map(({ key, integration }) => ({ ...parseRouteKey(key), integrate: bind(integration, make) }));

function routesOf(api: Api): CompiledRoute[] {
  if (api.kind === 'http-2.0') return bindRoutes(api.routes, httpProxyEventV2);
  if (api.kind === 'http-1.0') return bindRoutes(api.routes, httpProxyEventV1);
  return bindRoutes(api.routes, restProxyEvent);
}

function checkRoutes(kind: ApiKind, routes: readonly RoutePattern[]): void {
  const taken = new Set<string>();
  for (const { key, shape, verb } of routes) {
    if (kind === 'rest' && shape === '$default') throw new Error('a REST API has no $default route');
    if (taken.has(`${verb} ${shape}`)) throw new Error(`route "${key}" is declared twice`);
    taken.add(`${verb} ${shape}`);
  }
}

function checkAuthorizer({ authorizer }: Api): void {
  const { identitySources, resultTtlSeconds, timeoutMs } = authorizer;
  if (!Number.isInteger(resultTtlSeconds) || resultTtlSeconds < 0 || resultTtlSeconds > MAX_TTL_SECONDS) {
    throw new Error(`resultTtlSeconds is not a whole number from 0 to ${MAX_TTL_SECONDS}`);
  }
  if (resultTtlSeconds > 0 && identitySources.length === 0)
    throw new Error('caching needs at least one identity source');
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw new Error('timeoutMs is not above 0');
  if (authorizer.kind === 'TOKEN' && !(identitySources.length === 1 && identitySources.every(isRestHeader))) {
    throw new Error('a TOKEN authorizer has one identity source, method.request.header.<name>');
  }
}

/**
 * Checks what API Gateway checks when an API is created, so that a mistake shows at start and not as a 500.
 *
 * @throws Error that says what is wrong with it
 */
export function compileApi(api: Api, clock: () => number, maxCachedAnswers: number): CompiledApi {
  const { authorizer, basePath, kind } = api;
  if (!/^(\/[^/?#]+)*$/.test(basePath)) throw new Error(`basePath "${basePath}" is neither '' nor "/name"`);
  const routes = routesOf(api);
  checkRoutes(kind, routes);
  checkAuthorizer(api);
  return {
    kind,
    settings: api,
    cors: api.kind === 'rest' ? undefined : api.cors,
    routes: routes.sort(bySpecificity),
    authorize: createAuthorization({
      kind,
      simpleResponses: kind === 'http-2.0' && api.authorizer.simpleResponses === true,
      identitySources: authorizer.identitySources.map((expression) =>
        parseIdentitySource(authorizer.kind === 'TOKEN' ? 'rest-token' : kind, expression),
      ),
      ttlSeconds: authorizer.resultTtlSeconds,
      maxCachedAnswers,
      timeoutMs:
        authorizer.timeoutMs ?? (kind === 'rest' ? DEFAULT_TIMEOUT_MS.rest : DEFAULT_TIMEOUT_MS.http),
      ask: bindAuthorizer(api),
      clock,
    }),
  };
}

/** Adds the name of the API to what is thrown. */
export function named<Compiled>(name: string, compile: () => Compiled): Compiled {
  try {
    return compile();
  } catch (cause) {
    throw new Error(`API "${name}": ${messageOf(cause)}`, { cause });
  }
}
