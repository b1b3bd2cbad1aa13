import type { RequestOr } from './caller.ts';
import { createGuards, type GuardOptions } from './guard.ts';
import { type HttpAnswer, type HttpRequest, targetOf } from './http.ts';
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
  type Request = RequestOr<R, HonoContext>;
  return createGuards<Permission, Request, HonoMiddleware>(options as GuardOptions<Request>, (decide) => {
    return async (c, next) => {
      const answer = await decide(c as Request, httpOf(c, options.ip));
      if (answer) return send(c, answer);
      await next();
    };
  });
}

/** A handler that answers what the caller may do at a scope (permissions/endpoint.ts), for GET and POST. */
export function honoPermissions<R = HonoContext>(options: PermissionsOptions<R> & HonoOptions<R>) {
  const endpoint = createPermissionsEndpoint(options);
  return async (c: HonoCall): Promise<Response> => {
    const body = () => (c.req.raw.bodyUsed ? c.req.text() : bodyOfStream(c.req.raw.body));
    return send(c, await endpoint(c as R, httpOf(c, options.ip), body));
  };
}

function httpOf<R>(c: HonoCall, ip: HonoOptions<R>['ip']): HttpRequest {
  const { method, url, raw } = c.req;
  const { path = '', query } = targetOf(url.replace(/#.*$/s, ''));
  return {
    method,
    path: path.replace(/^[a-z][a-z+.-]*:\/\/[^/]*/i, '') || '/',
    query,
    // Called within the guard, which answers what it throws.
    get ip() {
      return ip?.(c as R);
    },
    header: (name) => {
      const value = raw.headers.get(name);
      return value === null ? [] : [value];
    },
    parameter: (name) => (c.req as { param?(name: string): unknown }).param?.(name),
  };
}

const send = (c: HonoCall, { status, headers, body }: HttpAnswer): Response =>
  c.body(c.req.method === 'HEAD' ? null : body, status, { ...headers });
