import type { Authorizer } from '../../authorizer/authorizer.ts';
import type { Manifest } from '../../provisioning/apply/schema.ts';
import { DEFAULT_API } from '../../provisioning/routes/route.ts';
import type { HttpApiV2, IntegrationResponse } from '../gateway/api.ts';
import type { HttpProxyEventV2 } from '../gateway/event-shapes.ts';

export type Integration = (event: HttpProxyEventV2) => Promise<IntegrationResponse>;

type ManifestRoute = Manifest['routes'][number];

/** Whether an HTTP API has such routes: not `$connect` of a WebSocket API, nor fields of GraphQL. */
export const isOfHttpApi = ({ method }: ManifestRoute): boolean =>
  method !== 'CONNECT' && method !== 'GRAPHQL';

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** How API Gateway caches answers of these APIs: not at all. */
export const NOT_CACHED = JSON.stringify({ default: { ttl: 0 } });

/** The path under which an API of the manifest is served. */
export const basePathOf = (api: string): string => (api === DEFAULT_API ? '' : `/${api}`);

/** The names of the APIs that have routes. */
export const apiNamesOf = (routes: readonly ManifestRoute[]): readonly string[] => [
  ...new Set(routes.map(({ api = DEFAULT_API }) => api)),
];

/**
 * The APIs that the routes of a manifest name, as HTTP APIs with payload format 2.0 and without a result cache: that of
 * routes without an `api` at `/`, every other one under its name. What no route matches goes to the authorizer as well,
 * which refuses it.
 *
 * @param origins whose pages may read answers; without any, there is no CORS configuration
 */
export function apisOf(
  routes: readonly ManifestRoute[],
  authorizerOf: (api: string) => Authorizer,
  integration: Integration,
  origins: readonly string[],
): readonly HttpApiV2[] {
  const cors = {
    allowOrigins: origins,
    allowMethods: VERBS,
    // A browser takes `*` for every header but this one.
    allowHeaders: ['*', 'authorization'],
  };
  const names = new Set([DEFAULT_API, ...apiNamesOf(routes)]);
  return [...names].map((name) => {
    const keys = routes
      .filter((route) => isOfHttpApi(route) && (route.api ?? DEFAULT_API) === name)
      .map(({ method, path }) => `${method} ${path}`);
    return {
      name,
      kind: 'http-2.0',
      basePath: basePathOf(name),
      stage: '$default',
      apiId: 'localmanifest',
      accountId: '000000000000',
      region: 'eu-central-1',
      authorizer: {
        kind: 'REQUEST',
        invoke: authorizerOf(name),
        simpleResponses: true,
        identitySources: ['$request.header.Authorization'],
        resultTtlSeconds: 0,
      },
      ...(origins.length === 0 ? {} : { cors }),
      routes: [...keys, '$default'].map((key) => ({ key, integration })),
    };
  });
}
