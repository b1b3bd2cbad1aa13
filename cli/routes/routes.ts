import { byText, DEFAULT_API, type Route, ruleOf, writtenOf } from '../../provisioning/index.ts';
import { isName } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import type { Sender } from '../provisioning.ts';

/** Throws {@link UsageError} for what can be no API's name. */
export function apiOf({ api = DEFAULT_API }: { readonly api?: string | undefined }): string {
  if (!isName(api))
    throw new UsageError(`--api ${api} is not a name: letters, digits, dot, dash, underscore, at most 128`);
  return api;
}

/** All routes of an API, in the order of their paths. */
export async function routesOf({ list }: Pick<Sender, 'list'>, api: string): Promise<readonly Route[]> {
  const routes: Route[] = [];
  for (const item of await list('route.list', { api })) {
    const id = String(item.id);
    try {
      const route = writtenOf(item);
      routes.push({ id, ...route, rule: ruleOf(id, route) });
    } catch (cause) {
      throw new Error(`the stored route ${id} cannot be read, and the authorizer refuses everything`, {
        cause,
      });
    }
  }
  return routes.sort((a, b) => byText(a.path, b.path) || byText(a.method, b.method));
}

/** A route as data for `--json`. */
export const routeData = ({ rule: _, ...route }: Route) => route;
