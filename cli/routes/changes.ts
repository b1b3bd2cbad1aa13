import type { TemplatePart } from '../../table/route-template.ts';
import { routeShape } from '../../table/route-template.ts';
import { byPrecedence, formatTemplate, type Route, ruleOf, type WrittenRoute } from './routes.ts';

/** A route that a document wants, with whatever says where it stands there. */
export type Wanted<T> = WrittenRoute & { readonly from: T };

export interface Update<T> {
  readonly route: Route;
  /** In the names of the stored path. What does not change is left out. */
  readonly permission?: string;
  readonly scope?: string;
  readonly from: T;
}

/** What has to be written so that the table has what is wanted. Each list in the order in which it is safe. */
export interface Changes<T> {
  readonly creates: readonly Wanted<T>[];
  readonly updates: readonly Update<T>[];
  readonly removes: readonly Route[];
  readonly unchanged: readonly Route[];
  /** Routes that nothing wants, and that stay. */
  readonly kept: readonly Route[];
}

const nameOf = ({ method, path }: WrittenRoute): string => `${method} ${routeShape(path, 'path')}`;

/**
 * Compares what is wanted with what is there. A route is known by its verb and the shape of its path: where only the
 * names of parameters differ, it stays, and its templates are told in its own names.
 *
 * The order matters, because each write is a transaction of its own and requests come in between. A request must never
 * be decided by a rule that is neither its old one nor its new one: so narrow rules are made before wide ones, changed
 * when all are there, and removed wide before narrow.
 */
export function changesFor<T>(
  routes: readonly Route[],
  wanted: readonly Wanted<T>[],
  prune: boolean,
): Changes<T> {
  const stored = new Map(routes.map((route) => [nameOf(route), route]));
  const creates: Wanted<T>[] = [];
  const updates: Update<T>[] = [];
  const unchanged: Route[] = [];
  const seen = new Set<Route>();
  for (const each of wanted) {
    const route = stored.get(nameOf(each));
    if (!route) {
      creates.push(each);
      continue;
    }
    seen.add(route);
    const change = differences(route, each);
    if (Object.keys(change).length === 0) unchanged.push(route);
    else updates.push({ route, ...change, from: each.from });
  }
  const rest = routes.filter((route) => !seen.has(route));
  return {
    creates: creates
      .map((each) => ({ each, rule: ruleOf(nameOf(each), each) }))
      .sort(byPrecedence)
      .map(({ each }) => each),
    updates,
    removes: prune ? [...rest].sort(byPrecedence).reverse() : [],
    unchanged,
    kept: prune ? [] : rest,
  };
}

function differences(route: Route, wanted: WrittenRoute): Omit<Update<unknown>, 'route' | 'from'> {
  const asked = ruleOf(route.id, wanted);
  const names = new Map<string, string>();
  asked.segments.forEach((segment, position) => {
    const own = route.rule.segments[position];
    if (segment.kind !== 'literal' && own && own.kind !== 'literal') names.set(segment.name, own.name);
  });
  const inItsNames = (parts: readonly TemplatePart[]) =>
    formatTemplate(
      parts.map((part) =>
        part.kind === 'path' ? { ...part, name: names.get(part.name) ?? part.name } : part,
      ),
    );
  const permission = inItsNames(asked.permission);
  const scope = inItsNames(asked.scope);
  return {
    ...(permission === formatTemplate(route.rule.permission) ? {} : { permission }),
    ...(scope === formatTemplate(route.rule.scope) ? {} : { scope }),
  };
}
