import { createGuards, type GuardOptions } from './guard.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type NodeHeaders,
  nodeHeader,
  ownValue,
  type Parsed,
} from './http.ts';
import { routePath } from './matched-route.ts';
import { createPermissionsEndpoint, type PermissionsOptions } from './permissions/endpoint.ts';

/** What the guard reads of a request of Fastify. */
export interface FastifyCall {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly ip: string;
  /** Since 4.10. */
  readonly routeOptions?: {
    readonly url?: string | undefined;
    readonly method?: string | readonly string[] | undefined;
  };
  // biome-ignore lint/suspicious/noExplicitAny: its methods are unions that Fastify names itself
  readonly server?: { hasRoute?(route: any): boolean };
  readonly headers: NodeHeaders['headers'];
  readonly raw: NodeHeaders;
}

/** What functions of the application get if they do not name Fastify's own `FastifyRequest`. */
export interface FastifyRequest extends FastifyCall {
  readonly params: Parsed;
  readonly query: Parsed;
  readonly body: Parsed;
}

/** What the guard uses of a reply of Fastify. */
export interface FastifyReply {
  readonly sent: boolean;
  code(status: number): unknown;
  headers(values: Readonly<Record<string, string>>): unknown;
  send(body: string): unknown;
}

/** A hook for `onRequest`, `preValidation` or `preHandler`. */
export type FastifyHook = (request: FastifyCall, reply: FastifyReply) => Promise<unknown>;

/**
 * Makes guards for the routes of a Fastify application, as hooks: with `onRequest` before the body is parsed,
 * with `preHandler` after it. `authorizationOf(request)` gives handlers the decision.
 *
 * @throws GatehouseError `invalid` for a missing option or, from the guard, for a malformed template
 */
export function fastifyGuard<Permission extends string = string, R = FastifyRequest>(
  options: GuardOptions<R>,
) {
  return createGuards<Permission, R, FastifyRequest, FastifyHook>(
    options,
    (decide) => async (request, reply) => {
      const answer = await decide(request, httpOf(request));
      return answer && send(reply, answer);
    },
  );
}

/** A handler that answers what the caller may do at a scope (permissions/endpoint.ts), for GET and POST. */
export function fastifyPermissions<R = FastifyRequest>(options: PermissionsOptions<R>) {
  const endpoint = createPermissionsEndpoint(options);
  return async (request: FastifyCall & { readonly body?: unknown }, reply: FastifyReply): Promise<unknown> =>
    send(reply, await endpoint(request as R, httpOf(request), async () => request.body));
}

function httpOf(request: FastifyCall): HttpRequest {
  const { query, params } = request as Partial<FastifyRequest>;
  const { method, routeOptions } = request;
  const parameter = (name: string) => ownValue(params, name);
  return {
    method,
    target: request.originalUrl ?? request.url,
    route: { method: methodOf(request), path: routePath(routeOptions?.url, parameter) },
    ip: request.ip,
    header: nodeHeader({ headers: request.headers, headersDistinct: request.raw.headersDistinct }),
    query: (name) => ownValue(query, name),
    parameter,
  };
}

/**
 * The method that a handler is registered for. Fastify makes a HEAD route of each GET route, and does not say
 * which HEAD routes are its own: one beside a GET route counts as GET's. One without may be GET's under a
 * constraint, so its method is missing.
 */
function methodOf({ method, routeOptions, server }: FastifyCall): string | undefined {
  if (method !== 'HEAD' || Array.isArray(routeOptions?.method)) return method;
  const url = routeOptions?.url;
  return url !== undefined && server?.hasRoute?.({ method: 'GET', url }) ? 'GET' : undefined;
}

/**
 * Sends an answer, unless something else has answered already. Fastify stops where it gets the reply back.
 */
function send(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  if (reply.sent) return reply;
  reply.code(status);
  reply.headers(headers);
  reply.send(body);
  return reply;
}
