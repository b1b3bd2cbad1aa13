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
import { bodyOfNode } from './permissions/body.ts';
import { createPermissionsEndpoint, type PermissionsOptions } from './permissions/endpoint.ts';

/** What the guard reads of a request of Express, Connect or `node:http`. */
export interface NodeRequest extends NodeHeaders {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Express: the URL before a router took its mount path away. */
  readonly originalUrl?: string | undefined;
  /** Express: the caller's address, as `trust proxy` says. */
  readonly ip?: string | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}

/** What functions of the application get if they do not name Express's own `Request`. */
export interface ExpressRequest extends NodeRequest {
  readonly params: Parsed;
  readonly query: Parsed;
  readonly body?: Parsed;
}

/** What the guard uses of a response of Express, Connect or `node:http`. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

/** Middleware for Express 4 and 5, and for Connect. */
export type ExpressMiddleware = (
  request: NodeRequest,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * Makes guards for the routes of an Express application. `authorizationOf(request)` gives handlers the decision.
 *
 * @throws GatehouseError `invalid` for a missing option or, from the guard, for a malformed template
 */
export function expressGuard<Permission extends string = string, R = ExpressRequest>(
  options: GuardOptions<R>,
) {
  type Request = RequestOr<R, ExpressRequest>;
  return createGuards<Permission, Request, ExpressMiddleware>(options as GuardOptions<Request>, (decide) => {
    return async (request, response, next) => {
      const answer = await decide(request as Request, httpOf(request));
      if (answer) send(response, answer, request.method);
      else next();
    };
  });
}

/**
 * A handler that answers what the caller may do at a scope (permissions/endpoint.ts): for `app.all`, or as a
 * listener of `node:http`. A body is read here if no parser read it before.
 */
export function expressPermissions<R = ExpressRequest>(options: PermissionsOptions<R>) {
  const endpoint = createPermissionsEndpoint(options);
  return async (request: NodeRequest & NodeBody, response: NodeResponse): Promise<void> => {
    const answer = await endpoint(request as R, httpOf(request), () => bodyOfNode(request));
    send(response, answer, request.method);
  };
}

type NodeBody = Parameters<typeof bodyOfNode>[0];

function httpOf(request: NodeRequest): HttpRequest {
  const { method, originalUrl, url = '', ip, socket } = request;
  return {
    method,
    ...targetOf(originalUrl ?? url),
    ip: ip ?? socket?.remoteAddress,
    header: nodeHeader(request),
    // Read when it is asked for: Express sets it when the route matches.
    parameter: (name) => ownValue((request as { readonly params?: unknown }).params, name),
  };
}

/** Sends an answer, unless something else, such as a time limit, has answered already. */
function send(
  response: NodeResponse,
  { status, headers, body }: HttpAnswer,
  method: string | undefined,
): void {
  if (response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(method === 'HEAD' ? undefined : body);
}
