import type { Api, HttpApiV1, HttpApiV2, IntegrationResponse, RestApi } from '../../local/gateway/api.ts';
import { ANSWER_SOURCE_HEADER, createGateway } from '../../local/gateway/gateway.ts';
import type { GatewayRequest } from '../../local/gateway/request.ts';
import type { GatewayResponse } from '../../local/gateway/responses.ts';
import { createClock } from '../support/world.ts';

/** A clock that moves only by `advance`. */
export const frozenClock = () => createClock(Date.UTC(2026, 2, 12, 19, 3, 58));

export const ok = async (): Promise<IntegrationResponse> => ({ statusCode: 200, body: 'reached' });

const settings = { basePath: '', apiId: 'abc123', accountId: '123456789012', region: 'eu-central-1' };

const identitySources = {
  http: ['$request.header.Authorization'],
  rest: ['method.request.header.Authorization'],
};

type Changes<Api extends { authorizer: unknown }> = Partial<Omit<Api, 'authorizer'>> & {
  authorizer?: Partial<Api['authorizer']>;
};

/**
 * An HTTP API, format 2.0, with simple responses, without cache; it allows everybody by default.
 */
export function httpApiV2(changes: Changes<HttpApiV2> = {}): HttpApiV2 {
  return {
    ...settings,
    name: 'http-v2',
    kind: 'http-2.0',
    stage: '$default',
    routes: [{ key: 'GET /pets/{id}', integration: ok }],
    ...changes,
    authorizer: {
      kind: 'REQUEST',
      invoke: async () => ({ isAuthorized: true }),
      simpleResponses: true,
      identitySources: identitySources.http,
      resultTtlSeconds: 0,
      ...changes.authorizer,
    },
  };
}

export function httpApiV1(changes: Changes<HttpApiV1> = {}): HttpApiV1 {
  return {
    ...settings,
    name: 'http-v1',
    kind: 'http-1.0',
    stage: '$default',
    routes: [{ key: 'GET /pets/{id}', integration: ok }],
    ...changes,
    authorizer: {
      kind: 'REQUEST',
      invoke: async () => policy('Allow', '*'),
      identitySources: identitySources.http,
      resultTtlSeconds: 0,
      ...changes.authorizer,
    },
  };
}

type RestRequestApi = Omit<RestApi, 'authorizer'> & {
  authorizer: Extract<RestApi['authorizer'], { kind: 'REQUEST' }>;
};
type RestTokenApi = Omit<RestApi, 'authorizer'> & {
  authorizer: Extract<RestApi['authorizer'], { kind: 'TOKEN' }>;
};

const restDefaults = {
  invoke: async () => policy('Allow', '*'),
  identitySources: identitySources.rest,
  resultTtlSeconds: 0,
};

const restSettings = {
  ...settings,
  name: 'rest',
  kind: 'rest' as const,
  stage: 'prod',
  routes: [{ key: 'GET /pets/{id}', integration: ok }],
};

export function restApi(changes: Changes<RestRequestApi> = {}): RestApi {
  return {
    ...restSettings,
    ...changes,
    authorizer: { kind: 'REQUEST', ...restDefaults, ...changes.authorizer },
  };
}

export function restTokenApi(changes: Changes<RestTokenApi> = {}): RestApi {
  return {
    ...restSettings,
    ...changes,
    authorizer: { kind: 'TOKEN', ...restDefaults, ...changes.authorizer },
  };
}

/** An authorizer's policy answer with one statement. */
export function policy(effect: 'Allow' | 'Deny', resource: string | string[], more: object = {}) {
  return {
    principalId: 'user-1',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: resource }],
    },
    ...more,
  };
}

/** 'GET /pets/1' with an Authorization header, unless the headers are given. */
export function request(
  line: string,
  headers: GatewayRequest['headers'] = [['Authorization', 'Bearer t']],
  body = '',
): GatewayRequest {
  const [method = '', target = ''] = line.split(' ');
  return { method, target, protocol: 'HTTP/1.1', headers, body: Buffer.from(body), sourceIp: '203.0.113.9' };
}

/** The status and the parsed body. */
export function seen(response: GatewayResponse): [status: number, body: unknown] {
  return [response.statusCode, JSON.parse(response.body.toString())];
}

/** A gateway to which requests are sent one after the other; each answers '200 miss', '403 hit' and so on. */
export function cachingGateway(...apis: Api[]) {
  const clock = frozenClock();
  const gateway = createGateway({ apis, clock: clock.now, maxCachedAnswers: 3 });
  const send = async (line: string, headers?: GatewayRequest['headers'], sourceIp = '203.0.113.9') => {
    const response = await gateway({ ...request(line, headers), sourceIp });
    return `${response.statusCode} ${response.headers[ANSWER_SOURCE_HEADER]}`;
  };
  return { clock, send };
}

export const authorizationHeader = (token: string): GatewayRequest['headers'] => [['Authorization', token]];
