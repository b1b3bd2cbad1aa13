import {
  boundIn,
  order,
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
  type RouteRule,
} from '../../table/route-template.ts';

/** Routes as people read and write them, beside the rules that the authorizer matches. */
export interface WrittenRoute {
  /** A verb in upper case, or ANY. */
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly scope: string;
}

export interface Route extends WrittenRoute {
  readonly id: string;
  readonly rule: RouteRule;
}

export const DEFAULT_API = 'default';

/** The rule of a route. Throws `invalid` for what routes cannot be. */
export function ruleOf(id: string, route: WrittenRoute): RouteRule {
  const segments = parsePathTemplate(route.path, 'path');
  const permission = parseValueTemplate(route.permission, 'permission');
  const scope = parseScopeTemplate(route.scope, 'scope');
  return { id, method: route.method, segments, permission, scope, bound: boundIn(permission, scope) };
}

/** A route as provisioning answers it. */
export function writtenOf(item: Readonly<Record<string, unknown>>): WrittenRoute {
  const text = (name: string) => String(item[name] ?? '');
  return {
    method: text('method'),
    path: text('path'),
    permission: text('permission'),
    scope: text('scope'),
  };
}

/**
 * Of two rules that fit one request, the one that goes before the other comes first. What can fit no request together is
 * kept apart by its length: `order` says nothing of such pairs that would hold together in a sort.
 */
export function byPrecedence(
  { rule: a }: { readonly rule: RouteRule },
  { rule: b }: { readonly rule: RouteRule },
) {
  const isGreedy = a.segments.at(-1)?.kind === 'rest' || b.segments.at(-1)?.kind === 'rest';
  return (isGreedy ? 0 : a.segments.length - b.segments.length) || order(a, b);
}

/** The permission of a route and its scope, for people. */
export const requirementText = ({ permission, scope }: Omit<WrittenRoute, 'method' | 'path'>): string =>
  `${permission} at ${scope}`;
