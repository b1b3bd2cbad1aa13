import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { ApiKind, IntegrationResponse } from './api.ts';

export interface GatewayResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

/** Why a request did not reach its backend, or why the backend's answer did not reach the client. */
export type Refusal =
  | 'not-found'
  | 'headers-too-large'
  | 'body-too-large'
  | 'arn-too-long'
  | 'unauthorized'
  | 'explicit-deny'
  | 'implicit-deny'
  | 'authorizer-fault'
  | 'integration-fault';

type Refusals = Readonly<
  Record<Refusal, readonly [statusCode: number, body: Readonly<Record<string, string | null>>]>
>;

/**
 * Documented: 404, 401, 403 and 500 (AG http-api-develop-routes, http-api-lambda-authorizer), 414 (AG
 * api-gateway-lambda-authorizer-output, for REST; used for HTTP APIs too). AWS documents the limit of
 * headers, but no status: 431 is HTTP's own (RFC 6585).
 */
const HTTP: Refusals = {
  'not-found': [404, { message: 'Not Found' }],
  'headers-too-large': [431, { message: 'Request Header Fields Too Large' }],
  'body-too-large': [413, { message: 'Request Too Long' }],
  'arn-too-long': [414, { message: 'Request URI too long' }],
  unauthorized: [401, { message: 'Unauthorized' }],
  'explicit-deny': [403, { message: 'Forbidden' }],
  'implicit-deny': [403, { message: 'Forbidden' }],
  'authorizer-fault': [500, { message: 'Internal Server Error' }],
  'integration-fault': [500, { message: 'Internal Server Error' }],
};

/**
 * The gateway responses of a REST API, as they are without customization (AG
 * supported-gateway-response-types).
 */
const REST: Refusals = {
  ...HTTP,
  'not-found': [403, { message: 'Missing Authentication Token' }],
  'explicit-deny': [403, { Message: 'User is not authorized to access this resource with an explicit deny' }],
  'implicit-deny': [403, { Message: 'User is not authorized to access this resource' }],
  'authorizer-fault': [500, { message: null }],
  'integration-fault': [502, { message: 'Internal server error' }],
};

/**
 * The upgrade is answered as a request is; AWS documents 401 and 403 (AG
 * apigateway-websocket-api-route-keys-connect-disconnect).
 */
const WEBSOCKET: Refusals = { ...HTTP, 'integration-fault': REST['integration-fault'] };

const REFUSALS: Readonly<Record<ApiKind, Refusals>> = {
  'http-2.0': HTTP,
  'http-1.0': HTTP,
  rest: REST,
  websocket: WEBSOCKET,
};

/** The response to the client of an API of this kind. */
export function refuse(kind: ApiKind, refusal: Refusal): GatewayResponse {
  const [statusCode, body] = REFUSALS[kind][refusal];
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Headers that the server sets for its connection; a backend's values would break the framing. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * Reads a backend's answer (AG http-api-develop-integrations-lambda, set-up-lambda-proxy-integrations): a
 * status code, single-value headers, cookies, a body as text or base64.
 *
 * @throws Error when it has another format: 502 from a REST API, 500 from an HTTP API
 */
export function readIntegrationResponse(answer: unknown): GatewayResponse {
  if (typeof answer !== 'object' || answer === null)
    throw new Error('the answer of the backend is not an object');
  const { statusCode, headers, cookies, body, isBase64Encoded } = answer as Readonly<Record<string, unknown>>;
  if (!Number.isInteger(statusCode) || Number(statusCode) < 200 || Number(statusCode) > 599) {
    throw new Error('statusCode is not an HTTP status');
  }
  if (body !== undefined && body !== null && typeof body !== 'string')
    throw new Error('body is not a string');
  const pairs = Object.entries(headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !FRAMING.has(name));
  for (const [name, value] of pairs) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const texts = Array.isArray(cookies) ? cookies.map(String) : [];
  for (const text of texts) validateHeaderValue('set-cookie', text);
  return {
    statusCode: Number(statusCode),
    headers: { ...Object.fromEntries(pairs), ...(texts.length > 0 ? { 'set-cookie': texts } : {}) },
    body: isBase64Encoded === true ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}

/** An answer in JSON. */
export const json = (statusCode: number, body: unknown): IntegrationResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Of a request without the authorizer's context: no authorizer has seen it. */
export const unauthorized = (): IntegrationResponse =>
  json(403, { message: 'this request reached the backend without an authorizer' });
