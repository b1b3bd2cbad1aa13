import { prefetchedScopes, type Resolved, resolve } from './resolve.ts';
import {
  match,
  parameterOf,
  parametersOf,
  pathOf,
  type RouteMatch,
  type RouteRule,
  type TemplatePart,
} from './rule.ts';

/** A request as a person describes it. */
export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  /** Values by name; of headers the names are in lower case. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

/** Headers or parameters with all values that each has. */
export function valuesByName(
  pairs: Iterable<readonly [string, string]>,
): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  return all;
}

/** A value that a route takes from a request, and that is missing or not valid. */
export interface MissingValue {
  readonly kind: 'path' | 'claim' | 'header' | 'query';
  readonly name: string;
  /** What is wrong with it, for people: `{claim:tenant} has no value`. */
  readonly message: string;
  /** Whether there is no value at all. */
  readonly isAbsent: boolean;
}

export interface Trial<Route> {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
  /** What conditions see as `context.path`. */
  readonly path: string;
  /** The permission and scope that the request needs; undefined when a value is missing or not valid. */
  readonly question: Resolved | undefined;
  /** Scopes that its path names and that may be ancestors: prefetched, never trusted. */
  readonly prefetched: readonly string[];
  /** Why it is undefined: each value that is missing or not valid. */
  readonly missing: readonly MissingValue[];
}

/** A route of whatever form, with the rule that the authorizer matches. */
interface WithRule {
  readonly rule: RouteRule;
}

interface Matched<Route> {
  readonly route: Route;
  readonly found: RouteMatch;
}

/** Every route that a request matches, in the order of precedence. */
function matching<Route extends WithRule>(
  routes: readonly Route[],
  request: TriedRequest,
): readonly Matched<Route>[] {
  const rules = routes.map(({ rule }) => rule);
  const found = match(rules, request.method, request.path);
  const route = found && routes[rules.indexOf(found.rule)];
  if (!route) return [];
  const rest = routes.filter((each) => each !== route);
  return [{ route, found }, ...matching(rest, request)];
}

/** What the authorizer makes of a request, and which other routes match it. */
export function tryRequest<Route extends WithRule>(
  routes: readonly Route[],
  request: TriedRequest,
): { readonly trial: Trial<Route> | undefined; readonly others: readonly Route[] } {
  const [best, ...others] = matching(routes, request);
  return { trial: best && trialOf(best, request), others: others.map(({ route }) => route) };
}

function trialOf<Route>({ route, found }: Matched<Route>, request: TriedRequest): Trial<Route> {
  const sources = {
    claims: request.claims,
    header: (name: string) => request.headers.get(name) ?? [],
    query: (name: string) => request.query.get(name) ?? [],
  };
  const question = resolve(found, sources);
  // Resolving each part alone shows which one has no value.
  const isMissing = (of: 'permission' | 'scope') => (part: TemplatePart) =>
    part.kind !== 'literal' &&
    resolve({ ...found, rule: { ...found.rule, permission: [], scope: [], [of]: [part] } }, sources) ===
      undefined;
  const parts = (['permission', 'scope'] as const).flatMap((of) => found.rule[of].filter(isMissing(of)));
  const missing = new Map(
    parts
      .flatMap((part) => (part.kind === 'literal' ? [] : [describeMissing(part, found, request)]))
      .map((each) => [each.message, each]),
  );
  return {
    route,
    question,
    prefetched: question ? prefetchedScopes(found, question.scope) : [],
    parameters: parametersOf(found),
    path: pathOf(found),
    missing: [...missing.values()],
  };
}

const INVALID = 'which is not an id, or in a permission not a name (letters, digits, dot, dash, underscore)';

/** Which value is missing or not valid. */
function describeMissing(
  { kind, name }: Exclude<TemplatePart, { readonly kind: 'literal' }>,
  found: RouteMatch,
  { claims, headers, query }: TriedRequest,
): MissingValue {
  const invalid = (message: string): MissingValue => ({ kind, name, message, isAbsent: false });
  if (kind === 'path') return invalid(`{${name}} is ${parameterOf(found, name)}, ${INVALID}`);
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const values =
    kind === 'claim'
      ? claim === undefined
        ? []
        : [typeof claim === 'string' ? claim : JSON.stringify(claim)]
      : ((kind === 'header' ? headers : query).get(name) ?? []);
  const place = `{${kind}:${name}}`;
  if (values.length === 0) return { kind, name, message: `${place} has no value`, isAbsent: true };
  if (new Set(values).size > 1) return invalid(`${place} has several values: ${values.join(', ')}`);
  return invalid(`${place} is ${values[0]}, ${INVALID}`);
}
