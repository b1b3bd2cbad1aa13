import type { ApiKind } from './api.ts';
import type { MatchedRequest } from './request.ts';

/** Reads one identity source from a request; undefined when the request does not carry it. */
export type IdentitySource = (request: MatchedRequest) => string | undefined;

type SourceKind = ApiKind | 'rest-token';

interface Grammar {
  /** Before `header.NAME` and `querystring.NAME`. */
  readonly request: string;
  /** Before `context.NAME` and `stageVariables.NAME`. */
  readonly own: '$' | '';
  /** Variables of the context beside those of the caller. */
  readonly variables: readonly string[];
  /** Combines several values of one name. */
  readonly combine: (values: readonly string[]) => string | undefined;
}

const VARIABLES: Readonly<Record<string, IdentitySource>> = {
  routeKey: (request) => request.routeKey,
  path: (request) => request.path,
  resourcePath: (request) => request.resourcePath,
  httpMethod: (request) => request.wire.method,
  stage: (request) => request.settings.stage,
};

const joined: Grammar['combine'] = (values) => values.join(',');
const last: Grammar['combine'] = (values) => values.at(-1);

/**
 * Format 2.0 documents duplicates as joined by commas; 1.0 is assumed to do the same. Paths are as received;
 * `routeKey` is the template, so all ids of a route share a verdict.
 */
const HTTP: Grammar = {
  request: '$request.',
  own: '$',
  variables: ['routeKey', 'path', 'httpMethod', 'stage'],
  combine: joined,
};

/** REST events have the last of several values; the cache key is assumed to use the same one. */
const REST: Grammar = {
  request: 'method.request.',
  own: '',
  variables: ['path', 'resourcePath', 'httpMethod', 'stage'],
  combine: last,
};

/**
 * AWS does not say which of several tokens a TOKEN authorizer gets. Here it gets all, joined by commas: an event of
 * one token would not show that there were others.
 */
const REST_TOKEN: Grammar = { ...REST, combine: HTTP.combine };

/** As REST with other names, and without verb and path. */
const WEBSOCKET: Grammar = { ...REST, request: 'route.request.', variables: ['routeKey', 'stage'] };

const GRAMMARS: Readonly<Record<SourceKind, Grammar>> = {
  'http-2.0': HTTP,
  'http-1.0': HTTP,
  rest: REST,
  'rest-token': REST_TOKEN,
  websocket: WEBSOCKET,
};

const nameAfter = (prefix: string, expression: string): string | undefined =>
  expression.startsWith(prefix) && expression.length > prefix.length
    ? expression.slice(prefix.length)
    : undefined;

/** Whether the expression reads a request header: the only source that a TOKEN authorizer may have. */
export const isRestHeader = (expression: string): boolean =>
  nameAfter(`${REST.request}header.`, expression) !== undefined;

/**
 * Reads a selection expression (HTTP: AG http-api-lambda-authorizer, "Identity sources"; REST: the
 * `identitySource` of API_Authorizer). Header names are case-insensitive, query names are not.
 *
 * @throws Error for an expression that this gateway or AWS does not support, such as path parameters
 */
export function parseIdentitySource(kind: SourceKind, expression: string): IdentitySource {
  const { request, own, variables, combine } = GRAMMARS[kind];
  const combined = (values: readonly string[] | undefined) => values && combine(values);
  const header = nameAfter(`${request}header.`, expression)?.toLowerCase();
  if (header) return ({ headers }) => combined(headers.get(header)?.values);
  const parameter = nameAfter(`${request}querystring.`, expression);
  if (parameter) return ({ query }) => combined(query.get(parameter));
  const stageVariable = nameAfter(`${own}stageVariables.`, expression);
  if (stageVariable) return ({ settings }) => settings.stageVariables?.[stageVariable];
  const variable = nameAfter(`${own}context.`, expression) ?? '';
  // Who sent the request, as the events say (`$context.identity`, AG http-api-logging-variables).
  if (variable === 'identity.sourceIp') return ({ wire }) => wire.sourceIp;
  if (variable === 'identity.userAgent')
    return ({ headers }) => combine(headers.get('user-agent')?.values ?? []);
  const source = variables.includes(variable) ? VARIABLES[variable] : undefined;
  if (source) return source;
  throw new Error(`identity source "${expression}" is not one that a ${kind} API can read`);
}

/**
 * The values of all identity sources, or undefined when one is missing or empty: then the answer is 401 and
 * the authorizer is not called (AG http-api-lambda-authorizer, API_Authorizer).
 */
export function readIdentity(
  sources: readonly IdentitySource[],
  request: MatchedRequest,
): string[] | undefined {
  const values = sources.map((source) => source(request) ?? '');
  return values.includes('') ? undefined : values;
}
