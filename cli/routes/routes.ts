import { boundIn, order, type RouteRule } from '../../authorizer/routes/rule.ts';
import { isName } from '../../table/identifiers.ts';
import { apiRef } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import {
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
  type Segment,
  type TemplatePart,
} from '../../table/route-template.ts';
import { UsageError } from '../context.ts';
import { type Editing, listAll, type Send } from '../provisioning.ts';

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

/** Throws {@link UsageError} for what can be no API's name. */
export function apiOf({ api = DEFAULT_API }: { readonly api?: string }): string {
  if (!isName(api))
    throw new UsageError(`--api ${api} is no name: letters, digits, dot, dash, underscore, at most 128`);
  return api;
}

/** What a route comes to. Throws `invalid` for what routes cannot be. */
export function ruleOf(id: string, route: WrittenRoute): RouteRule {
  const segments = parsePathTemplate(route.path, 'path');
  const permission = parseValueTemplate(route.permission, 'permission');
  const scope = parseScopeTemplate(route.scope, 'scope');
  return { id, method: route.method, segments, permission, scope, bound: boundIn(permission, scope) };
}

/** All routes of an API, by the Query that the authorizer reads them with, in the order of their paths. */
async function readRoutes(reader: Reader, api: string): Promise<readonly Route[]> {
  return routesFrom(await reader.listAll(edgesFrom(apiRef(api), 'route')));
}

/** All routes of an API: from the table, or through provisioning where only its function is at hand. */
export const routesOf = (
  editing: Pick<Editing, 'reader' | 'hasTable' | 'send'>,
  api: string,
): Promise<readonly Route[]> =>
  editing.hasTable ? readRoutes(editing.reader, api) : listRoutes(editing.send, api);

async function listRoutes(send: Send, api: string): Promise<readonly Route[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for await (const row of listAll(send, 'route.list', { api })) rows.push(row);
  return routesFrom(rows);
}

function routesFrom(items: readonly Readonly<Record<string, unknown>>[]): readonly Route[] {
  const routes = items.map((item): Route => {
    const id = String(item.id);
    try {
      const route = writtenOf(item);
      return { id, ...route, rule: ruleOf(id, route) };
    } catch (cause) {
      throw new Error(`the stored route ${id} cannot be read, and the authorizer refuses everything`, {
        cause,
      });
    }
  });
  return routes.sort((a, b) => compareText(a.path, b.path) || compareText(a.method, b.method));
}

/** A route as provisioning tells it. */
export function writtenOf(item: Readonly<Record<string, unknown>>): WrittenRoute {
  const text = (name: string) => String(item[name] ?? '');
  return {
    method: text('method'),
    path: text('path'),
    permission: text('permission'),
    scope: text('scope'),
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

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

/** A template as it is written. */
export const formatTemplate = (parts: readonly TemplatePart[]): string =>
  parts
    .map((part) => {
      if (part.kind === 'literal') return part.text;
      return part.kind === 'path' ? `{${part.name}}` : `{${part.kind}:${part.name}}`;
    })
    .join('');

/** A path as it is written. */
export const formatPath = (segments: readonly Segment[]): string =>
  `/${segments
    .map((segment) =>
      segment.kind === 'literal' ? segment.text : `{${segment.name}${segment.kind === 'rest' ? '+' : ''}}`,
    )
    .join('/')}`;

/** A route as data for `--json`. */
export const routeData = ({ id, method, path, permission, scope }: Route) => ({
  id,
  method,
  path,
  permission,
  scope,
});

/** What a route needs, for people. */
export const requirementText = ({ permission, scope }: Omit<WrittenRoute, 'method' | 'path'>): string =>
  `${permission} at ${scope}`;
