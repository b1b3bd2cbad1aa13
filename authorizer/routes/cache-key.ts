import type { CredentialPlace } from '../credentials/credentials.ts';
import { isConnection, type RouteRule, type TemplatePart } from './rule.ts';

// What a cached answer may depend on (ADR 0017). API Gateway caches an answer under the values of the
// identity sources and reuses it for every request with the same values. So every input of a decision must be
// in that key: otherwise the answer to one request is given to another.

/**
 * An input that a decision takes from a request, or a part of the cache key: `header:x-location`,
 * `query:loc`, `path`, `verb`, `routeKey`, `ip`, `userAgent`. A key may contain others, which no decision
 * uses; and no key contains `time` and `context`, which decisions may use.
 */
export type CacheInput = string;

export const NO_INPUTS: readonly CacheInput[] = [];

/** How API Gateway caches the answers for one API. */
export interface ResultCache {
  /** Seconds for which an answer is cached; 0: not at all. */
  readonly ttl: number;
  /** As configured. */
  readonly identitySources: readonly string[];
  /** The cache key that follows from the identity sources. */
  readonly key: ReadonlySet<CacheInput>;
}

/** By API id; `default` is for all other APIs. */
export type ResultCaches = ReadonlyMap<string, ResultCache>;

export const DEFAULT_CACHE = 'default';

const REQUEST_SOURCE =
  /^(?:\$request|method\.request|route\.request)\.(header|querystring)\.([\w.~!#$&'*+^`|:-]{1,128})$/;
const OTHER_SOURCE = /^\$?(context|stageVariables)\.([A-Za-z][\w.]{0,127})$/;

/**
 * Context variables that contain an input. Not `resourcePath` of REST APIs, which is a template and not the
 * path.
 */
const VARIABLES: ReadonlyMap<string, CacheInput> = new Map([
  ['path', 'path'],
  ['httpMethod', 'verb'],
  ['routeKey', 'routeKey'],
  ['identity.sourceIp', 'ip'],
  ['identity.userAgent', 'userAgent'],
]);

/**
 * The part of the cache key for an identity source; undefined for a malformed one. Accepts the spellings of
 * HTTP APIs (`$request.header.X`, AG http-api-lambda-authorizer, "Identity sources"), REST APIs
 * (`method.request.header.X`, AG API_Authorizer) and WebSocket APIs (`route.request.header.X`). Only header
 * names are case-insensitive.
 */
export function readIdentitySource(text: string): CacheInput | undefined {
  const [, place, name = ''] = REQUEST_SOURCE.exec(text) ?? [];
  if (place !== undefined) return place === 'header' ? `header:${name.toLowerCase()}` : `query:${name}`;
  const [, kind, variable = ''] = OTHER_SOURCE.exec(text) ?? [];
  if (kind === undefined) return undefined;
  return (kind === 'context' ? VARIABLES.get(variable) : undefined) ?? `${kind}:${variable}`;
}

/** The headers and query parameters that a route's templates use. Claims are part of the token. */
export const inputsOfRoute = ({ permission, scope }: Pick<RouteRule, 'permission' | 'scope'>) =>
  inputsIn(inputsIn(NO_INPUTS, permission), scope);

function inputsIn(before: readonly CacheInput[], parts: readonly TemplatePart[]): readonly CacheInput[] {
  let inputs = before;
  for (const part of parts)
    if (part.kind === 'header' || part.kind === 'query') inputs = [...inputs, `${part.kind}:${part.name}`];
  return inputs;
}

/**
 * What conditions use of the request and no other answer rests on, with the inputs that hold it. The rest is
 * in the key already, or constant: path, verb and the credential, which holds the claims, are inputs of every
 * answer; `action.name` follows from the permission; and the authorizer passes no other properties.
 */
const INPUTS_OF_CONTEXT: ReadonlyMap<string, CacheInput> = new Map([
  ['context.ip', 'ip'],
  ['context.userAgent', 'userAgent'],
  ['context.time', 'time'],
  // The whole of it, time included.
  ['context', 'context'],
]);

/** @param uses what conditions look at, such as `context.ip` */
export const inputsOfConditions = (uses: readonly string[]): readonly CacheInput[] =>
  uses.flatMap((use) => INPUTS_OF_CONTEXT.get(use) ?? []);

/**
 * The inputs from which credentials are read. All configured places count, even those that are empty in a
 * request: a second token there would be refused. Cookies count as the Cookie header.
 */
export const inputsOfCredentials = (
  places: readonly CredentialPlace[],
  api: 'http' | 'rest',
): readonly CacheInput[] =>
  places
    .filter((place) => place.api === undefined || place.api === api)
    .map(({ place, name }) =>
      place === 'query' ? `query:${name}` : place === 'cookie' ? 'header:cookie' : 'header:authorization',
    );

/**
 * The inputs that determine path and verb, for an answer that names neither. A route key such as `GET /docs`
 * determines both; one with parameters, `$default` or `ANY` stands for many requests. The route key is
 * required besides the path because it is not documented whether `$context.path` is decoded: `/a%2Fb` and
 * `/a/b` might be the same.
 */
export function inputsOfPath(
  routeKey: string | undefined,
  method: string,
  path: string,
): readonly CacheInput[] {
  const [verb, template] = routeKey?.split(' ', 2) ?? [];
  if (template !== path || path.includes('{')) return ['routeKey', 'path', 'verb'];
  return verb === method ? ['routeKey'] : ['routeKey', 'verb'];
}

/** The inputs of an answer. */
export interface AnswerInputs {
  /** The places of the token; none for a REST `TOKEN` authorizer, where the token is always the key. */
  readonly credentials: readonly CacheInput[];
  /**
   * Path and verb; none if the answer is a policy that names them, because it is evaluated for each request.
   */
  readonly path: readonly CacheInput[];
  readonly route: readonly CacheInput[];
  /** Of the conditions that decided; none while they are not known. */
  readonly conditions: readonly CacheInput[];
}

/**
 * The inputs of an answer that are not in the cache key. If empty, the answer may be cached, or is never
 * cached (TTL 0).
 *
 * @param cache undefined if unknown: the answer then counts as cached by the token
 */
export function outsideKey(
  { credentials, path, route, conditions }: AnswerInputs,
  cache: ResultCache | undefined,
): readonly CacheInput[] {
  if (cache?.ttl === 0) return NO_INPUTS;
  const isOutside = (input: CacheInput): boolean =>
    cache === undefined ? !credentials.includes(input) : !cache.key.has(input);
  return [...new Set([...credentials, ...path, ...route, ...conditions].filter(isOutside))];
}

/** Whether answers to a rule with this method may be cached: not for WebSocket APIs and AppSync. */
export const isCacheable = (method: string): boolean => !isConnection(method);
