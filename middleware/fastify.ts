import type { RequestOr } from './caller.ts';
import { createGuards, type GuardOptions } from './guard.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type NodeHeaders,
  nodeHeader,
  ownValue,
  type Parsed,
  targetOf,
} from './http.ts';
import { createPermissionsEndpoint, type PermissionsOptions } from './permissions/endpoint.ts';

/** What the guard reads of a request of Fastify. */
export interface FastifyCall {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly ip: string;
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
  type Request = RequestOr<R, FastifyRequest>;
  return createGuards<Permission, Request, FastifyHook>(options as GuardOptions<Request>, (decide) => {
    return async (request, reply) => {
      const answer = await decide(request as Request, httpOf(request));
      return answer && send(reply, answer);
    };
  });
}

/** A handler that answers what the caller may do at a scope (permissions/endpoint.ts), for GET and POST. */
export function fastifyPermissions<R = FastifyRequest>(options: PermissionsOptions<R>) {
  const endpoint = createPermissionsEndpoint(options);
  return async (request: FastifyCall & { readonly body?: unknown }, reply: FastifyReply): Promise<unknown> =>
    send(reply, await endpoint(request as R, httpOf(request), async () => request.body));
}

const httpOf = (request: FastifyCall): HttpRequest => ({
  method: request.method,
  ...targetOf(request.originalUrl ?? request.url),
  ip: request.ip,
  header: nodeHeader({ headers: request.headers, headersDistinct: request.raw.headersDistinct }),
  parameter: (name) => ownValue((request as { readonly params?: unknown }).params, name),
});

/** Sends an answer, unless something else has answered already. Fastify stops where it gets the reply back. */
function send(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  if (reply.sent) return reply;
  reply.code(status);
  reply.headers(headers);
  reply.send(body);
  return reply;
}
