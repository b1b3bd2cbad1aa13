import type { ApiKind } from './api.ts';

/** The verbs that API Gateway routes, and that ANY matches (AG API_PutMethod). */
const VERBS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

type Segment =
  | { readonly form: 'literal'; readonly text: string }
  | { readonly form: 'parameter' | 'greedy'; readonly name: string };

export interface RoutePattern {
  readonly key: string;
  /** A verb or ANY. */
  readonly verb: string;
  /** '/pets/{id}' or '$default'. */
  readonly resourcePath: string;
  readonly segments: readonly Segment[];
  /** The path without parameter names: two routes of one shape are the same resource. */
  readonly shape: string;
}

const DEFAULT_KEY = '$default';
const RANK = { literal: 0, parameter: 1, greedy: 2 } as const;

function parseSegment(text: string, key: string): Segment {
  const variable = /^\{([\w.-]+)(\+?)\}$/.exec(text);
  if (variable?.[1]) return { form: variable[2] ? 'greedy' : 'parameter', name: variable[1] };
  if (/[{}]/.test(text))
    throw new Error(`route "${key}": a path variable is a whole segment, {name} or {name+}`);
  return { form: 'literal', text };
}

/**
 * Reads a route key: 'GET /pets/{id}', 'ANY /files/{proxy+}' or '$default' (AG http-api-develop-routes).
 *
 * @throws Error when the key is none of these, or its greedy variable is not at the end
 */
export function parseRouteKey(key: string): RoutePattern {
  if (key === DEFAULT_KEY) {
    return { key, verb: 'ANY', resourcePath: DEFAULT_KEY, segments: [], shape: DEFAULT_KEY };
  }
  const [, verb = '', resourcePath = ''] = /^(\S+) (\/\S*)$/.exec(key) ?? [];
  if (verb !== 'ANY' && !VERBS.has(verb))
    throw new Error(`route "${key}" is not "VERB /path" or "${DEFAULT_KEY}"`);
  const segments = resourcePath
    .slice(1)
    .split('/')
    .map((text) => parseSegment(text, key));
  if (segments.slice(0, -1).some((segment) => segment.form === 'greedy')) {
    throw new Error(`route "${key}": a greedy variable must be at the end of the path`);
  }
  const shape = segments
    .map((segment) => (segment.form === 'literal' ? `/${segment.text}` : `/{${segment.form}}`))
    .join('');
  return { key, verb, resourcePath, segments, shape };
}

const isGreedy = (route: RoutePattern): boolean => route.segments.at(-1)?.form === 'greedy';

/**
 * Sorts routes so that the first match is the one API Gateway selects: full matches, then greedy ones, then
 * $default (AG http-api-develop-routes); within these, from the left, literal segments before variables, and
 * a verb before ANY.
 *
 * AWS does not document the order of 'GET /a/{id}' and 'ANY /a/b': here the path decides before the verb.
 */
export function bySpecificity(a: RoutePattern, b: RoutePattern): number {
  const byDefault = Number(a.key === DEFAULT_KEY) - Number(b.key === DEFAULT_KEY);
  const byGreed = Number(isGreedy(a)) - Number(isGreedy(b));
  if (byDefault || byGreed) return byDefault || byGreed;
  for (const [index, segment] of a.segments.entries()) {
    const other = b.segments[index];
    const byForm = other ? RANK[segment.form] - RANK[other.form] : 0;
    if (byForm) return byForm;
  }
  // Comparing lengths makes the order total; routes of different lengths never match the same path.
  return a.segments.length - b.segments.length || Number(a.verb === 'ANY') - Number(b.verb === 'ANY');
}

/**
 * The path is compared as it was received: '/pets', '/pets/' and '/p%65ts' are three paths, and a variable
 * takes at least one character. AWS documents neither the trailing slash nor encoded literals.
 */
function matchPath(route: RoutePattern, segments: readonly string[]): Record<string, string> | undefined {
  if (route.key === DEFAULT_KEY) return {};
  if (isGreedy(route) ? segments.length < route.segments.length : segments.length !== route.segments.length) {
    return undefined;
  }
  const parameters: [name: string, value: string][] = [];
  for (const [index, expected] of route.segments.entries()) {
    const given = expected.form === 'greedy' ? segments.slice(index).join('/') : segments[index];
    if (expected.form === 'literal') {
      if (given !== expected.text) return undefined;
    } else {
      if (!given) return undefined;
      parameters.push([expected.name, given]);
    }
  }
  return Object.fromEntries(parameters);
}

/**
 * The route for a request, out of routes sorted by `bySpecificity`.
 *
 * An HTTP API selects among routes that have the verb. A REST API selects the resource by its path, then the
 * method on it: a resource without the method is an error even where a greedy one would have taken the verb.
 */
export function matchRoute<R extends RoutePattern>(
  kind: ApiKind,
  routes: readonly R[],
  verb: string,
  path: string,
) {
  if (!VERBS.has(verb)) return undefined;
  const segments = path.slice(1).split('/');
  const takesVerb = (route: R): boolean => route.verb === verb || route.verb === 'ANY';
  const resource = kind === 'rest' ? routes.find((route) => matchPath(route, segments))?.shape : undefined;
  for (const route of routes) {
    if (!takesVerb(route) || (kind === 'rest' && route.shape !== resource)) continue;
    const pathParameters = matchPath(route, segments);
    if (pathParameters) return { route, pathParameters };
  }
  return undefined;
}
