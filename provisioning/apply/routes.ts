import { routeShape } from '../../table/route-template.ts';
import { inTurns } from '../in-turns.ts';
import { changesFor } from '../routes/changes.ts';
import { isScopeName } from '../routes/fields.ts';
import { DEFAULT_API, type Route, requirementText, ruleOf, writtenOf } from '../routes/route.ts';
import { derivedId, type Row } from './entry.ts';
import type { Parsed } from './parse.ts';
import type { Problem } from './problem.ts';
import type { Queries } from './queries.ts';
import type { Resources } from './state.ts';
import type { Comparison, Kept, Pruning, Step } from './steps.ts';
import { meantInTable } from './table-names.ts';

/** The routes of a manifest, compared as `route import` compares those of an OpenAPI document. */
export async function compareRoutes(
  { manifest, declared }: Parsed,
  scopes: Resources,
  queries: Queries,
  { prune, shared }: Pruning,
): Promise<Comparison> {
  const steps: Step[] = [];
  const kept: Kept[] = [];
  const problems: Problem[] = [];
  let unchanged = 0;
  const scopeOf = async (scope: string, position: number): Promise<string> => {
    if (!isScopeName(scope)) return scope;
    const meant = scopes.get(scope) ?? (await meantInTable(queries, 'scope', scope));
    if ('ref' in meant) return meant.ref;
    problems.push({ path: ['routes', position, 'scope'], message: meant.problem });
    return scope;
  };
  const listed = await inTurns(manifest.routes, async (route, position) => ({
    ...route,
    api: route.api ?? DEFAULT_API,
    scope: await scopeOf(route.scope, position),
    position,
  }));
  const seen = new Map<string, number>();
  for (const { api, method, path, position } of listed) {
    const key = JSON.stringify([api, method, routeShape(path, 'path')]);
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, position);
    else
      problems.push({ path: ['routes', position], message: `has the shape of routes[${twin}]: one of both` });
  }
  // Routes belong to no tenant: an API that the manifest does not name is another's.
  const named = new Set(manifest.routes.flatMap(({ api }) => api ?? []));
  if (problems.length > 0 || !declared.has('routes')) return { steps, kept, unchanged, problems };
  for (const api of new Set(listed.map((route) => route.api))) {
    const rows = await queries.list('route.list', { api });
    const stored = rows.map((row): Route => {
      const route = writtenOf(row);
      return { id: String(row.id), ...route, rule: ruleOf(String(row.id), route) };
    });
    const wanted = listed
      .filter((route) => route.api === api)
      .map(({ method, path, permission, scope, ...from }) => ({ method, path, permission, scope, from }));
    const changes = changesFor(stored, wanted, named.has(api) ? prune : shared);
    const labelOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
      `${method} ${path}${api === DEFAULT_API ? '' : ` of ${api}`}`;
    const add = (
      verb: Step['verb'],
      command: string,
      label: string,
      input: Row,
      rest: Pick<Step, 'details' | 'path'>,
    ) =>
      void steps.push({
        kind: 'route',
        phase: 'switch',
        danger: undefined,
        unit: `route ${label}`,
        verb,
        command,
        label,
        input,
        ...rest,
      });
    for (const { from, ...route } of changes.creates) {
      const id = await derivedId('route', api, route.method, routeShape(route.path, 'path'));
      const { description } = from;
      const input = { ...route, api, id, ...(typeof description === 'string' ? { description } : {}) };
      const rest = { details: [requirementText(route)], path: ['routes', from.position] };
      add('create', 'route.create', labelOf(route), input, rest);
    }
    for (const { route, from, ...fields } of changes.updates) {
      const details = Object.entries(fields).map(
        ([field, value]) => `${field} ${route[field as keyof typeof fields]} > ${value}`,
      );
      const rest = { details, path: ['routes', from.position] };
      add('change', 'route.update', labelOf(route), { id: route.id, ...fields }, rest);
    }
    for (const route of changes.removes)
      add('remove', 'route.delete', labelOf(route), { id: route.id }, { details: [], path: [] });
    kept.push(
      ...changes.kept.map((route) => ({ kind: 'route', label: labelOf(route), shared: !named.has(api) })),
    );
    unchanged += changes.unchanged.length;
  }
  return { steps, kept, unchanged, problems };
}
