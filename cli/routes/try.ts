import { prefetchedScopes, type Resolved, resolve } from '../../authorizer/routes/resolve.ts';
import { match, parameterOf, parametersOf, type RouteMatch } from '../../authorizer/routes/rule.ts';
import type { Route } from '../../provisioning/routes/route.ts';
import type { TemplatePart } from '../../table/route-template.ts';

/** A request as the options of `route test` describe it. */
export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  /** Values by name; of headers the names are in lower case. */
  readonly claims: Readonly<Record<string, string>>;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

export interface Trial {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
  /** The permission and scope that the request needs; undefined when a value is missing or not valid. */
  readonly question: Resolved | undefined;
  /** Scopes that its path names and that may be ancestors: prefetched, never trusted. */
  readonly prefetched: readonly string[];
  /** Why it is undefined: each value that is missing or not valid. */
  readonly missing: readonly string[];
}

interface Matched {
  readonly route: Route;
  readonly found: RouteMatch;
}

/** Every route that a request matches, in the order of precedence. */
function matching(routes: readonly Route[], request: TriedRequest): readonly Matched[] {
  const rules = routes.map(({ rule }) => rule);
  const found = match(rules, request.method, request.path);
  const route = found && routes[rules.indexOf(found.rule)];
  if (!route) return [];
  const rest = routes.filter((each) => each !== route);
  return [{ route, found }, ...matching(rest, request)];
}

/** What the authorizer makes of a request, and which other routes match it. */
export function tryRequest(
  routes: readonly Route[],
  request: TriedRequest,
): { readonly trial: Trial | undefined; readonly others: readonly Route[] } {
  const [best, ...others] = matching(routes, request);
  return { trial: best && trialOf(best, request), others: others.map(({ route }) => route) };
}

function trialOf({ route, found }: Matched, request: TriedRequest): Trial {
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
  const missing = parts.map((part) => describeMissing(part, found, request));
  return {
    ...{ route, question, prefetched: question ? prefetchedScopes(found, question.scope) : [] },
    parameters: parametersOf(found),
    missing: [...new Set(missing)],
  };
}

const INVALID = 'which is not an id, or in a permission not a name (letters, digits, dot, dash, underscore)';

/** Which value is missing or not valid, and how to give one. */
function describeMissing(part: TemplatePart, found: RouteMatch, request: TriedRequest): string {
  if (part.kind === 'literal') return '';
  const { kind, name } = part;
  if (kind === 'path') return `{${name}} is ${parameterOf(found, name)}, ${INVALID}`;
  const claim = Object.hasOwn(request.claims, name) ? request.claims[name] : undefined;
  const values =
    kind === 'claim'
      ? claim === undefined
        ? []
        : [claim]
      : ((kind === 'header' ? request.headers : request.query).get(name) ?? []);
  const place = `{${kind}:${name}}`;
  if (values.length === 0) return `${place} has no value: give one with --${kind} ${name}=VALUE`;
  if (new Set(values).size > 1) return `${place} has several values: ${values.join(', ')}`;
  return `${place} is ${values[0]}, ${INVALID}`;
}
