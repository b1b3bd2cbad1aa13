import { createGuards, type GuardOptions } from './guard.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';
import { handledMethod, type MatchedRoute, plainPath, routePath } from './matched-route.ts';
import { type BodyStream, bodyOfStream } from './permissions/body.ts';
import { createPermissionsEndpoint, type PermissionsOptions } from './permissions/endpoint.ts';

/** What the guard uses of a context of Hono. */
export interface HonoCall {
  readonly req: {
    readonly method: string;
    readonly url: string;
    readonly raw: HonoRaw;
    text(): Promise<string>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: Hono's statuses are a union of numbers that it names itself
  body(data: string | null, status?: any, headers?: Record<string, string>): Response;
}

interface HonoRaw {
  readonly bodyUsed: boolean;
  readonly body: BodyStream | null;
  readonly headers: { get(name: string): string | null };
}

/** What functions of the application get if they do not name Hono's own `Context`. */
export interface HonoContext extends HonoCall {
  readonly req: HonoCall['req'] & {
    readonly path: string;
    param(name: string): string | undefined;
    query(name: string): string | undefined;
    header(name: string): string | undefined;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the application's own variables
  get(name: string): any;
}

// biome-ignore lint/suspicious/noConfusingVoidType: Hono's own type
export type HonoMiddleware = (c: HonoCall, next: () => Promise<void>) => Promise<Response | void>;

/** Hono does not know the caller's address: that depends on the platform. */
export interface HonoOptions<R> {
  /** The caller's address, for `context.ip`: `(c) => getConnInfo(c).remote.address`. Default: none. */
  readonly ip?: ((c: R) => string | undefined) | undefined;
}

/**
 * Makes guards for the routes of a Hono application. `authorizationOf(c)` gives handlers the decision.
 *
 * @throws GatehouseError `invalid` for a missing option or, from the guard, for a malformed template
 */
export function honoGuard<Permission extends string = string, R = HonoContext>(
  options: GuardOptions<R> & HonoOptions<R>,
) {
  return createGuards<Permission, R, HonoContext, HonoMiddleware>(options, (decide) => async (c, next) => {
    const answer = await decide(c, httpOf(c, options.ip, 1));
    if (answer) return send(c, answer);
    await next();
  });
}

/** A handler that answers what the caller may do at a scope (permissions/endpoint.ts), for GET and POST. */
export function honoPermissions<R = HonoContext>(options: PermissionsOptions<R> & HonoOptions<R>) {
  const endpoint = createPermissionsEndpoint(options);
  return async (c: HonoCall): Promise<Response> => {
    const body = () => (c.req.raw.bodyUsed ? c.req.text() : bodyOfStream(c.req.raw.body));
    return send(c, await endpoint(c as R, httpOf(c, options.ip, 0), body));
  };
}

/** What is read of a request of Hono beside what its types give to all versions alike. */
interface HonoRequest {
  readonly method: string;
  readonly path: string;
  /** Which of the matched routes is the one that runs. */
  readonly routeIndex?: number;
  readonly matchedRoutes?: readonly { readonly method: string; readonly path: string }[];
  param(name: string): unknown;
  query(name: string): string | undefined;
  queries(name: string): readonly string[] | undefined;
}

/** @param skipped 1 for a guard, which comes before the handler, 0 for the handler itself */
function httpOf<R>(c: HonoCall, ip: HonoOptions<R>['ip'], skipped: 0 | 1): HttpRequest {
  const { method, url, raw } = c.req;
  const request = c.req as unknown as HonoRequest;
  // Servers of Node show the target (`@hono/node-server`). Of the URL only a fragment is looked at.
  const { incoming } = ((c as { env?: unknown }).env ?? {}) as { incoming?: { url?: string } };
  return {
    method,
    target: incoming?.url ?? url.replace(/^[^#]*/, '/'),
    route: routeOf(request, skipped),
    // Called within the guard, which answers what it throws.
    get ip() {
      return ip?.(c as R);
    },
    header: (name) => {
      const value = raw.headers.get(name);
      return value === null ? [] : [value];
    },
    // A handler may read either; versions differ in what the first one takes of an escaped name.
    query: (name) => {
      const values = request.queries(name);
      return values?.length === 1 && values[0] === request.query(name) ? values[0] : undefined;
    },
    parameter: (name) => request.param(name),
  };
}

/**
 * The route that the guard or the handler stands in. Hono answers HEAD by GET's routes. It gives no parameter
 * for a rest; the path that it matches by is decoded but for what would split it, and of one spelling if no
 * escape is left.
 */
function routeOf(request: HonoRequest, skipped: 0 | 1): MatchedRoute {
  const { method, path, matchedRoutes = [], routeIndex = 0 } = request;
  const own = matchedRoutes[routeIndex];
  if (own === undefined) return { method: handledMethod([], method), path: undefined };
  const handlers = own.method === 'ALL' ? matchedRoutes.slice(routeIndex + skipped) : [own];
  const template = own.path.replace(/(:[^/{}]+)\{[^/]*\}/g, '$1');
  return {
    method: handledMethod(
      handlers.map((route) => (route.method === 'ALL' ? undefined : route.method)),
      method,
    ),
    path: template.endsWith('*') ? plainPath(path) : routePath(template, (name) => request.param(name)),
  };
}

const send = (c: HonoCall, { status, headers, body }: HttpAnswer): Response =>
  c.body(c.req.method === 'HEAD' ? null : body, status, { ...headers });
