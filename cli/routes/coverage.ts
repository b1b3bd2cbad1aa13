import { match, type RouteRule, type Segment, VERBS } from '../../authorizer/routes/rule.ts';
import { pathProblem, type Route } from '../../provisioning/index.ts';
import { parsePathTemplate, routeShape } from '../../table/route-template.ts';

/** An operation of an API: a verb in upper case or ANY, and a path template. */
export interface Operated {
  readonly method: string;
  readonly path: string;
}

/** How the rules of an API cover one operation. */
export type Coverage =
  | { readonly kind: 'covered'; readonly routes: readonly Route[] }
  /** By rules for other paths: a catch-all, or a parameter where the operation has a literal. */
  | { readonly kind: 'loose'; readonly routes: readonly Route[] }
  | { readonly kind: 'uncovered'; readonly routes: readonly Route[]; readonly why: string };

/** A value that equals no literal of a rule. */
const ANY_VALUE = '0-any-value-0';

/** Sample paths that a template matches: for `{rest+}`, of every depth at which a rule could end, and one more. */
function pathsOf(segments: readonly Segment[], depth: number): readonly string[] {
  const head = segments.flatMap((segment) => {
    if (segment.kind === 'rest') return [];
    return [segment.kind === 'literal' ? segment.text : ANY_VALUE];
  });
  const isGreedy = segments.length > head.length;
  const tails = isGreedy ? Math.max(1, depth + 1 - head.length) : 1;
  return Array.from(
    { length: tails },
    (_, position) => `/${[...head, ...Array(isGreedy ? position + 1 : 0).fill(ANY_VALUE)].join('/')}`,
  );
}

const verbsOf = (method: string): readonly string[] => (method === 'ANY' ? VERBS : [method]);
const depthOf = (rules: readonly RouteRule[]): number =>
  Math.max(0, ...rules.map(({ segments }) => segments.length));

/** Finds the rules for the requests of an operation with the authorizer's own matching. */
export function coverageOf(routes: readonly Route[], { method, path }: Operated): Coverage {
  const problem = pathProblem(path);
  if (problem !== undefined)
    return { kind: 'uncovered', routes: [], why: `no rule can cover it: the path ${problem}` };
  const segments = parsePathTemplate(path, 'path');
  const rules = routes.map(({ rule }) => rule);
  const found = new Set<RouteRule>();
  const missed: string[] = [];
  for (const verb of verbsOf(method))
    for (const sample of pathsOf(segments, depthOf(rules))) {
      const best = match(rules, verb, sample);
      if (best) found.add(best.rule);
      else missed.push(verb);
    }
  const covering = routes.filter(({ rule }) => found.has(rule));
  if (missed.length > 0) {
    const verbs = [...new Set(missed)].join(', ');
    const partly = method === 'ANY' ? `no rule covers ${verbs}` : 'rules cover a part of it only';
    return { kind: 'uncovered', routes: covering, why: covering.length > 0 ? partly : 'no rule covers it' };
  }
  const isOwn = (route: Route) => routeShape(route.path, 'path') === routeShape(path, 'path');
  return { kind: covering.every(isOwn) ? 'covered' : 'loose', routes: covering };
}

const NOTHING: ReadonlySet<string> = new Set();

/** The rules that no request to one of the operations matches. */
export function unusedRoutes(
  routes: readonly Route[],
  operations: readonly Operated[],
  coverages: readonly Coverage[],
): readonly Route[] {
  const used = new Set(coverages.flatMap((coverage) => coverage.routes));
  const rules = routes.map(({ rule }) => rule);
  // A rule for one value of an operation's parameter belongs to that operation.
  const asRules = operations.flatMap(({ method, path }, position): readonly RouteRule[] =>
    pathProblem(path) === undefined
      ? [
          {
            id: String(position),
            method,
            segments: parsePathTemplate(path, 'path'),
            permission: [],
            scope: [],
            bound: NOTHING,
          },
        ]
      : [],
  );
  const isMet = ({ rule }: Route): boolean =>
    verbsOf(rule.method).some((verb) =>
      pathsOf(rule.segments, 0).some(
        (sample) => match(asRules, verb, sample) && match(rules, verb, sample)?.rule === rule,
      ),
    );
  return routes.filter((route) => !used.has(route) && !isMet(route));
}
