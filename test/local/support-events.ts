import { expect, vi } from 'vitest';
import type { Api } from '../../local/gateway/api.ts';
import { createGateway } from '../../local/gateway/gateway.ts';
import type { GatewayRequest } from '../../local/gateway/request.ts';
import { frozenClock, policy, request } from './support.ts';

export const headers: GatewayRequest['headers'] = [
  ['Host', 'localhost:3000'],
  ['Authorization', 'Bearer t'],
  ['User-Agent', 'curl/8'],
  ['X-Tag', 'one'],
  ['x-tag', 'two'],
  ['Cookie', 'a=1; b=2'],
  ['Content-Type', 'application/json'],
];
export const line = 'POST /locations/L%201/pages?tag=x&tag=y%20z&flag';
export const body = '{"a":1}';

/** The events of the authorizer and the backend of an API for one request. */
export async function events(
  make: (parts: {
    invoke: () => Promise<unknown>;
    integration: () => Promise<{ statusCode: number }>;
  }) => Api,
  sent: GatewayRequest = request(line, headers, body),
  answer: unknown = policy('Allow', '*', { context: { tenant: 'T1', level: 7, admin: true } }),
) {
  const invoke = vi.fn(async (_event?: unknown) => answer);
  const integration = vi.fn(async (_event?: unknown) => ({ statusCode: 200 }));
  const gateway = createGateway({ apis: [make({ invoke, integration })], clock: frozenClock().now });
  const { statusCode } = await gateway(sent);
  return { statusCode, toAuthorizer: invoke.mock.calls[0]?.[0], toBackend: integration.mock.calls[0]?.[0] };
}

/** The same request as events of the older format have it, for HTTP APIs and REST APIs. */
export const RESOURCE = {
  resource: '/locations/{locationId}/pages',
  path: '/locations/L%201/pages',
  httpMethod: 'POST',
  headers: {
    Host: 'localhost:3000',
    Authorization: 'Bearer t',
    'User-Agent': 'curl/8',
    'X-Tag': 'two',
    Cookie: 'a=1; b=2',
    'Content-Type': 'application/json',
  },
  queryStringParameters: { tag: 'y z', flag: '' },
  stageVariables: { colour: 'blue' },
};

export const key = 'POST /locations/{locationId}/pages';
export const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
