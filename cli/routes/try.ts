import { prefetchedScopes, type Resolved, resolve } from '../../authorizer/routes/resolve.ts';
import { match, parameterOf, parametersOf, type RouteMatch } from '../../authorizer/routes/rule.ts';
import type { TemplatePart } from '../../table/route-template.ts';
import type { Route } from './routes.ts';

/** A request as somebody describes it. */
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
  /** What the request asks for; undefined when a value is missing or is none. */
  readonly question: Resolved | undefined;
  /** Scopes that its path names and that may stand above: prefetched, never trusted. */
  readonly prefetched: readonly string[];
  /** Why it is undefined: each value that does not fill its place. */
  readonly lacking: readonly string[];
}

/** Every route that fits the request, the one that counts first. */
export function fitting(routes: readonly Route[], method: string, path: string): readonly RouteMatch[] {
  const found: RouteMatch[] = [];
  let rules = routes.map(({ rule }) => rule);
  for (;;) {
    const best = match(rules, method, path);
    if (!best) return found;
    found.push(best);
    rules = rules.filter((rule) => rule !== best.rule);
  }
}

/** What the authorizer makes of a request, by its own code, and which other routes fit as well. */
export function tryRequest(
  routes: readonly Route[],
  request: TriedRequest,
): { readonly trial: Trial | undefined; readonly others: readonly Route[] } {
  const byId = new Map(routes.map((route) => [route.id, route]));
  const routeOf = ({ rule }: RouteMatch): readonly Route[] => {
    const route = byId.get(rule.id);
    return route ? [route] : [];
  };
  const [best, ...rest] = fitting(routes, request.method, request.path);
  const route = best && byId.get(best.rule.id);
  if (!route) return { trial: undefined, others: [] };
  return { trial: trialOf(route, best, request), others: rest.flatMap(routeOf) };
}

function trialOf(route: Route, found: RouteMatch, request: TriedRequest): Trial {
  const sources = {
    claims: request.claims,
    header: (name: string) => request.headers.get(name) ?? [],
    query: (name: string) => request.query.get(name) ?? [],
  };
  const question = resolve(found, sources);
  // A part by itself, asked of the same code, says which one it is that lacks its value.
  const isLacking = (part: TemplatePart): boolean =>
    resolve({ ...found, rule: { ...found.rule, permission: [part], scope: [part] } }, sources) === undefined;
  const parts = [...found.rule.permission, ...found.rule.scope].filter((part) => part.kind !== 'literal');
  const lacking = parts.filter(isLacking).map((part) => told(part, found, request));
  return {
    ...{ route, question, prefetched: question ? prefetchedScopes(found, question.scope) : [] },
    parameters: parametersOf(found),
    lacking: [...new Set(lacking)],
  };
}

const NO_VALUE = 'which is no name or id (letters, digits, dot, dash, underscore)';

/** Which value it is that does not fill its place, and how to give one. */
function told(
  part: Exclude<TemplatePart, { kind: 'literal' }>,
  found: RouteMatch,
  request: TriedRequest,
): string {
  const { kind, name } = part;
  if (kind === 'path') return `{${name}} is ${parameterOf(found, name)}, ${NO_VALUE}`;
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
  return `${place} is ${values[0]}, ${NO_VALUE}`;
}
