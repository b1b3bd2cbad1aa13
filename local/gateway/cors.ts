import { defined } from '../../table/defined.ts';
import type { Cors } from './api.ts';
import type { HeaderGroup } from './request.ts';
import type { GatewayResponse } from './responses.ts';

type Headers = ReadonlyMap<string, HeaderGroup>;

/**
 * The answer to a preflight (Fetch, CORS-preflight request): API Gateway gives it by itself, and asks no authorizer.
 * Without headers of CORS for an origin that is not allowed.
 *
 * @returns undefined for any other request
 */
export function preflightAnswer(cors: Cors, verb: string, headers: Headers): GatewayResponse | undefined {
  if (verb !== 'OPTIONS' || !headers.has('origin') || !headers.has('access-control-request-method'))
    return undefined;
  const origin = allowedOrigin(cors, headers);
  const allowed = origin !== undefined && {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': cors.allowMethods.join(','),
    'access-control-allow-headers': cors.allowHeaders.join(','),
  };
  return { statusCode: 204, headers: { ...allowed }, body: '' };
}

/** An answer with the headers of the configuration in place of those of the backend, refusals as well. */
export function withCors(cors: Cors, headers: Headers, response: GatewayResponse): GatewayResponse {
  const kept = Object.entries(response.headers).filter(([name]) => !name.startsWith('access-control-'));
  const own = defined({ 'access-control-allow-origin': allowedOrigin(cors, headers) });
  return { ...response, headers: { ...Object.fromEntries(kept), ...own } };
}

function allowedOrigin({ allowOrigins }: Cors, headers: Headers): string | undefined {
  const origin = headers.get('origin')?.values.at(-1);
  return origin !== undefined && allowOrigins.includes(origin) ? origin : undefined;
}
