import type { Context } from '../context.ts';
import { count, nameOf } from '../print.ts';
import { readConditions } from '../routes/conditions.ts';
import { withMissingScope } from '../routes/missing-scopes.ts';
import { cachingOf, inputsText, outsideOf } from '../routes/result-cache.ts';
import { type RouteOptions, readApi } from '../routes/subcommands.ts';
import { type Found, reporter } from './result.ts';

const { ok, failed, warning } = reporter('cache');
const ofRoutes = reporter('routes');

/** Routes that the authorizer refuses because they depend on inputs outside of the cache key (ADR 0017). */
export async function checkRoutes(
  options: RouteOptions,
  context: Context,
  env: Context['env'],
): Promise<Found> {
  const caching = await cachingOf({}, env);
  const { api, routes, sender } = await readApi(options, context);
  if (routes.length === 0)
    return warning(`the API ${api} has no routes: every request is refused. See gatehouse route import`);
  if (caching === undefined) return [];
  const conditionsOf = await readConditions(sender, routes);
  const refused = routes.flatMap((route) =>
    outsideOf(caching, route.rule, conditionsOf(route.rule)).map(({ apiId, inputs }) =>
      failed(
        `${nameOf(route)} is refused for ${apiId}: it depends on ${inputsText(inputs)}, outside of the cache key`,
      ),
    ),
  );
  if (refused.length > 0) return refused;
  return ok(
    `${count(routes.length, 'route')} of the API ${api}: none depends on inputs outside of the cache key`,
  );
}

/** Routes that refuse everybody because the scope that they write out does not exist. */
export async function checkWrittenScopes(options: RouteOptions, context: Context): Promise<Found> {
  const { api, routes, sender } = await readApi(options, context);
  const missing = await withMissingScope(sender, routes);
  if (missing.length === 0)
    return ofRoutes.ok(
      `${count(routes.length, 'route')} of the API ${api}: each scope that is written out exists`,
    );
  return missing.map((route) =>
    ofRoutes.failed(
      `${nameOf(route)} is refused to everybody: there is no scope ${route.scope}, and whoever creates that id gets the route`,
    ),
  );
}
