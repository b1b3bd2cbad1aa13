import type { CredentialPlace } from '../credentials/credentials.ts';
import { CONNECT, GRAPHQL, type RouteRule, type TemplatePart } from './rule.ts';

/**
 * What a cached answer may rest on (SPEC section 10): API Gateway keeps an answer under the values of the identity
 * sources and gives it to every request that has the same ones. So whatever a decision takes from a request must be
 * among them, or the answer for one request is given to another.
 */

/**
 * One thing that a decision takes from a request, or that a key holds: `header:x-location`, `query:loc`, `path`, `verb`,
 * `routeKey`. The key may hold others, which no decision takes.
 */
export type CacheInput = string;

export const NO_INPUTS: readonly CacheInput[] = [];

/** How API Gateway caches the answers for one API. */
export interface ResultCache {
  /** Seconds for which it gives an answer again; 0: never. */
  readonly ttl: number;
  /** As they were told. */
  readonly identitySources: readonly string[];
  /** What these put into the key. */
  readonly key: ReadonlySet<CacheInput>;
}

/** By the id of the API; `default` is for every API that is not named. */
export type ResultCaches = ReadonlyMap<string, ResultCache>;

export const DEFAULT_CACHE = 'default';

const REQUEST_SOURCE =
  /^(?:\$request|method\.request|route\.request)\.(header|querystring)\.([\w.~!#$&'*+^`|:-]{1,128})$/;
const OTHER_SOURCE = /^\$?(context|stageVariables)\.([A-Za-z][\w.]{0,127})$/;

/** What the context variables hold that a decision takes. REST's `resourcePath` is a template and stands for no path. */
const VARIABLES: ReadonlyMap<string, CacheInput> = new Map([
  ['path', 'path'],
  ['httpMethod', 'verb'],
  ['routeKey', 'routeKey'],
]);

/**
 * What an identity source puts into the key; undefined for what is none. It takes the spellings of HTTP APIs
 * (`$request.header.X`, AG http-api-lambda-authorizer, "Identity sources"), REST APIs (`method.request.header.X`, AG
 * API_Authorizer) and WebSocket APIs (`route.request.header.X`). Header names are case-insensitive, others are not.
 */
export function readIdentitySource(text: string): CacheInput | undefined {
  const [, place, name = ''] = REQUEST_SOURCE.exec(text) ?? [];
  if (place !== undefined) return place === 'header' ? `header:${name.toLowerCase()}` : `query:${name}`;
  const [, kind, variable = ''] = OTHER_SOURCE.exec(text) ?? [];
  if (kind === undefined) return undefined;
  return (kind === 'context' ? VARIABLES.get(variable) : undefined) ?? `${kind}:${variable}`;
}

/** What the templates of a route take from the headers and the query. Claims are in the token. */
export const inputsOfRoute = ({ permission, scope }: Pick<RouteRule, 'permission' | 'scope'>) =>
  inputsIn(inputsIn(NO_INPUTS, permission), scope);

function inputsIn(before: readonly CacheInput[], parts: readonly TemplatePart[]): readonly CacheInput[] {
  let inputs = before;
  for (const part of parts)
    if (part.kind === 'header' || part.kind === 'query') inputs = [...inputs, `${part.kind}:${part.name}`];
  return inputs;
}

/**
 * What credentials are read from. All places count, also those in which a request has none: had it another token there,
 * it would be refused. A cookie is a part of the one header that holds them all.
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
 * What must be in the key for path and verb to be, where the answer names neither. The route key says both if it is the
 * request itself: `GET /docs`. With parameters, `$default` or `ANY`, it is one for many requests. The route key is asked
 * for beside the path, because it is not documented whether `$context.path` is decoded: `/a%2Fb` and `/a/b` may be one.
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

/** What an answer for a route rests on. */
export interface Resting {
  /** The places of the token, or none where the token is the key by nature (a REST `TOKEN` authorizer). */
  readonly credentials: readonly CacheInput[];
  /** Path and verb, or nothing where the answer is a policy that names them: that is evaluated for each request. */
  readonly path: readonly CacheInput[];
  readonly route: readonly CacheInput[];
}

/**
 * What an answer rests on and the key does not hold. Empty: the answer may be cached, or is not (TTL 0).
 *
 * @param cache undefined where nothing is known of it: then the key is the token, and there is a TTL
 */
export function outsideKey(
  { credentials, path, route }: Resting,
  cache: ResultCache | undefined,
): readonly CacheInput[] {
  if (cache?.ttl === 0) return NO_INPUTS;
  const isOutside = (input: CacheInput): boolean =>
    cache === undefined ? !credentials.includes(input) : !cache.key.has(input);
  return [...new Set([...credentials, ...path, ...route].filter(isOutside))];
}

/** Whether requests of such a rule come from a kind of API that caches. */
export const isCacheable = (method: string): boolean => method !== CONNECT && method !== GRAPHQL;
