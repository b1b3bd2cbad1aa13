import { idIn, match, type RouteRule, VERBS } from '../../authorizer/routes/rule.ts';
import { decoded } from '../../local/gateway/request.ts';
import type { Route } from '../../provisioning/index.ts';
import { closest } from '../../table/similar-words.ts';

/** A route that a request misses, and why. */
export interface Suggestion {
  readonly why: string;
  readonly route: Route;
}

const MAX_SUGGESTIONS = 5;

interface Request {
  readonly method: string;
  readonly path: string;
}

/** The routes that a request without a route probably meant. */
export function suggestRoutes(routes: readonly Route[], method: string, path: string): readonly Suggestion[] {
  const request = { method, path };
  const found = [
    ...corrected(routes, request),
    ...otherVerbs(routes, request),
    ...invalidValues(routes, request),
    ...otherBases(routes, request),
  ];
  const all = found.length > 0 ? found : similar(routes, request);
  const first = new Map(all.map((each) => [`${each.route.id} ${each.why}`, each]));
  return [...first.values()].slice(0, MAX_SUGGESTIONS);
}

/** The route that a request matches. */
function routeOf(routes: readonly Route[], { method, path }: Request): Route | undefined {
  const rules = routes.map(({ rule }) => rule);
  const found = match(rules, method, path);
  return found && routes[rules.indexOf(found.rule)];
}

/** What other software tolerates and the authorizer does not (ADR 0006). No request with one of these matches. */
const CORRECTIONS: readonly (readonly [why: string, correct: (request: Request) => Request])[] = [
  ['the path ends in a slash', ({ method, path }) => ({ method, path: path.replace(/\/+$/, '') || '/' })],
  ['the path holds a double slash', ({ method, path }) => ({ method, path: path.replace(/\/{2,}/g, '/') })],
  [
    'the path is percent-encoded, and nothing is decoded in the text of a route',
    ({ method, path }) => ({ method, path: decoded(path) }),
  ],
  ['the verb is not in upper case', ({ method, path }) => ({ method: method.toUpperCase(), path })],
];

const inLowerCase = (rule: RouteRule): RouteRule => ({
  ...rule,
  segments: rule.segments.map((segment) =>
    segment.kind === 'literal' ? { ...segment, text: segment.text.toLowerCase() } : segment,
  ),
});

/** The route that the request matches once it is written correctly. */
function corrected(routes: readonly Route[], given: Request): readonly Suggestion[] {
  const reasons: string[] = [];
  let request = given;
  for (const [why, correct] of CORRECTIONS) {
    const next = correct(request);
    if (next.path === request.path && next.method === request.method) continue;
    request = next;
    reasons.push(why);
  }
  const route = routeOf(routes, request);
  if (route) return [{ why: reasons.join('; '), route }];
  const folded = routes.map((each) => ({ ...each, rule: inLowerCase(each.rule) }));
  const other = routeOf(folded, { ...request, path: request.path.toLowerCase() });
  const original = routes.find(({ id }) => id === other?.id);
  return original ? [{ why: [...reasons, 'upper and lower case differ'].join('; '), route: original }] : [];
}

const otherVerbs = (routes: readonly Route[], { method, path }: Request): readonly Suggestion[] =>
  VERBS.filter((verb) => verb !== method.toUpperCase()).flatMap((verb) => {
    const route = routeOf(routes, { method: verb, path });
    return route ? [{ why: `the same path with ${verb}`, route }] : [];
  });

/** Routes that match except for values that are not valid. */
const invalidValues = (routes: readonly Route[], { method, path }: Request): readonly Suggestion[] =>
  routes.flatMap((route): readonly Suggestion[] => {
    const { segments } = route.rule;
    const invalid: string[] = [];
    const replaced = path
      .slice(1)
      .split('/')
      .map((text, position) => {
        const segment = segments[Math.min(position, segments.length - 1)];
        if (segment === undefined || segment.kind === 'literal' || idIn(text) !== undefined) return text;
        invalid.push(`{${segment.name}} is ${text === '' ? 'empty' : text}`);
        return 'x';
      });
    if (invalid.length === 0 || !match([route.rule], method, `/${replaced.join('/')}`)) return [];
    const why = `${invalid.join(', ')}: values are letters, digits and . _ ~ | @ = + -, and begin with a letter, digit or _`;
    return [{ why, route }];
  });

/** A base path has one segment or two, as `/v1` and `/api/v1`; a third is room for a stage. */
const MAX_BASE_SEGMENTS = 3;

/** Routes that match but for what the path of one side begins with: a base path, or a stage. */
function otherBases(routes: readonly Route[], { method, path }: Request): readonly Suggestion[] {
  const given = path.slice(1).split('/');
  return Array.from({ length: MAX_BASE_SEGMENTS }, (_, before) => before + 1).flatMap((length) => {
    const without = routes.flatMap((route): readonly Route[] => {
      const segments = route.rule.segments.slice(length);
      const isBase = route.rule.segments.slice(0, length).every(({ kind }) => kind === 'literal');
      return isBase && hasLiteral(segments) ? [{ ...route, rule: { ...route.rule, segments } }] : [];
    });
    const lacking = routeOf(without, { method, path });
    const route = routes.find(({ id }) => id === lacking?.id);
    const base = `/${given.slice(0, length).join('/')}`;
    const longer = routeOf(
      routes.filter(({ rule }) => hasLiteral(rule.segments)),
      { method, path: `/${given.slice(length).join('/')}` },
    );
    return [
      ...(route ? [{ why: `the path lacks the base path ${baseOf(route, length)}`, route }] : []),
      ...(longer
        ? [{ why: `the path begins with ${base}, a stage or base path that the route lacks`, route: longer }]
        : []),
    ];
  });
}

/** Parameters alone match whatever there is. */
const hasLiteral = (segments: RouteRule['segments']): boolean =>
  segments.some(({ kind }) => kind === 'literal');

const baseOf = ({ path }: Route, length: number): string =>
  path
    .split('/')
    .slice(0, length + 1)
    .join('/');

/** The route whose literals differ least. */
function similar(routes: readonly Route[], { method, path }: Request): readonly Suggestion[] {
  const given = path.slice(1).split('/');
  const texts = new Map<string, Route>();
  for (const route of routes) {
    const { segments } = route.rule;
    if (segments.length !== given.length || !['ANY', method].includes(route.method)) continue;
    const text = segments.map((segment, position) =>
      segment.kind === 'literal' ? segment.text : (given[position] ?? ''),
    );
    texts.set(`/${text.join('/')}`, route);
  }
  const route = texts.get(closest(path, texts.keys()) ?? '');
  return route ? [{ why: 'a similar path', route }] : [];
}
