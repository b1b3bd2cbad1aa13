import type { Authorizer } from '../../authorizer/index.ts';
import { sampleBackend, sampleMessages } from '../backend.ts';
import type { Api, RestApi, WebSocketApi } from '../gateway/api.ts';
import type { ApiSettings } from '../gateway/request.ts';
import type { SocketIntegration } from '../sockets/live-revocation.ts';

/**
 * The same application behind every kind of API. The first path segment selects the API. AppSync is no API
 * Gateway and is left out.
 */
export interface Authorizers {
  /** Answers HTTP API 2.0 with `{ isAuthorized }`. */
  readonly simple: Authorizer;
  /** Answers HTTP API 2.0 with an IAM policy, as all others. */
  readonly policy: Authorizer;
}

/** TTL of the result cache of two REST APIs. */
export const RESULT_TTL_SECONDS = 5;

/** Settings of an API's result cache. */
interface Caching {
  readonly identitySources: readonly string[];
  readonly resultTtlSeconds: number;
}

const HTTP_TOKEN = ['$request.header.Authorization'];
const REST_TOKEN = ['method.request.header.Authorization'];
const notCached = (identitySources: readonly string[]): Caching => ({ identitySources, resultTtlSeconds: 0 });

/** The result caches by API. Both the gateway and the authorizers are configured with these. */
const CACHING = {
  // Not cached: all routes of a caller would share one verdict (AWS documentation).
  'http-simple': notCached(HTTP_TOKEN),
  'http-policy': notCached(HTTP_TOKEN),
  'http-1.0': notCached(HTTP_TOKEN),
  // The key has verb and path too, so an answer for one route does not refuse the next. Headers and query are
  // not in the key: routes that read them are refused in this API and in the next one.
  'rest-request': {
    identitySources: [...REST_TOKEN, 'context.httpMethod', 'context.path'],
    resultTtlSeconds: RESULT_TTL_SECONDS,
  },
  // For callers whose policy covers the whole API: it is reused for each of their requests. A caller with an
  // answer for one route is refused other routes until it expires (docs/routes.md).
  'rest-whole': { identitySources: REST_TOKEN, resultTtlSeconds: RESULT_TTL_SECONDS },
  'rest-token': notCached(REST_TOKEN),
} as const satisfies Readonly<Record<string, Caching>>;

/** The id of an API in ARNs. */
const apiIdOf = (name: string): string => `local${name.replaceAll(/[^a-z0-9]/g, '')}`;

/** The authorizers' variable RESULT_CACHE for these caches. */
export const RESULT_CACHE = JSON.stringify(
  Object.fromEntries(
    Object.entries(CACHING).map(([name, { identitySources, resultTtlSeconds: ttl }]) => [
      apiIdOf(name),
      { ttl, identitySources },
    ]),
  ),
);

const settings = (name: string, basePath: string): ApiSettings => ({
  name,
  basePath,
  stage: name.startsWith('http') ? '$default' : 'local',
  apiId: apiIdOf(name),
  accountId: '000000000000',
  region: 'eu-central-1',
});

const ROUTES = [
  'GET /locations/{locationId}/pages/{page}',
  'GET /tenants/{tenantId}/tickets',
  'POST /tenants/{tenantId}/tickets',
  'DELETE /tenants/{tenantId}/tickets/{ticketId}',
  'GET /clients/{clientId}/doors',
  'GET /projects/{projectId}/doors',
  'GET /buildings/{buildingId}/doors',
  'POST /buildings/{buildingId}/doors',
  'GET /buildings/{buildingId}/visitors',
  'POST /buildings/{buildingId}/climate',
  'POST /zones/{zoneId}/doors',
  'GET /devices/{deviceId}/climate',
  'GET /workstreams/{workstreamId}/reports',
  'GET /accounts/{accountId}/reports',
];

/** The application's routes, and a catch-all: the authorizer refuses what no rule covers. */
const routes = (rest: string) => [...ROUTES, rest].map((key) => ({ key, integration: sampleBackend }));

export function createApis({ simple, policy }: Authorizers): readonly Api[] {
  const rest = (name: keyof typeof CACHING, basePath: string, kind: 'REQUEST' | 'TOKEN'): RestApi => ({
    ...settings(name, basePath),
    kind: 'rest',
    authorizer: { kind, invoke: policy, ...CACHING[name] },
    routes: routes('ANY /{proxy+}'),
  });
  return [
    {
      ...settings('http-simple', ''),
      kind: 'http-2.0',
      authorizer: { kind: 'REQUEST', invoke: simple, simpleResponses: true, ...CACHING['http-simple'] },
      routes: routes('$default'),
    },
    {
      ...settings('http-policy', '/http-policy'),
      kind: 'http-2.0',
      authorizer: { kind: 'REQUEST', invoke: policy, ...CACHING['http-policy'] },
      routes: routes('$default'),
    },
    {
      ...settings('http-1.0', '/http-1.0'),
      kind: 'http-1.0',
      authorizer: { kind: 'REQUEST', invoke: policy, ...CACHING['http-1.0'] },
      routes: routes('$default'),
    },
    rest('rest-request', '/rest', 'REQUEST'),
    rest('rest-whole', '/rest-whole', 'REQUEST'),
    rest('rest-token', '/rest-token', 'TOKEN'),
  ];
}

/** A live board: one permission to connect. The place is in the query, because a connection has no path. */
export const createWebSocketApis = (
  { policy }: Pick<Authorizers, 'policy'>,
  integration?: SocketIntegration,
): readonly WebSocketApi[] => [
  {
    ...settings('websocket', '/ws'),
    kind: 'websocket',
    authorizer: {
      kind: 'REQUEST',
      invoke: policy,
      identitySources: ['route.request.header.Authorization', 'route.request.querystring.location'],
    },
    routes: [
      ...['board', '$default'].map((key) => ({ key, integration: sampleMessages })),
      ...(integration ? ['$connect', '$disconnect'].map((key) => ({ key, integration })) : []),
    ],
  },
];
