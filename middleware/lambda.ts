import { createGuards, type GuardOptions } from './guard.ts';
import { type HttpAnswer, type HttpRequest, ownValue, parsedQuery } from './http.ts';
import { decodedOnce, type MatchedRoute, plainPath, routePath } from './matched-route.ts';
import { createPermissionsEndpoint, type PermissionsOptions } from './permissions/endpoint.ts';

/**
 * What the guard reads of an event of an HTTP API (payload formats 2.0 and 1.0), a REST API, a function URL
 * or an Application Load Balancer.
 */
export interface LambdaEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly pathParameters?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueQueryStringParameters?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | null
    | undefined;
  /** `2.0` or `1.0` of an HTTP API; a REST API and a load balancer name none. */
  readonly version?: string | undefined;
  /** Format 2.0: `GET /docs/{id}`, or `$default`. */
  readonly routeKey?: string | undefined;
  /** REST API and format 1.0: `/docs/{id}`. */
  readonly resource?: string | undefined;
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  readonly path?: string | undefined;
  readonly httpMethod?: string | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  readonly requestContext?: LambdaRequestContext | undefined;
}

interface LambdaRequestContext {
  readonly http?:
    | { readonly method?: string | undefined; readonly sourceIp?: string | undefined }
    | undefined;
  readonly identity?: { readonly sourceIp?: string | null | undefined } | undefined;
  readonly httpMethod?: string | undefined;
  /** Of a load balancer. */
  readonly elb?: unknown;
  readonly stage?: string | undefined;
}

/** An answer as all of them take it. */
export interface LambdaAnswer {
  statusCode: number;
  headers: Record<string, string>;
  /** For a load balancer that sends lists of values and takes nothing else. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/** The guard of one route. */
export interface LambdaGuard {
  /** A handler that calls `handler` if the request is allowed, and otherwise answers itself. */
  readonly wrap: <Event extends object, Context, Result>(
    handler: (event: Event, context: Context) => Result | Promise<Result>,
  ) => (event: Event, context: Context) => Promise<Result | LambdaAnswer>;
  /** Makes the guard a middleware of Middy, which ends with what it answers. */
  readonly before: (request: { readonly event: unknown }) => Promise<LambdaAnswer | undefined>;
}

/**
 * Makes guards for Lambda handlers behind API Gateway, a function URL or a load balancer. Path parameters are
 * those that the event has. `authorizationOf(event)` gives handlers the decision.
 *
 * @throws GatehouseError `invalid` for a missing option or, from the guard, for a malformed template
 */
export function lambdaGuard<Permission extends string = string, R = LambdaEvent>(options: GuardOptions<R>) {
  return createGuards<Permission, R, LambdaEvent, LambdaGuard>(options, (decide) => {
    async function refusalOf(event: unknown): Promise<LambdaAnswer | undefined> {
      const answer = await decide(event, httpOf(event));
      return answer && toLambda(answer, event);
    }
    return {
      wrap: (handler) => async (event, context) => {
        try {
          return (await refusalOf(event)) ?? (await handler(event, context));
        } finally {
          endInvocation(options);
        }
      },
      before: ({ event }) => refusalOf(event),
    };
  });
}

/** What the guard reads of the request context of Powertools' event handler. */
export interface PowertoolsCall {
  readonly event: unknown;
}

/** What functions of the application get if they do not name Powertools' own `RequestContext`. */
export interface PowertoolsContext extends PowertoolsCall {
  readonly params: Readonly<Record<string, string>>;
  readonly req: Request;
}

/** Middleware for a route of Powertools' event handler. */
export type PowertoolsMiddleware = (args: {
  readonly reqCtx: PowertoolsCall;
  readonly next: () => Promise<unknown>;
}) => Promise<Response | undefined>;

/**
 * Makes guards for the routes of Powertools' event handler. Path parameters are those of its routes.
 * `authorizationOf(reqCtx)` gives handlers the decision.
 *
 * @throws GatehouseError `invalid` for a missing option or, from the guard, for a malformed template
 */
export function powertoolsGuard<Permission extends string = string, R = PowertoolsContext>(
  options: GuardOptions<R>,
) {
  return createGuards<Permission, R, PowertoolsContext, PowertoolsMiddleware>(
    options,
    (decide) =>
      async ({ reqCtx, next }) => {
        const { params, route } = reqCtx as { readonly params?: unknown; readonly route?: string | null };
        const http = httpOf(reqCtx.event);
        const parameter = (name: string) => ownValue(params, name);
        // `GET /reports/:location`, the method being the request's.
        const path = routePath(route?.replace(/^[^/]*/, ''), parameter);
        const answer = await decide(reqCtx, { ...http, parameter, route: { ...http.route, path } });
        try {
          if (answer) return new Response(answer.body, { status: answer.status, headers: answer.headers });
          await next();
          return undefined;
        } finally {
          endInvocation(options);
        }
      },
  );
}

/** Writes to the decision log how much was decided. Lambda may stop the process at any time after the answer. */
function endInvocation({ engine }: Pick<GuardOptions<never>, 'engine'>): void {
  try {
    engine.decisionLog?.end();
  } catch {}
}

/** A Lambda handler that answers what the caller may do at a scope (permissions/endpoint.ts). */
export function lambdaPermissions<R = LambdaEvent>(options: PermissionsOptions<R>) {
  const endpoint = createPermissionsEndpoint(options);
  return async (event: object): Promise<LambdaAnswer> => {
    const { body, isBase64Encoded } = event as LambdaEvent;
    const read = async () =>
      isBase64Encoded && typeof body === 'string' ? Buffer.from(body, 'base64') : body;
    return toLambda(await endpoint(event as R, httpOf(event), read), event);
  };
}

/** The request of an event. Of another event, such as a message of a queue, everything is missing. */
function httpOf(event: unknown): HttpRequest {
  const known: LambdaEvent = typeof event === 'object' && event !== null ? event : {};
  const { http, identity } = known.requestContext ?? {};
  const route = routeOf(known);
  return {
    method: http?.method ?? known.httpMethod,
    route,
    ip: http?.sourceIp ?? identity?.sourceIp ?? undefined,
    header: (name) => [
      ...new Set([...inAnyCase(known.multiValueHeaders, name), ...inAnyCase(known.headers, name)]),
    ],
    query: (name) => queryOf(known, name),
    parameter: (name) => (route.isServed ? parameterOf(known, name) : undefined),
  };
}

/**
 * A path parameter, decoded. HTTP APIs have decoded it; REST APIs hand it over as it was sent, where a slash
 * that is encoded is part of no value.
 */
function parameterOf({ pathParameters, version }: LambdaEvent, name: string): string | undefined {
  const value = ownValue(pathParameters, name);
  if (typeof value !== 'string') return undefined;
  if (version !== undefined) return value;
  return /%2f/i.test(value) ? undefined : decodedOnce(value);
}

/**
 * A query parameter, decoded. API Gateway has decoded it, and gives the query in two forms: handlers may read
 * either, so they must agree on one value. A load balancer hands names and values over as they were sent; `+`
 * is a space to some and a plus to others. Adapters make a URL of path and query: the path must not begin the
 * query.
 */
function queryOf(event: LambdaEvent, name: string): unknown {
  const { rawQueryString, queryStringParameters: single, multiValueQueryStringParameters: multi } = event;
  if (/[?#]/.test(pathIn(event) ?? '')) return undefined;
  const readings = new Set<unknown>();
  if (rawQueryString !== undefined) readings.add(only(parsedQuery(rawQueryString).getAll(name)));
  if (multi) readings.add(only(ownValue(multi, name)));
  if (single || !multi) readings.add(ownValue(single, name));
  const [value, ...others] = readings;
  if (others.length > 0 || typeof value !== 'string') return undefined;
  if (event.requestContext?.elb === undefined) return value;
  const named = Object.keys(multi ?? single ?? {}).filter((key) => decodedOnce(key) === name);
  return named.length === 1 && !value.includes('+') ? decodedOnce(value) : undefined;
}

const only = (values: unknown): unknown =>
  Array.isArray(values) && values.length === 1 ? values[0] : undefined;

/**
 * The route that API Gateway matched, and whether the path agrees with its parameters. A load balancer, a
 * function URL and `$default` have no route: then the path is that of the request, if it is of one spelling
 * and no stage may stand before it.
 */
function routeOf(event: LambdaEvent): MatchedRoute & { readonly isServed: boolean } {
  const { routeKey, resource, httpMethod, requestContext } = event;
  const path = pathIn(event);
  const [, verb, template] = /^(\S+) (\/.*)$/.exec(routeKey ?? `ANY ${resource}`) ?? [];
  const { stage = '$default', http, httpMethod: routed } = requestContext ?? {};
  const methods = [http?.method, httpMethod, routed, verb === 'ANY' ? undefined : verb];
  const [method, ...others] = new Set(methods.filter((each) => each !== undefined));
  const sent = { method: others.length === 0 ? method : undefined, isServed: true };
  if (template === undefined) return { ...sent, path: plainPath(stage === '$default' ? path : undefined) };
  const valueFor = (name: string) => parameterOf(event, name);
  if (path !== undefined && !isOf(template, path, valueFor))
    return { ...sent, path: undefined, isServed: false };
  const colons = template.replace(BRACES, (_, name, rest) => `${rest ? '*' : ':'}${name}`);
  return { ...sent, path: routePath(colons, valueFor) };
}

const pathIn = ({ path, rawPath = path }: LambdaEvent): string | undefined =>
  typeof rawPath === 'string' ? rawPath : undefined;

const BRACES = /\{([^{}+]+)(\+?)\}/g;

/**
 * Whether a path is the template's, decoded. Before that it may have a stage, or what a domain maps to the
 * API.
 */
function isOf(template: string, path: string, valueFor: (name: string) => string | undefined): boolean {
  const filled = template.replace(BRACES, (_, name) => valueFor(name) ?? '');
  const parts = path.split('/').map((part) => decodedOnce(part) ?? part);
  return parts.join('/').replace(/\/$/, '').endsWith(filled.replace(/\/$/, ''));
}

/** REST APIs keep the caller's spelling of a header's name, HTTP APIs use lower case. */
export const inAnyCase = (
  values: LambdaEvent['headers'] | LambdaEvent['multiValueHeaders'],
  wanted: string,
) =>
  Object.entries(values ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === wanted ? textsIn(value) : [],
  );

const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');

export function toLambda({ status, headers, body }: HttpAnswer, event: unknown): LambdaAnswer {
  const known: LambdaEvent = typeof event === 'object' && event !== null ? event : {};
  const isMulti = !known.headers && known.multiValueHeaders;
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  return {
    statusCode: status,
    headers: { ...headers },
    ...(isMulti ? { multiValueHeaders: lists } : {}),
    body,
    isBase64Encoded: false,
  };
}
