import type { TemplatePart } from '../../table/route-template.ts';
import { formatTemplate, routeShape } from '../../table/route-template.ts';
import { byPrecedence, type Route, ruleOf, type WrittenRoute } from './route.ts';

/** A route that a document describes, with its place there. */
export type WantedRoute<T> = WrittenRoute & { readonly from: T };

interface Update<T> {
  readonly route: Route;
  /** In the parameter names of the stored path. Absent where it does not change. */
  readonly permission?: string;
  readonly scope?: string;
  readonly from: T;
}

/** The changes from the current routes to the desired ones. Each list is in a safe order. */
export interface Changes<T> {
  readonly creates: readonly WantedRoute<T>[];
  readonly updates: readonly Update<T>[];
  readonly removes: readonly Route[];
  readonly unchanged: readonly Route[];
  /** Routes that the document does not describe, and that stay. */
  readonly kept: readonly Route[];
}

const nameOf = ({ method, path }: WrittenRoute): string => `${method} ${routeShape(path, 'path')}`;

/**
 * Compares desired and current routes. A route is identified by its verb and the shape of its path: where only the
 * names of parameters differ, it stays, and its templates keep its own names.
 *
 * The order matters, because each write is a transaction of its own and requests arrive in between. No request may be
 * decided by a rule that is neither its old one nor its new one. So narrow rules are created before wide ones, updated
 * when all exist, and removed wide before narrow.
 */
export function changesFor<T>(
  routes: readonly Route[],
  wanted: readonly WantedRoute<T>[],
  prune: boolean,
): Changes<T> {
  const stored = new Map(routes.map((route) => [nameOf(route), route]));
  const creates: WantedRoute<T>[] = [];
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
