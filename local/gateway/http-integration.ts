import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { IntegrationResponse } from './api.ts';
import type { AuthorizerContext, HttpProxyEventV2 } from './event-shapes.ts';
import { json, unauthorized } from './responses.ts';

/**
 * The authorizer's context as headers for a service: `x-subject`, `x-tenant`, … It is the parameter mapping
 * `overwrite:header.x-subject: $context.authorizer.subject` of the stacks in docs/attach, for every field.
 */
const CONTEXT_HEADERS: ReadonlyMap<string, string> = new Map([
  ...['subject', 'tenant', 'scope', 'permission', 'roles', 'reason', 'route', 'coverage'].map(
    (field) => [field, `x-${field}`] as const,
  ),
  ['rolesLeftOut', 'x-roles-left-out'],
]);

/** What belongs to one connection (RFC 9110, 7.6.1), or is set anew. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'cookie',
  'forwarded',
]);

/** "Integration timeout" of an HTTP API (AG http-api-quotas). */
const TIMEOUT_MS = 30_000;

function headersFor(event: HttpProxyEventV2, context: AuthorizerContext): OutgoingHttpHeaders {
  const own = new Set((event.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const mapped = new Set(CONTEXT_HEADERS.values());
  // What a client says of itself in a header of ours never gets through.
  const passed = Object.entries(event.headers).filter(
    ([name]) => !OF_CONNECTION.has(name) && !own.has(name) && !mapped.has(name),
  );
  const given = [...CONTEXT_HEADERS].flatMap(([field, header]) => {
    const value = context[field];
    return value === undefined || value === null ? [] : [[header, String(value)] as const];
  });
  const { sourceIp } = event.requestContext.http;
  return {
    ...Object.fromEntries(passed),
    ...(event.cookies ? { cookie: event.cookies.join('; ') } : {}),
    forwarded: `for=${sourceIp.includes(':') ? `"[${sourceIp}]"` : sourceIp};host="${event.headers.host ?? ''}";proto=http`,
    ...Object.fromEntries(given),
  };
}

/**
 * The integration of a route with a service over HTTP: verb, path, query, headers and body as received, and the
 * authorizer's context as headers. A request without a context is refused: no authorizer has seen it.
 *
 * Answers 502 for a service without an answer, and 504 for one that takes longer than 30 s.
 *
 * @param backend the service's base URL; its path comes before that of the request
 */
export function createHttpIntegration(
  backend: URL,
  timeoutMs = TIMEOUT_MS,
): (event: HttpProxyEventV2) => Promise<IntegrationResponse> {
  const send = backend.protocol === 'https:' ? requestHttps : requestHttp;
  const basePath = backend.pathname.replace(/\/$/, '');
  return (event) => {
    const context = event.requestContext.authorizer.lambda;
    if (!context) return Promise.resolve(unauthorized());
    const { rawPath, rawQueryString, isBase64Encoded } = event;
    const body =
      event.body === undefined ? undefined : Buffer.from(event.body, isBase64Encoded ? 'base64' : 'utf8');
    return new Promise((resolve) => {
      const outgoing = send(
        {
          protocol: backend.protocol,
          hostname: backend.hostname.replace(/^\[|\]$/g, ''),
          port: backend.port,
          method: event.requestContext.http.method,
          // As received: a URL object would resolve dot segments, which the authorizer has not seen resolved.
          path: `${basePath}${rawPath}${rawQueryString === '' ? '' : `?${rawQueryString}`}`,
          headers: {
            ...headersFor(event, context),
            host: backend.host,
            ...(body === undefined ? {} : { 'content-length': body.length }),
          },
          signal: AbortSignal.timeout(timeoutMs),
        },
        (answer) => {
          read(answer).then(resolve, fail);
        },
      );
      const fail = (error: NodeJS.ErrnoException): void => {
        const [status, why] =
          error.name === 'AbortError'
            ? [504, `gave no answer within ${timeoutMs / 1_000} s`]
            : [502, `does not answer: ${error.code ?? error.message}`];
        resolve(json(status, { message: `the backend ${backend.origin} ${why}` }));
      };
      outgoing.once('error', fail);
      outgoing.end(body);
    });
  };
}

async function read(answer: IncomingMessage): Promise<IntegrationResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const { 'set-cookie': cookies, ...headers } = answer.headers;
  return {
    statusCode: answer.statusCode ?? 502,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(cookies ? { cookies } : {}),
    body: Buffer.concat(chunks).toString('base64'),
    isBase64Encoded: true,
  };
}
