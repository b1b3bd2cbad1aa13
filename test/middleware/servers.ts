import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import middy from '@middy/core';
import express, { type Request as ExpressRequest } from 'express';
import fastify, { type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import type { Engine } from '../../engine/index.ts';
import {
  type Authorization,
  authorizationOf,
  expressGuard,
  expressPermissions,
  fastifyGuard,
  fastifyPermissions,
  honoGuard,
  honoPermissions,
  type LambdaAnswer,
  type LambdaEvent,
  lambdaGuard,
  lambdaPermissions,
  powertoolsGuard,
  type Who,
} from '../../middleware/index.ts';
import type { Reader } from '../../table/reader.ts';
import type { Answered, Sent } from './support.ts';

export interface Parts {
  readonly engine: Engine;
  readonly reader: Reader;
  // biome-ignore lint/suspicious/noExplicitAny: a function for all frameworks
  readonly who: Who<any>;
  readonly now: () => number;
  readonly showReason?: boolean;
  readonly onFault?: (error: unknown) => void;
}

export interface Application {
  readonly send: (request: Sent) => Promise<Answered>;
  readonly close: () => Promise<unknown>;
}

/**
 * The same application in each framework:
 *
 *   ANY  /page/:page/:location      guarded by a permission from the path and a scope template
 *   GET  /grades/:location          guarded by a name and a function
 *   GET  /records/:location         guarded with an object of the application, whose owner is in the query
 *   GET  /throws/:location          guarded by a function that throws
 *   GET  /nothing/:location         guarded by functions that give nothing
 *   GET  /fails/:location           whose handler throws
 *   ANY  /permissions               the permissions endpoint
 *
 * Handlers answer with the decision that they find.
 */
export type Start = (parts: Parts) => Promise<Application>;

const failing = (): never => {
  throw new Error('secret of a callback');
};
const recordOf = (owner: unknown) => ({
  resource: { type: 'record', id: 'r1', properties: { owner } },
});

/** Sends by what fetches, as over HTTP. */
const sendBy =
  (get: (path: string, init: RequestInit) => Response | Promise<Response>): Application['send'] =>
  async ({ method = 'GET', path, headers = {}, body }) =>
    answeredBy(
      await get(path, {
        method,
        headers: { 'user-agent': 'test/1.0', ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    );
const overHttp = (base: string) => sendBy((path, init) => fetch(base + path, init));

const answeredBy = async (answer: Response): Promise<Answered> => ({
  status: answer.status,
  header: (name) => answer.headers.get(name),
  text: await answer.text(),
});

async function listening(server: Server): Promise<Application> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    send: overHttp(`http://127.0.0.1:${port}`),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** The paths of the routes. */
const PATHS = {
  page: '/page/:page/:location',
  grades: '/grades/:location',
  records: '/records/:location',
  throws: '/throws/:location',
  nothing: '/nothing/:location',
  fails: '/fails/:location',
} as const;
type RouteName = keyof typeof PATHS;
const ROUTES = Object.entries(PATHS) as [RouteName, string][];
const methodOf = (name: RouteName) => (name === 'page' ? 'all' : 'get');

/** How a framework's functions of a request get at a parameter of its path, and at the owner in its query. */
interface Values<R> {
  readonly param: (request: R, name: string) => string | undefined;
  readonly owner: (request: R) => unknown;
}

/** The guards of the routes. `R` is a framework's request: each guard has its own type of it. */
function guardsOf<R, G>(
  // biome-ignore lint/suspicious/noExplicitAny: a function for all frameworks
  guard: (permission: any, where: any, options?: any) => G,
  { param, owner }: Values<R>,
): Readonly<Record<RouteName, G>> {
  const nothing = () => undefined;
  return {
    page: guard((request: R) => param(request, 'page'), 'location:{location}'),
    grades: guard('grades', (request: R) => `location:${param(request, 'location')}`),
    records: guard('records', 'location:{location}', { given: (request: R) => recordOf(owner(request)) }),
    throws: guard('grades', failing),
    nothing: guard(nothing, nothing),
    fails: guard('grades', 'location:{location}'),
  };
}

const startExpress: Start = async (parts) => {
  const app = express();
  const guards = guardsOf<ExpressRequest, express.RequestHandler>(expressGuard(parts), {
    param: ({ params }, name) => params[name] as string,
    owner: ({ query }) => query.owner,
  });
  const show = (request: ExpressRequest, response: express.Response) =>
    void response.json(authorizationOf(request));
  for (const [name, path] of ROUTES)
    app[methodOf(name)](path, guards[name], name === 'fails' ? failing : show);
  app.all('/permissions', expressPermissions(parts));
  app.use(((_error, _request, response, _next) => {
    response.status(500).send('handled by the application');
  }) satisfies express.ErrorRequestHandler);
  return listening(createServer(app));
};

const startFastify: Start = async (parts) => {
  const app = fastify({ forceCloseConnections: true });
  const guard = fastifyGuard(parts);
  const guards = guardsOf<FastifyRequest, ReturnType<typeof guard>>(guard, {
    param: ({ params }, name) => (params as Record<string, string>)[name],
    owner: ({ query }) => (query as Record<string, unknown>).owner,
  });
  for (const [name, path] of ROUTES)
    app[methodOf(name)](
      path,
      // A guard may come as early as it likes.
      { [name === 'grades' ? 'onRequest' : 'preHandler']: guards[name] },
      async (request: FastifyRequest) => (name === 'fails' ? failing() : authorizationOf(request)),
    );
  app.all('/permissions', fastifyPermissions(parts));
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send('handled by the application'));
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  return { send: overHttp(base), close: () => app.close() };
};

const startHono: Start = async (parts) => {
  const app = new Hono();
  const guard = honoGuard({ ...parts, ip: () => '127.0.0.1' });
  const guards = guardsOf<Context, ReturnType<typeof guard>>(guard, {
    param: (c, name) => c.req.param(name),
    owner: (c) => c.req.query('owner'),
  });
  for (const [name, path] of ROUTES)
    app[methodOf(name)](path, guards[name], (c) =>
      name === 'fails' ? failing() : c.json(authorizationOf(c)),
    );
  app.all('/permissions', honoPermissions({ ...parts, ip: () => '127.0.0.1' }));
  app.onError((_error, c) => c.text('handled by the application', 500));
  return { send: sendBy(app.request), close: async () => undefined };
};

/** An event as API Gateway makes it of a request and the parameters in its path, as they were sent. */
type Event = (request: Sent, route: { readonly template: string; readonly sent: Parameters }) => LambdaEvent;
type Parameters = Readonly<Record<string, string>>;

const queryIn = (path: string) => path.split('?')[1] ?? '';
const pathIn = (path: string) => path.split('?')[0] ?? '';

/** Decodes the path and its parameters; the query comes in two forms, of which one joins values by commas. */
const httpEvent: Event = ({ method = 'GET', path, headers, body }, { template, sent }) => {
  const query = new URLSearchParams(queryIn(path));
  const joined = [...query.keys()].map((key) => [key, query.getAll(key).join(',')]);
  return {
    version: '2.0',
    routeKey: `ANY ${template}`,
    rawPath: `/prod${decodeURIComponent(pathIn(path))}`,
    rawQueryString: queryIn(path),
    ...(joined.length === 0 ? {} : { queryStringParameters: Object.fromEntries(joined) }),
    headers: { 'user-agent': 'test/1.0', ...headers },
    pathParameters: Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, decodeURIComponent(value)]),
    ),
    body: body && Buffer.from(body).toString('base64'),
    isBase64Encoded: body !== undefined,
    requestContext: { stage: 'prod', http: { method, sourceIp: '127.0.0.1' } },
  };
};

/** Decodes the query, and leaves path parameters as they were sent. */
const restEvent: Event = ({ method = 'GET', path, headers = {}, body }, { template, sent }) => {
  const all = { 'User-Agent': 'test/1.0', ...headers };
  const query = new URLSearchParams(queryIn(path));
  return {
    resource: template,
    httpMethod: method,
    path: pathIn(path),
    headers: all,
    multiValueHeaders: listed(Object.entries(all)),
    queryStringParameters: query.size === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.size === 0 ? null : listed([...query]),
    pathParameters: sent,
    body: body ?? null,
    requestContext: { stage: 'prod', httpMethod: method, identity: { sourceIp: '127.0.0.1' } },
  };
};

/**
 * Decodes nothing, and knows no routes: parameters are those of a router in the function. Sends lists of
 * values.
 */
const balancerEvent: Event = ({ method = 'GET', path, headers = {}, body }, { sent }) => ({
  httpMethod: method,
  path: pathIn(path),
  multiValueHeaders: listed(Object.entries({ 'user-agent': 'test/1.0', ...headers })),
  multiValueQueryStringParameters: listed(
    queryIn(path)
      .split('&')
      .filter(Boolean)
      .map((each) => each.split('=') as [string, string]),
  ),
  pathParameters: sent,
  body: body ?? '',
  requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:…' } },
});

function listed(entries: readonly (readonly [string, string])[]): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const [name, value] of entries) lists[name] = [...(lists[name] ?? []), value];
  return lists;
}

/** Calls a function by its path, as API Gateway calls functions by their routes. */
const routed = async (
  request: Sent,
  routes: Readonly<Record<string, (event: LambdaEvent) => Promise<unknown>>>,
  eventOf: Event,
): Promise<Answered> => {
  const [, first = '', second = '', third = ''] = pathIn(request.path).split('/');
  const sent = first === 'page' ? { page: second, location: third } : { location: second };
  const template = ['', first, ...(second ? Object.keys(sent).map((name) => `{${name}}`) : [])].join('/');
  const run = routes[first];
  if (!run) throw new Error(`no route ${first}`);
  const answer = (await run(eventOf(request, { template, sent: sent as Parameters })).catch(
    (error: Error) => {
      if (error.message !== 'secret of a callback') throw error;
      return { statusCode: 500, headers: {}, body: 'handled by the application' };
    },
  )) as LambdaAnswer;
  const headers = new Headers(answer.headers);
  for (const [name, [value]] of Object.entries(answer.multiValueHeaders ?? {}))
    headers.set(name, value ?? '');
  // API Gateway sends no body in answer to HEAD.
  return {
    status: answer.statusCode,
    header: (name) => headers.get(name),
    text: request.method === 'HEAD' ? '' : answer.body,
  };
};

const shown = (authorization: Authorization): LambdaAnswer => ({
  statusCode: 200,
  headers: {},
  body: JSON.stringify(authorization),
  isBase64Encoded: false,
});

/** The routes of a function, each guarded by `around`. */
const functionOf = <G>(
  guards: Readonly<Record<RouteName, G>>,
  around: (guard: G, name: RouteName) => (event: LambdaEvent) => Promise<unknown>,
  parts: Parts,
) => {
  const permissions = lambdaPermissions(parts);
  const routes = ROUTES.map(([name]) => [name, around(guards[name], name)] as const);
  return { ...Object.fromEntries(routes), permissions: (event: LambdaEvent) => permissions(event) };
};

const lambda =
  (eventOf: Event, isMiddy = false): Start =>
  async (parts) => {
    const guard = lambdaGuard(parts);
    const guards = guardsOf<LambdaEvent, ReturnType<typeof guard>>(guard, {
      param: ({ pathParameters }, name) => pathParameters?.[name],
      owner: ({ rawQueryString, multiValueQueryStringParameters: lists }) =>
        new URLSearchParams(rawQueryString).get('owner') ?? lists?.owner?.[0],
    });
    const routes = functionOf(
      guards,
      (route, name) => {
        const show = async (event: LambdaEvent) => shown(authorizationOf(event));
        const handler = name === 'fails' ? async () => failing() : show;
        const run = isMiddy ? middy(handler).use(route) : route.wrap(handler);
        return (event) => run(event, {} as never) as Promise<unknown>;
      },
      parts,
    );
    return { send: (request) => routed(request, routes, eventOf), close: async () => undefined };
  };

/** The contract of a middleware of Powertools' event handler: it answers, or calls the next one. */
const startPowertools: Start = async (parts) => {
  const guard = powertoolsGuard(parts);
  type Routed = { readonly params: Record<string, string>; readonly event: LambdaEvent };
  const guards = guardsOf<Routed, ReturnType<typeof guard>>(guard, {
    param: ({ params }, name) => params[name],
    owner: ({ event }) => new URLSearchParams(event.rawQueryString).get('owner'),
  });
  const routes = functionOf(
    guards,
    (route, name) => async (event) => {
      // Routes are those of the event handler: the event has none.
      const reqCtx = {
        event: { ...event, routeKey: '$default', pathParameters: undefined },
        params: event.pathParameters as Record<string, string>,
        route: event.routeKey?.replace(/\{(\w+)\}/g, ':$1') ?? null,
        req: new Request('http://localhost'),
      };
      let answer: LambdaAnswer | undefined;
      const early = await route({
        reqCtx,
        next: async () => {
          answer = name === 'fails' ? failing() : shown(authorizationOf(reqCtx));
        },
      });
      if (answer) return answer;
      if (!early) throw new Error('neither answered nor called the next one');
      return {
        statusCode: early.status,
        headers: Object.fromEntries(early.headers),
        body: await early.text(),
      };
    },
    parts,
  );
  return { send: (request) => routed(request, routes, httpEvent), close: async () => undefined };
};

export const SERVERS: readonly (readonly [name: string, start: Start])[] = [
  ['Express', startExpress],
  ['Fastify', startFastify],
  ['Hono', startHono],
  ['Lambda, HTTP API 2.0', lambda(httpEvent)],
  ['Lambda, REST API', lambda(restEvent)],
  ['Lambda, load balancer', lambda(balancerEvent)],
  ['Lambda with Middy', lambda(httpEvent, true)],
  ['Lambda with Powertools', startPowertools],
];
