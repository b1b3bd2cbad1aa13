import { invalidOption } from './caller.ts';
import { createGuards, type GuardOptions } from './guard.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type NodeHeaders,
  nodeHeader,
  ownValue,
  type Parsed,
  parsedQuery,
} from './http.ts';
import { decodedOnce, handledMethod, type MatchedRoute, routePath } from './matched-route.ts';
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

/** What Express does not say of a mounted router. */
export interface ExpressOptions {
  /**
   * The whole path that the router of the guarded routes is mounted at, `/schools/:school`. Express says only
   * how the caller spelt it: without this option `context.path` is missing there.
   */
  readonly mount?: string | undefined;
}

/**
 * Makes guards for the routes of an Express application. `authorizationOf(request)` gives handlers the
 * decision.
 *
 * @throws GatehouseError `invalid` for a missing option or, from the guard, for a malformed template
 */
export function expressGuard<Permission extends string = string, R = ExpressRequest>(
  options: GuardOptions<R> & ExpressOptions,
) {
  const mount = mountIn(options);
  return createGuards<Permission, R, ExpressRequest, ExpressMiddleware>(options, (decide) => {
    const guard: ExpressMiddleware = async (request, response, next) => {
      const route = routeOf(request, guard, 1, mount);
      const answer = await decide(request, { ...httpOf(request), route });
      if (answer) send(response, answer, request.method);
      else next();
    };
    return guard;
  });
}

/**
 * A handler that answers what the caller may do at a scope (permissions/endpoint.ts): for `app.all`, or as a
 * listener of `node:http`. A body is read here if no parser read it before.
 */
export function expressPermissions<R = ExpressRequest>(options: PermissionsOptions<R> & ExpressOptions) {
  const endpoint = createPermissionsEndpoint(options);
  const mount = mountIn(options);
  return async function handler(request: NodeRequest & NodeBody, response: NodeResponse): Promise<void> {
    const http = httpOf(request);
    const query = (request as Parsed).query === undefined ? queryOf(http.target) : http.query;
    const route = routeOf(request, handler, 0, mount);
    const answer = await endpoint(request as R, { ...http, query, route }, () => bodyOfNode(request));
    send(response, answer, request.method);
  };
}

type NodeBody = Parameters<typeof bodyOfNode>[0];

const httpOf = (request: NodeRequest): Omit<HttpRequest, 'route'> => ({
  method: request.method,
  target: request.originalUrl ?? request.url,
  ip: request.ip ?? request.socket?.remoteAddress,
  header: nodeHeader(request),
  // Read when they are asked for: Express sets them when the route matches, and parses the query each time.
  query: (name) => ownValue((request as Parsed).query, name),
  parameter: (name) => ownValue((request as Parsed).params, name),
});

/** The query where nothing parses it but the handler: only for the one that answers itself. */
const queryOf = (target = ''): HttpRequest['query'] => {
  const values = parsedQuery(target.split('?').slice(1).join('?'));
  return (name) => (values.getAll(name).length === 1 ? values.get(name) : undefined);
};

/** What is read of Express 4 and 5's `request.route`; that of other frameworks may have nothing of it. */
interface Route {
  readonly path?: unknown;
  readonly methods?: Readonly<Record<string, boolean>>;
  readonly stack?: readonly Layer[];
}

interface Layer {
  /** None: it takes all methods. */
  readonly method?: string | undefined;
  /** A function; a router in the place of a handler has a function of this name itself. */
  readonly handle: { readonly handle?: unknown };
}

/**
 * The route that a function stands in. Express keeps the route that it passed last in `request.route`, also
 * for what was mounted by `app.use`; so the function has to be found in it, with handlers from there on that
 * are no routers.
 *
 * @param skipped 1 for a guard, which comes before the handler, 0 for the handler itself
 */
function routeOf(
  request: NodeRequest,
  self: unknown,
  skipped: 0 | 1,
  mount: string | undefined,
): MatchedRoute {
  const { method: verb = '', baseUrl = '' } = request as { method?: string; baseUrl?: string };
  const { route, params } = request as { route?: Route; params?: unknown };
  // As Express does it: GET's handlers answer HEAD where the route has none for it.
  const served = verb === 'HEAD' && !route?.methods?.head ? 'get' : verb.toLowerCase();
  const layers = (route?.stack ?? []).filter(({ method = served }) => method === served);
  const position = layers.findLastIndex(({ handle }) => handle === self);
  const following = position < 0 ? [] : layers.slice(position + skipped);
  const handlers = following.some(({ handle }) => handle.handle !== undefined) ? [] : following;
  const mounted = mountedAt(mount, baseUrl);
  const path = routePath(route?.path, (name) => ownValue(params, name));
  const isKnown = handlers.length > 0 && mounted !== undefined && path !== undefined;
  return {
    method: handledMethod(
      handlers.map(({ method }) => method?.toUpperCase()),
      verb,
    ),
    path: isKnown ? `${mounted}${path}`.replace(/(?<=.)\/$/, '') : undefined,
  };
}

/** @throws GatehouseError `invalid` for what is no path with parameters */
function mountIn({ mount }: ExpressOptions): string | undefined {
  if (mount !== undefined && (mount.includes('*') || routePath(mount, () => 'x') === undefined))
    throw invalidOption('mount', 'a path such as /schools/:school');
  return mount;
}

/** The path that a router is mounted at, in one spelling; undefined if the request came by another one. */
function mountedAt(mount: string | undefined, baseUrl: string): string | undefined {
  if (mount === undefined) return baseUrl === '' ? '' : undefined;
  const given = baseUrl.split('/');
  const parts = mount.split('/');
  const isSame = (part: string, at: number) =>
    part.startsWith(':') || part.toLowerCase() === given[at]?.toLowerCase();
  if (parts.length !== given.length || !parts.every(isSame)) return undefined;
  return routePath(mount, (_, position) => decodedOnce(given[position + 1] ?? ''));
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
