import { routeShape } from '../../table/route-template.ts';
import { changesFor } from '../routes/changes.ts';
import { DEFAULT_API, type Route, requirementText, ruleOf, writtenOf } from '../routes/routes.ts';
import { derivedId } from './fact.ts';
import type { ManifestFile } from './file.ts';
import type { Look } from './look.ts';
import type { Changes, Kept, Pruning, Step } from './steps.ts';

/** The routes of a manifest, compared as `route import` compares those of an OpenAPI document. */
export async function routeChanges(
  { manifest, declared }: ManifestFile,
  look: Look,
  { prune }: Pruning,
): Promise<Changes> {
  const steps: Step[] = [];
  const kept: Kept[] = [];
  const problems: Changes['problems'][number][] = [];
  let unchanged = 0;
  const listed = manifest.routes.map((route, position) => ({
    ...route,
    api: route.api ?? DEFAULT_API,
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
  if (problems.length > 0 || !declared.has('routes')) return { steps, kept, unchanged, problems };
  for (const api of new Set(listed.map((route) => route.api))) {
    const rows = await look.list('route.list', { api });
    const stored = rows.map((row): Route => {
      const route = writtenOf(row);
      return { id: String(row.id), ...route, rule: ruleOf(String(row.id), route) };
    });
    const wanted = listed
      .filter((route) => route.api === api)
      .map(({ method, path, permission, scope, ...from }) => ({ method, path, permission, scope, from }));
    const changes = changesFor(stored, wanted, prune);
    const label = (route: { readonly method: string; readonly path: string }) =>
      `${route.method} ${route.path}${api === DEFAULT_API ? '' : ` of ${api}`}`;
    const step = { kind: 'route', phase: 'switch', danger: undefined } as const;
    for (const { from, ...route } of changes.creates)
      steps.push({
        ...{
          ...step,
          unit: `route ${label(route)}`,
          verb: 'create',
          command: 'route.create',
          label: label(route),
        },
        input: {
          ...{ ...route, api, id: derivedId('route', api, route.method, routeShape(route.path, 'path')) },
          ...(typeof from.description === 'string' ? { description: from.description } : {}),
        },
        details: [requirementText(route)],
        path: ['routes', from.position],
      });
    for (const { route, from, ...fields } of changes.updates) {
      steps.push({
        ...{
          ...step,
          unit: `route ${label(route)}`,
          verb: 'change',
          command: 'route.update',
          label: label(route),
        },
        input: { id: route.id, ...fields },
        details: Object.entries(fields).map(
          ([field, value]) => `${field} ${route[field as keyof typeof fields]} > ${value}`,
        ),
        path: ['routes', from.position],
      });
    }
    for (const route of changes.removes)
      steps.push({
        ...{
          ...step,
          unit: `route ${label(route)}`,
          verb: 'remove',
          command: 'route.delete',
          label: label(route),
        },
        ...{ input: { id: route.id }, details: [], path: [] },
      });
    kept.push(...changes.kept.map((route) => ({ kind: 'route', label: label(route), shared: false })));
    unchanged += changes.unchanged.length;
  }
  return { steps, kept, unchanged, problems };
}
