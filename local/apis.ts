import type { Authorizer } from '../authorizer/index.ts';
import { sampleBackend, sampleMessages } from './backend.ts';
import type { Api, ApiSettings, Route, WebSocketApi } from './gateway/api.ts';

/**
 * The same application behind every kind of API, told apart by their first path segment: what Gatehouse answers
 * must be right for each. AppSync is no gateway and is not here.
 */
export interface Authorizers {
  /** Answers HTTP API 2.0 with `{ isAuthorized }`. */
  readonly simple: Authorizer;
  /** Answers HTTP API 2.0 with an IAM policy, as it does all the others. */
  readonly policy: Authorizer;
}

/** Seconds for which the REST API may reuse an answer for the same token, verb and path. */
export const RESULT_TTL_SECONDS = 5;

const settings = (name: string, basePath: string): ApiSettings => ({
  name,
  basePath,
  stage: name.startsWith('http') ? '$default' : 'local',
  apiId: `local${name.replaceAll(/[^a-z0-9]/g, '')}`,
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

/** The application's routes, and one for everything else: the authorizer refuses what no rule covers. */
const routes = <Event>(
  rest: string,
  integration: (event: Event) => ReturnType<typeof sampleBackend>,
): readonly Route<Event>[] => [...ROUTES, rest].map((key) => ({ key, integration }));

export function createApis({ simple, policy }: Authorizers): readonly Api[] {
  return [
    {
      ...settings('http-simple', ''),
      kind: 'http-2.0',
      authorizer: {
        kind: 'REQUEST',
        invoke: simple,
        simpleResponses: true,
        identitySources: ['$request.header.Authorization'],
        // One verdict would be shared by every route of the caller (docs of AWS): no cache.
        resultTtlSeconds: 0,
      },
      routes: routes('$default', sampleBackend),
    },
    {
      ...settings('http-policy', '/http-policy'),
      kind: 'http-2.0',
      authorizer: {
        kind: 'REQUEST',
        invoke: policy,
        identitySources: ['$request.header.Authorization'],
        // The policy names one route: cached under the token alone, it would refuse the caller's next one.
        resultTtlSeconds: 0,
      },
      routes: routes('$default', sampleBackend),
    },
    {
      ...settings('http-1.0', '/http-1.0'),
      kind: 'http-1.0',
      authorizer: {
        kind: 'REQUEST',
        invoke: policy,
        identitySources: ['$request.header.Authorization'],
        resultTtlSeconds: 0,
      },
      routes: routes('$default', sampleBackend),
    },
    {
      ...settings('rest-request', '/rest'),
      kind: 'rest',
      authorizer: {
        kind: 'REQUEST',
        invoke: policy,
        // Everything the decision reads is in the key, so the answer may be reused.
        identitySources: ['method.request.header.Authorization', 'context.httpMethod', 'context.path'],
        resultTtlSeconds: RESULT_TTL_SECONDS,
      },
      routes: routes('ANY /{proxy+}', sampleBackend),
    },
    {
      ...settings('rest-whole', '/rest-whole'),
      kind: 'rest',
      authorizer: {
        kind: 'REQUEST',
        invoke: policy,
        // For callers whose policy is one for the whole API: it is reused for every route that they ask for. Whoever
        // gets an answer for one route is refused the next one until it has expired (docs/policies.md).
        identitySources: ['method.request.header.Authorization'],
        resultTtlSeconds: RESULT_TTL_SECONDS,
      },
      routes: routes('ANY /{proxy+}', sampleBackend),
    },
    {
      ...settings('rest-token', '/rest-token'),
      kind: 'rest',
      authorizer: {
        kind: 'TOKEN',
        invoke: policy,
        identitySources: ['method.request.header.Authorization'],
        resultTtlSeconds: 0,
      },
      routes: routes('ANY /{proxy+}', sampleBackend),
    },
  ];
}

/** A live board: one permission to connect, and the place in the query, for a connection has no path. */
export const createWebSocketApis = ({ policy }: Pick<Authorizers, 'policy'>): readonly WebSocketApi[] => [
  {
    ...settings('websocket', '/ws'),
    kind: 'websocket',
    authorizer: {
      kind: 'REQUEST',
      invoke: policy,
      identitySources: ['route.request.header.Authorization', 'route.request.querystring.location'],
    },
    routes: ['board', '$default'].map((key) => ({ key, integration: sampleMessages })),
  },
];
