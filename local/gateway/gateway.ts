import { randomUUID } from 'node:crypto';
import { defined } from '../../table/defined.ts';
import { messageOf } from '../message-of.ts';
import type { Api, ApiKind } from './api.ts';
import type { AnswerSource } from './authorize.ts';
import { type CompiledApi, compileApi, named } from './compile-api.ts';
import { preflightAnswer, withCors } from './cors.ts';
import {
  atApi,
  type GatewayRequest,
  groupHeaders,
  headerBytes,
  MAX_HEADER_BYTES,
  MAX_METHOD_ARN_BYTES,
  type MatchedRequest,
  methodArn,
  splitTarget,
} from './request.ts';
import { type GatewayResponse, type Refusal, readIntegrationResponse, refuse } from './responses.ts';
import { matchRoute } from './routes.ts';

/** One line of the access log (AG http-api-logging-variables), without headers, tokens and query. */
export interface GatewayLogEntry {
  readonly api: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly routeKey?: string;
  readonly authorizer?: AnswerSource;
  /** Why the authorizer or the backend failed; never sent to the client. */
  readonly error?: string;
}

/** Calls `serve` for a request: what happens there, its log entry included, happens within the request. */
export type Within = <Result>(
  request: Pick<GatewayLogEntry, 'api' | 'method' | 'path'>,
  serve: () => Promise<Result>,
) => Promise<Result>;

/** Who takes notice of the requests of a gateway. */
export interface GatewayObservation {
  readonly log?: (entry: GatewayLogEntry) => void;
  readonly within?: Within;
}

export interface GatewayOptions extends GatewayObservation {
  readonly apis: readonly Api[];
  /** Epoch milliseconds; cached answers age by it. */
  readonly clock: () => number;
  /** Cached answers per authorizer; 10,000 by default. */
  readonly maxCachedAnswers?: number;
}

export type Gateway = (request: GatewayRequest) => Promise<GatewayResponse>;

/**
 * The source of the authorizer's answer, to observe the cache. API Gateway has no such header.
 */
export const ANSWER_SOURCE_HEADER = 'x-gatehouse-authorizer';

const DEFAULT_MAX_CACHED_ANSWERS = 10_000;

/** The API with the longest base path that matches. */
function findApi(apis: readonly CompiledApi[], path: string): CompiledApi | undefined {
  return apis.find(({ settings: { basePath } }) => path === basePath || path.startsWith(`${basePath}/`));
}

/**
 * The verb for routing: REST APIs honour X-HTTP-Method-Override. Unknown verbs are refused, so no other value
 * of that header gets into an ARN.
 */
function routedVerb(kind: ApiKind, request: GatewayRequest, headers: MatchedRequest['headers']): string {
  const override = kind === 'rest' ? headers.get('x-http-method-override')?.values.at(-1) : undefined;
  return override ?? request.method;
}

type Outcome = Pick<GatewayLogEntry, 'routeKey' | 'authorizer' | 'error'> & {
  readonly response: GatewayResponse;
};

/**
 * A gateway that behaves as API Gateway is documented to: routes, event formats, identity sources, result
 * cache, policy evaluation and status codes. Several APIs share it, each under the base path that stands for
 * its host.
 *
 * AWS does not document the order of the checks; here it is size, route, length of the ARN, authorizer.
 *
 * @throws Error when an API is not one that API Gateway would create
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, log, within = alone, maxCachedAnswers = DEFAULT_MAX_CACHED_ANSWERS } = options;
  const apis = options.apis
    .map((api) => named(api.name, () => compileApi(api, clock, maxCachedAnswers)))
    .sort((a, b) => b.settings.basePath.length - a.settings.basePath.length);
  if (new Set(apis.map(({ settings }) => settings.basePath)).size < apis.length) {
    throw new Error('two APIs have the same base path');
  }

  async function serve(api: CompiledApi, wire: GatewayRequest, requestId: string): Promise<Outcome> {
    const { cors } = api;
    if (cors === undefined) return route(api, wire, requestId);
    const headers = groupHeaders(wire.headers);
    const preflight = preflightAnswer(cors, wire.method, headers);
    if (preflight) return { response: preflight };
    const outcome = await route(api, wire, requestId);
    return { ...outcome, response: withCors(cors, headers, outcome.response) };
  }

  async function route(api: CompiledApi, wire: GatewayRequest, requestId: string): Promise<Outcome> {
    const refused = (refusal: Refusal): Outcome => ({ response: refuse(api.kind, refusal) });
    if (headerBytes(wire) > MAX_HEADER_BYTES) return refused('headers-too-large');
    if (wire.body === undefined) return refused('body-too-large');

    const received = atApi(api.settings, wire);
    const verb = routedVerb(api.kind, wire, received.headers);
    const match = matchRoute(api.kind, api.routes, verb, received.path);
    if (!match) return refused('not-found');
    const arn = methodArn(api.settings, verb, received.path);
    if (Buffer.byteLength(arn) > MAX_METHOD_ARN_BYTES) return refused('arn-too-long');

    const { route, pathParameters } = match;
    const request: MatchedRequest = {
      ...received,
      routeKey: route.key,
      resourcePath: route.resourcePath,
      pathParameters,
      arn,
      requestId,
      receivedAt: clock(),
    };
    const verdict = await api.authorize(request);
    const called = { routeKey: route.key, authorizer: verdict.source };
    if (!verdict.allowed)
      return { ...called, ...refused(verdict.refusal), ...defined({ error: verdict.error }) };
    try {
      return { ...called, response: readIntegrationResponse(await route.integrate(request, verdict)) };
    } catch (error) {
      return { ...called, ...refused('integration-fault'), error: messageOf(error) };
    }
  }

  return (wire) => {
    const { path } = splitTarget(wire.target);
    const api = findApi(apis, path);
    const request = { api: api?.settings.name ?? '', method: wire.method, path };
    return within(request, async () => {
      const requestId = randomUUID();
      // No API under this path: on AWS there would be no such host.
      const { response, ...details }: Outcome = api
        ? await serve(api, wire, requestId)
        : { response: refuse('http-2.0', 'not-found') };
      log?.({ ...request, requestId, status: response.statusCode, ...details });
      if (details.authorizer === undefined) return response;
      return { ...response, headers: { ...response.headers, [ANSWER_SOURCE_HEADER]: details.authorizer } };
    });
  };
}

export const alone: Within = (_, serve) => serve();
