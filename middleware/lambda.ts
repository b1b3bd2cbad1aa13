import type { RequestOr } from './caller.ts';
import { createGuards, type GuardOptions } from './guard.ts';
import { type HttpAnswer, type HttpRequest, ownValue } from './http.ts';
import { createPermissionsEndpoint, type PermissionsOptions } from './permissions/endpoint.ts';

/**
 * What the guard reads of an event of an HTTP API (payload formats 2.0 and 1.0), a REST API, a function URL or
 * an Application Load Balancer.
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
  type Request = RequestOr<R, LambdaEvent>;
  return createGuards<Permission, Request, LambdaGuard>(options as GuardOptions<Request>, (decide) => {
    async function refusalOf(event: unknown): Promise<LambdaAnswer | undefined> {
      const answer = await decide(event as Request, httpOf(event));
      return answer && toLambda(answer, event);
    }
    return {
      wrap: (handler) => async (event, context) => (await refusalOf(event)) ?? handler(event, context),
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
  type Request = RequestOr<R, PowertoolsContext>;
  return createGuards<Permission, Request, PowertoolsMiddleware>(
    options as GuardOptions<Request>,
    (decide) => {
      return async ({ reqCtx, next }) => {
        const { params } = reqCtx as { readonly params?: unknown };
        const http = { ...httpOf(reqCtx.event), parameter: (name: string) => ownValue(params, name) };
        const answer = await decide(reqCtx as Request, http);
        if (answer) return new Response(answer.body, { status: answer.status, headers: answer.headers });
        await next();
        return undefined;
      };
    },
  );
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
  const { http, identity, stage } = known.requestContext ?? {};
  return {
    method: http?.method ?? known.httpMethod,
    path: known.rawPath === undefined ? known.path : withoutStage(known.rawPath, stage),
    ip: http?.sourceIp ?? identity?.sourceIp ?? undefined,
    header: (name) => [
      ...new Set([...inAnyCase(known.multiValueHeaders, name), ...inAnyCase(known.headers, name)]),
    ],
    query: (name) => {
      if (known.rawQueryString !== undefined) return new URLSearchParams(known.rawQueryString).getAll(name);
      return textsIn(known.multiValueQueryStringParameters?.[name] ?? known.queryStringParameters?.[name]);
    },
    parameter: (name) => ownValue(known.pathParameters, name),
  };
}

/** `rawPath` begins with the stage unless that is `$default`. */
const withoutStage = (rawPath: string, stage = '$default'): string =>
  stage !== '$default' && rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;

/** REST APIs keep the caller's spelling of a header's name, HTTP APIs use lower case. */
const inAnyCase = (values: LambdaEvent['headers'] | LambdaEvent['multiValueHeaders'], wanted: string) =>
  Object.entries(values ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === wanted ? textsIn(value) : [],
  );

const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');

function toLambda({ status, headers, body }: HttpAnswer, event: unknown): LambdaAnswer {
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
