import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { serve } from '@hono/node-server';
import express5, { type Request as ExpressRequest } from 'express';
// @ts-expect-error: it comes without types; those of 5 fit what is used here
import express4 from 'express-4';
import fastify5, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import fastify4 from 'fastify-4';
import { type Context, Hono } from 'hono';
import { expressGuard, fastifyGuard, honoGuard } from '../../middleware/index.ts';
import { ALLOWED, createFakeEngine } from '../support/fake-engine.ts';
import type { Line } from './request-lines.ts';

/**
 * Real servers whose handlers say what they were given, and whose engine says what it was asked: both by the
 * number of the request.
 */

/** What a handler is given. */
export interface Served {
  /** The method that it is registered for. */
  readonly method: string;
  /** Its template with the parameters; undefined where no route says it. */
  readonly path: string | undefined;
  /** What the scope is to be taken from: one text, or anything else. */
  readonly id: unknown;
}

/** What the guard asks the engine. */
export interface Decided {
  readonly method: unknown;
  readonly path: unknown;
  readonly scope: string | undefined;
}

export interface Witness {
  /** Handlers' values, as they are in front of the guard, whether it lets the request through or not. */
  readonly given: Map<string, Served>;
  readonly decided: Map<string, Decided>;
  /** Handlers' values in the handler. */
  readonly served: Map<string, Served>;
}

/** Allows whatever has a scope. */
const allowing = ({ decided }: Witness) =>
  createFakeEngine({
    decide: async ({ subject, scope, given }) => {
      const { method, path } = given?.context ?? {};
      decided.set(subject, { method, path, scope });
      return ALLOWED;
    },
  }).engine;

type Start = (witness: Witness) => Promise<Server>;

const listening = async (server: Server): Promise<Server> => {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const one = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);

const PERMISSION = 'p';
const BY_ID = 'location:{id}';
const BY_QUERY = 'location:{query:at}';
const FIXED = 'location:fixed';

type Verb = 'get' | 'all';
type Params = Readonly<Record<string, unknown>>;

/** A request as its handler has it. */
interface Given {
  readonly method: string;
  /** The rest of a path is `*`. */
  readonly params: Params;
  /** The query parameter `at`. */
  readonly at: unknown;
}

/** What the handler of a route is given; its template is null where it has none that the guard could know. */
const servedBy = (
  verb: Verb,
  template: string | null,
  where: string,
  { method, params, at }: Given,
): Served => ({
  method: verb === 'all' ? method : 'GET',
  path: template?.replace(/:(\w+)|\*/g, (_, name) => String(params[name ?? '*'])),
  id: where === FIXED ? 'fixed' : where === BY_QUERY ? at : params.id,
});

function expressServer(express: typeof express5, rest: string, parser?: string): Start {
  return (witness) => {
    const parts = { engine: allowing(witness), who: numberOf };
    const guard = expressGuard(parts);
    const app = express();
    app.set('env', 'test');
    if (parser) app.set('query parser', parser);
    const givenIn = ({ method, params, query }: ExpressRequest): Given => {
      const all = (params as Params).rest ?? (params as Params)[0];
      return {
        method,
        params: { ...params, '*': Array.isArray(all) ? all.join('/') : all },
        at: one(query.at),
      };
    };
    /** Before and after a guard. */
    const witnesses = (
      verb: Verb,
      template: string | null,
      where: string,
    ): readonly [express5.RequestHandler, express5.RequestHandler] => [
      (request, _response, next) => {
        witness.given.set(numberOf(request), servedBy(verb, template, where, givenIn(request)));
        next();
      },
      (request, response) => {
        witness.served.set(numberOf(request), servedBy(verb, template, where, givenIn(request)));
        response.end();
      },
    ];
    const add = (
      router: express5.Router,
      verb: Verb,
      path: string,
      where: string,
      template: string | null = path,
      guarded = guard,
    ) => {
      const [see, serve] = witnesses(verb, template, where);
      router[verb](path, see, guarded(PERMISSION, where), serve);
    };
    add(app, 'get', '/admin/:id', BY_ID);
    add(app, 'all', '/any/:id', BY_ID);
    const [seeBoth, both] = witnesses('get', '/both/:id', BY_ID);
    app.route('/both/:id').all(seeBoth, guard(PERMISSION, BY_ID)).get(both);
    add(app, 'get', '/reports', BY_QUERY);
    add(app, 'get', rest, FIXED, '/files/*');

    const router = express.Router({ mergeParams: true });
    add(router, 'get', '/x/:id', BY_ID, '/m/:t/x/:id', expressGuard({ ...parts, mount: '/m/:t' }));
    app.use('/m/:t', router);
    const other = express.Router();
    add(other, 'get', '/y/:id', BY_ID, null);
    app.use('/u', other);

    // A router in the place of a handler: its routes are read apart from that of the guard.
    const inner = express.Router();
    const [seeInner, within] = witnesses('get', null, BY_ID);
    inner.get('/inner/:id', seeInner, within);
    app.all('/:inner/:id', guard(PERMISSION, BY_ID), inner);

    // A guard in front of other routes, and one in a route without its handler.
    app.get('/used/:id', (_request, _response, next) => next());
    const [seeAlone, alone] = witnesses('get', null, FIXED);
    app.use('/used', guard(PERMISSION, FIXED));
    app.get('/used/:id', seeAlone, alone);
    app.all('/:alone/:id/alone', guard(PERMISSION, FIXED));
    app.get('/alone/:id/alone', seeAlone, alone);
    return listening(createServer(app as RequestListener));
  };
}

function fastifyServer(fastify: typeof fastify5, options: FastifyServerOptions = {}): Start {
  return async (witness) => {
    const guard = fastifyGuard({ engine: allowing(witness), who: numberOf });
    const app = fastify(options);
    const add = (
      { router, isGuarded = true }: { readonly router: FastifyInstance; readonly isGuarded?: boolean },
      verb: Verb,
      path: string,
      where: string,
      template = path,
    ) => {
      const values = ({ method, params, query }: FastifyRequest) =>
        servedBy(verb, template, where, { method, params: params as Params, at: one((query as Params).at) });
      const see = async (request: FastifyRequest) => {
        witness.given.set(numberOf(request), values(request));
      };
      const onRequest = isGuarded ? [see, guard(PERMISSION, where)] : [see];
      router[verb](path, { onRequest }, async (request: FastifyRequest) => {
        witness.served.set(numberOf(request), values(request));
        return 'served';
      });
    };
    const router = app;
    add({ router }, 'get', '/admin/:id', BY_ID);
    add({ router }, 'all', '/any/:id', BY_ID);
    add({ router }, 'get', '/both/:id', BY_ID);
    add({ router }, 'get', '/reports', BY_QUERY);
    add({ router }, 'get', '/files/*', FIXED);
    app.register(
      async (inner) => {
        add({ router: inner }, 'get', '/x/:id', BY_ID, '/m/:t/x/:id');
        add({ router: inner }, 'get', '/', FIXED, '/m/:t');
      },
      { prefix: '/m/:t' },
    );
    app.register(async (inner) => {
      inner.addHook('onRequest', guard(PERMISSION, FIXED));
      add({ router: inner, isGuarded: false }, 'get', '/used/:id', FIXED);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  };
}

const honoServer: Start = async (witness) => {
  const number = (c: Context) => `user:${c.req.header('x-number')}`;
  const guard = honoGuard({ engine: allowing(witness), who: number });
  const app = new Hono();
  const givenIn = (c: Context): Given => {
    const { at } = c.req.queries();
    const isOne = at?.length === 1 && at[0] === c.req.query('at') && at[0] === c.req.query().at;
    const params = { ...c.req.param(), '*': c.req.path.slice('/files/'.length) };
    return { method: c.req.method, params, at: isOne ? at[0] : undefined };
  };
  const add = (router: Hono, verb: Verb, path: string, where: string, template = path, isGuarded = true) => {
    const values = (c: Context) => servedBy(verb, template, where, givenIn(c));
    const see = async (c: Context, next: () => Promise<void>) => {
      witness.given.set(number(c), values(c));
      await next();
    };
    const serveIt = (c: Context) => {
      witness.served.set(number(c), values(c));
      return c.text('served');
    };
    if (isGuarded) router[verb](path, see, guard(PERMISSION, where), serveIt);
    else router[verb](path, see, serveIt);
  };
  add(app, 'get', '/admin/:id', BY_ID);
  add(app, 'all', '/any/:id', BY_ID);
  add(app, 'get', '/both/:id{.+}', BY_ID, '/both/:id');
  add(app, 'get', '/reports', BY_QUERY);
  add(app, 'get', '/files/*', FIXED);
  const router = new Hono();
  add(router, 'get', '/x/:id', BY_ID, '/m/:t/x/:id');
  app.route('/m/:t', router);
  app.use('/used/*', guard(PERMISSION, FIXED));
  add(app, 'get', '/used/:id', FIXED, '/used/:id', false);
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await new Promise<void>((resolve) => server.once('listening', resolve));
  return server;
};

/** No router, no parser: the handler reads the target itself, and the guard says nothing of it. */
const plainServer: Start = (witness) => {
  const guarded = expressGuard({ engine: allowing(witness), who: numberOf })(PERMISSION, FIXED);
  return listening(
    createServer((request, response) => {
      const values = { method: request.method ?? '', path: undefined, id: 'fixed' };
      witness.given.set(numberOf(request), values);
      void guarded(request, response, () => {
        witness.served.set(numberOf(request), values);
        response.end();
      });
    }),
  );
};

function numberOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return `user:${headers['x-number']}`;
}

/** Paths of the routes above. */
export const PATHS = [
  ...[
    '/admin/ID',
    '/any/ID',
    '/both/ID',
    '/reports',
    '/reports',
    '/reports',
    '/files/a/ID',
    '/m/ID/x/ID',
    '/m/ID',
  ],
  ...['/u/y/ID', '/used/ID', '/alone/ID/alone', '/inner/ID'],
];

/** Fastify's types do not know the separator. */
const TOLERANT = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  useSemicolonDelimiter: true,
};

export const WITNESSES: readonly (readonly [name: string, start: Start])[] = [
  ['Express 4', expressServer(express4, '/files/*')],
  ['Express 5', expressServer(express5, '/files/*rest')],
  ['Express 5 with the extended parser', expressServer(express5, '/files/*rest', 'extended')],
  ['Fastify 4', fastifyServer(fastify4 as unknown as typeof fastify5)],
  ['Fastify 5', fastifyServer(fastify5)],
  ['Fastify 5 with a tolerant router', fastifyServer(fastify5, { routerOptions: TOLERANT })],
  ['Hono 4 on Node', honoServer],
  ['node:http', plainServer],
];

/** Sends a request line as it is, and gives the status of the answer; 0 if there is none. */
export const sendLine = (server: Server, { method, target }: Line, number: number): Promise<number> =>
  new Promise((resolve) => {
    const { port } = server.address() as AddressInfo;
    const head = ['Host: h.example', `X-Number: ${number}`, 'Connection: close'].join('\r\n');
    let answer = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`${method} ${target} HTTP/1.1\r\n${head}\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(0));
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)));
  });
