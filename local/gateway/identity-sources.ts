import type { ApiKind } from './api.ts';
import type { MatchedRequest } from './request.ts';

/** Reads one identity source from a request; undefined when the request does not carry it. */
export type IdentitySource = (request: MatchedRequest) => string | undefined;

type SourceKind = ApiKind | 'rest-token';

interface Grammar {
  readonly header: string;
  readonly query: string;
  readonly context: string;
  readonly stageVariable: string;
  readonly variables: ReadonlyMap<string, IdentitySource>;
  /** Combines several values of one name. */
  readonly combine: (values: readonly string[]) => string | undefined;
}

/** Who sent the request, as the events say (`$context.identity`, AG http-api-logging-variables). */
const callerVariables = (
  combine: Grammar['combine'],
): readonly (readonly [name: string, source: IdentitySource])[] => [
  ['identity.sourceIp', (request) => request.wire.sourceIp],
  ['identity.userAgent', ({ headers }) => combine(headers.get('user-agent')?.values ?? [])],
];

const joined: Grammar['combine'] = (values) => values.join(',');
const last: Grammar['combine'] = (values) => values.at(-1);

/**
 * Format 2.0 documents duplicates as joined by commas; 1.0 is assumed to do the same. Paths are as received;
 * `routeKey` is the template, so all ids of a route share a verdict.
 */
const HTTP: Grammar = {
  header: '$request.header.',
  query: '$request.querystring.',
  context: '$context.',
  stageVariable: '$stageVariables.',
  variables: new Map<string, IdentitySource>([
    ['routeKey', (request) => request.routeKey],
    ['path', (request) => request.path],
    ['httpMethod', (request) => request.wire.method],
    ['stage', (request) => request.settings.stage],
    ...callerVariables(joined),
  ]),
  combine: joined,
};

/** REST events have the last of several values; the cache key is assumed to use the same one. */
const REST: Grammar = {
  header: 'method.request.header.',
  query: 'method.request.querystring.',
  context: 'context.',
  stageVariable: 'stageVariables.',
  variables: new Map<string, IdentitySource>([
    ['path', (request) => request.path],
    ['resourcePath', (request) => request.resourcePath],
    ['httpMethod', (request) => request.wire.method],
    ['stage', (request) => request.settings.stage],
    ...callerVariables(last),
  ]),
  combine: last,
};

/**
 * AWS does not say which of several tokens a TOKEN authorizer gets. Here it gets all, joined by commas: an event of
 * one token would not show that there were others.
 */
const REST_TOKEN: Grammar = { ...REST, combine: HTTP.combine };

/** As REST with other names, and without verb and path. */
const WEBSOCKET: Grammar = {
  ...REST,
  header: 'route.request.header.',
  query: 'route.request.querystring.',
  variables: new Map<string, IdentitySource>([
    ['routeKey', (request) => request.routeKey],
    ['stage', (request) => request.settings.stage],
    ...callerVariables(last),
  ]),
};

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
export const isRestHeader = (expression: string): boolean => nameAfter(REST.header, expression) !== undefined;

/**
 * Reads a selection expression (HTTP: AG http-api-lambda-authorizer, "Identity sources"; REST: the
 * `identitySource` of API_Authorizer). Header names are case-insensitive, query names are not.
 *
 * @throws Error for an expression that this gateway or AWS does not support, such as path parameters
 */
export function parseIdentitySource(kind: SourceKind, expression: string): IdentitySource {
  const grammar = GRAMMARS[kind];
  const header = nameAfter(grammar.header, expression)?.toLowerCase();
  if (header) {
    return ({ headers }) => {
      const group = headers.get(header);
      return group && grammar.combine(group.values);
    };
  }
  const query = nameAfter(grammar.query, expression);
  if (query) {
    return (request) => {
      const values = request.query.get(query);
      return values && grammar.combine(values);
    };
  }
  const stageVariable = nameAfter(grammar.stageVariable, expression);
  if (stageVariable) return ({ settings }) => settings.stageVariables?.[stageVariable];
  const variable = grammar.variables.get(nameAfter(grammar.context, expression) ?? '');
  if (variable) return variable;
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
