import { isValue, match, type RouteRule, VERBS } from '../../authorizer/routes/rule.ts';
import { nearest } from '../suggest.ts';
import type { Route } from './routes.ts';

/** A route that a request misses, and by what. */
export interface Near {
  readonly why: string;
  readonly route: Route;
}

const MAX_NEAR = 5;

/** Which routes a request that none fits has probably meant. */
export function nearRoutes(routes: readonly Route[], method: string, path: string): readonly Near[] {
  const found = [
    ...mended(routes, method, path),
    ...otherVerbs(routes, method, path),
    ...valuesThatAreNone(routes, method, path),
  ];
  const all = found.length > 0 ? found : similar(routes, method, path);
  const first = new Map(all.map((near) => [`${near.route.id} ${near.why}`, near]));
  return [...first.values()].slice(0, MAX_NEAR);
}

const routeAt = (
  routes: readonly Route[],
  rules: readonly RouteRule[],
  method: string,
  path: string,
): Route | undefined => {
  const found = match(rules, method, path);
  return found && routes.find(({ id }) => id === found.rule.id);
};

const rulesOf = (routes: readonly Route[]) => routes.map(({ rule }) => rule);

interface Mend {
  readonly why: string;
  readonly path?: (path: string) => string;
  readonly method?: (method: string) => string;
  readonly rule?: (rule: RouteRule) => RouteRule;
}

const foldCase = (rule: RouteRule): RouteRule => ({
  ...rule,
  segments: rule.segments.map((segment) =>
    segment.kind === 'literal' ? { ...segment, text: segment.text.toLowerCase() } : segment,
  ),
});

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** What other software forgives and the authorizer does not (ADR 0006). */
const MENDS: readonly Mend[] = [
  { why: 'the path ends in a slash', path: (path) => path.replace(/\/+$/, '') || '/' },
  { why: 'the path holds a double slash', path: (path) => path.replace(/\/{2,}/g, '/') },
  { why: 'the path is percent-encoded, and nothing is decoded', path: decoded },
  { why: 'the verb is not in upper case', method: (method) => method.toUpperCase() },
  {
    why: 'upper and lower case differ',
    path: (path) => path.toLowerCase(),
    rule: foldCase,
  },
];

/** With the fewest faults taken away that make it fit. */
function mended(routes: readonly Route[], method: string, path: string): readonly Near[] {
  const subsets = Array.from({ length: 2 ** MENDS.length - 1 }, (_, position) =>
    MENDS.filter((_mend, bit) => (position + 1) & (1 << bit)),
  ).sort((a, b) => a.length - b.length);
  for (const mends of subsets) {
    const as = {
      method: mends.reduce((text, mend) => mend.method?.(text) ?? text, method),
      path: mends.reduce((text, mend) => mend.path?.(text) ?? text, path),
    };
    const rules = rulesOf(routes).map((rule) =>
      mends.reduce((each, mend) => mend.rule?.(each) ?? each, rule),
    );
    const route = routeAt(routes, rules, as.method, as.path);
    if (route) return [{ why: mends.map(({ why }) => why).join('; '), route }];
  }
  return [];
}

const otherVerbs = (routes: readonly Route[], method: string, path: string): readonly Near[] => {
  const rules = rulesOf(routes);
  return VERBS.filter((verb) => verb !== method.toUpperCase()).flatMap((verb) => {
    const route = routeAt(routes, rules, verb, path);
    return route ? [{ why: `the same path with ${verb}`, route }] : [];
  });
};

const isFor = ({ method }: Route, wanted: string): boolean => method === 'ANY' || method === wanted;

/** Routes that fit but for values that can be no name or id. */
const valuesThatAreNone = (routes: readonly Route[], method: string, path: string): readonly Near[] =>
  routes.flatMap((route): readonly Near[] => {
    const { segments } = route.rule;
    const given = path.slice(1).split('/');
    const bad: string[] = [];
    const cleaned = given.map((text, position) => {
      const segment = segments[Math.min(position, segments.length - 1)];
      if (segment === undefined || segment.kind === 'literal' || isValue(text)) return text;
      bad.push(`{${segment.name}} is ${text === '' ? 'empty' : text}`);
      return 'x';
    });
    if (bad.length === 0 || !isFor(route, method)) return [];
    if (!match([route.rule], method, `/${cleaned.join('/')}`)) return [];
    const why = `${bad.join(', ')}: values are letters, digits, dot, dash, underscore, and begin with a letter or digit`;
    return [{ why, route }];
  });

/** The route whose literals differ least. */
function similar(routes: readonly Route[], method: string, path: string): readonly Near[] {
  const given = path.slice(1).split('/');
  const texts = new Map<string, Route>();
  for (const route of routes.filter((each) => isFor(each, method))) {
    const { segments } = route.rule;
    if (segments.length !== given.length) continue;
    const text = segments.map((segment, position) =>
      segment.kind === 'literal' ? segment.text : (given[position] ?? ''),
    );
    texts.set(`/${text.join('/')}`, route);
  }
  const route = texts.get(nearest(path, texts.keys()) ?? '');
  return route ? [{ why: 'a similar path', route }] : [];
}
