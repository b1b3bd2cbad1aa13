import type { HttpAnswer } from './configuration.ts';
import type { CredentialPlace } from './credentials/credentials.ts';
import { parseMethodArn, verbOf } from './events/arn.ts';
import type { GatewayRequest } from './events/request.ts';
import {
  type CacheInput,
  DEFAULT_CACHE,
  inputsOfConditions,
  inputsOfCredentials,
  inputsOfPath,
  inputsOfRoute,
  NO_INPUTS,
  outsideKey,
  type ResultCaches,
} from './routes/cache-key.ts';
import type { RouteRule } from './routes/rule.ts';

export interface OutsideKeyOptions {
  readonly resultCaches: ResultCaches;
  readonly credentialsFrom: readonly CredentialPlace[];
  readonly httpAnswer: HttpAnswer;
}

/**
 * The inputs of the answer to a request that are not in the cache key: those of any answer to it, those of the
 * rule, and those of the conditions that decided, by what they use (`context.ip`).
 */
export type OutsideKey = (
  request: GatewayRequest,
  rule?: RouteRule,
  uses?: readonly string[],
) => readonly CacheInput[];

const NO_USES: readonly string[] = [];

/** How API Gateway caches the answers of the API that is called; undefined where nobody said it. */
const resultCacheOf = (resultCaches: ResultCaches, api: string | undefined) =>
  resultCaches.get(api ?? DEFAULT_CACHE) ?? resultCaches.get(DEFAULT_CACHE);

/** Whether API Gateway may answer other requests with the answer to this one. */
export const createIsCached =
  (resultCaches: ResultCaches) =>
  ({ arn }: Pick<GatewayRequest, 'arn'>): boolean =>
    resultCacheOf(resultCaches, parseMethodArn(arn)?.api)?.ttl !== 0;

/** Answers to WebSocket APIs are never cached, nor are those to AppSync (`ttlOverride: 0`). */
export function createOutsideKey(options: OutsideKeyOptions): OutsideKey {
  const { resultCaches, credentialsFrom, httpAnswer } = options;
  const isAnyCached =
    !resultCaches.has(DEFAULT_CACHE) || [...resultCaches.values()].some(({ ttl }) => ttl > 0);
  if (!isAnyCached) return () => NO_INPUTS;
  const http = inputsOfCredentials(credentialsFrom, 'http');
  const credentials = {
    http,
    'http-1.0': http,
    'rest-request': inputsOfCredentials(credentialsFrom, 'rest'),
    'rest-token': NO_INPUTS,
  };
  return (request, rule, uses = NO_USES) => {
    const { kind } = request;
    if (kind === 'websocket' || kind === 'appsync') return NO_INPUTS;
    const called = parseMethodArn(request.arn);
    const cache = resultCacheOf(resultCaches, called?.api);
    if (cache?.ttl === 0) return NO_INPUTS;
    const isPolicy = kind !== 'http' || httpAnswer === 'policy';
    const isNamed = isPolicy && called?.path === request.path && verbOf(called.verb) === request.method;
    return outsideKey(
      {
        credentials: credentials[kind],
        path: isNamed ? NO_INPUTS : inputsOfPath(request.routeKey, request.method, request.path),
        route: rule === undefined ? NO_INPUTS : inputsOfRoute(rule),
        conditions: inputsOfConditions(uses),
      },
      cache,
    );
  };
}
