import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { serve } from '@hono/node-server';
import express5, { type Request as ExpressRequest } from 'express';
// @ts-expect-error: it comes without types; those of 5 fit what is used here
import express4 from 'express-4';
import fastify5, { type FastifyRequest, type FastifyServerOptions } from 'fastify';
import fastify4 from 'fastify-4';
import { type Context, Hono } from 'hono';
import type { Engine, Look, Question } from '../../engine/index.ts';
import { expressGuard, fastifyGuard, honoGuard } from '../../middleware/index.ts';
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
const allowing = ({ decided }: Witness): Pick<Engine, 'checkAsked'> => ({
  checkAsked: (async (ask: (look: Look) => Question | undefined) => {
    const question = ask({} as Look);
    if (question === undefined) throw new Error('no question');
    const { subject, scope, given } = question;
    if (scope === undefined) return { question, decision: undefined, uses: [] };
    const { method, path } = given?.context ?? {};
    decided.set(subject, { method, path, scope });
    const roles = { tenant: 'tenant:t', roles: [] };
    return { question, decision: { allowed: true, reason: 'role' }, tenant: 'tenant:t', roles, uses: [] };
  }) as unknown as Engine['checkAsked'],
});

type Start = (witness: Witness) => Promise<Server>;

const listening = async (server: Server): Promise<Server> => {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const one = (value: unknown): unknown => (typeof value === 'string' ? value : undefined);

/** How the values of a route follow from a request. */
type Values<R> = (request: R) => Served;

const PERMISSION = 'p';
const FIXED = 'location:fixed';

function expressServer(express: typeof express5, rest: string, parser?: string): Start {
  return (witness) => {
    const parts = { engine: allowing(witness), who: numberOf };
    const guard = expressGuard(parts);
    const mounted = expressGuard({ ...parts, mount: '/m/:t' });
    const app = express();
    app.set('env', 'test');
    if (parser) app.set('query parser', parser);
    /** Before and after a guard. */
    const witnesses = (
      values: Values<ExpressRequest>,
    ): readonly [express5.RequestHandler, express5.RequestHandler] => [
      (request, _response, next) => {
        witness.given.set(numberOf(request), values(request));
        next();
      },
      (request, response) => {
        witness.served.set(numberOf(request), values(request));
        response.end();
      },
    ];
    type Params = Record<string, string>;
    const byParameter = (
      method: string | undefined,
      path: (params: Params) => string | undefined,
      id: (params: Params) => string | undefined = (params) => params.id,
    ) =>
      witnesses(({ params, method: sent }) => ({
        method: method ?? sent,
        path: path(params as Params),
        id: id(params as Params),
      }));
    const [seeAdmin, admin] = byParameter('GET', ({ id }) => `/admin/${id}`);
    app.get('/admin/:id', seeAdmin, guard(PERMISSION, 'location:{id}'), admin);
    const [seeAny, any] = byParameter(undefined, ({ id }) => `/any/${id}`);
    app.all('/any/:id', seeAny, guard(PERMISSION, 'location:{id}'), any);
    const [seeBoth, both] = byParameter('GET', ({ id }) => `/both/${id}`);
    app.route('/both/:id').all(seeBoth, guard(PERMISSION, 'location:{id}')).get(both);
    const [seeReports, reports] = witnesses(({ query }) => ({
      method: 'GET',
      path: '/reports',
      id: one(query.at),
    }));
    app.get('/reports', seeReports, guard(PERMISSION, 'location:{query:at}'), reports);
    const [seeFiles, files] = witnesses(({ params }) => {
      const all = (params as Record<string, unknown>).rest ?? params[0];
      return { method: 'GET', path: `/files/${Array.isArray(all) ? all.join('/') : all}`, id: 'fixed' };
    });
    app.get(rest, seeFiles, guard(PERMISSION, FIXED), files);

    const router = express.Router({ mergeParams: true });
    const [seeMounted, whole] = byParameter('GET', ({ t, id }) => `/m/${t}/x/${id}`);
    router.get('/x/:id', seeMounted, mounted(PERMISSION, 'location:{id}'), whole);
    app.use('/m/:t', router);
    const other = express.Router();
    const [seeOther, unknown] = byParameter('GET', () => undefined);
    other.get('/y/:id', seeOther, guard(PERMISSION, 'location:{id}'), unknown);
    app.use('/u', other);

    // A router in the place of a handler: its routes are read apart from that of the guard.
    const inner = express.Router();
    const [seeInner, within] = byParameter('GET', () => undefined);
    inner.get('/inner/:id', seeInner, within);
    app.all('/:inner/:id', guard(PERMISSION, 'location:{id}'), inner);

    // A guard in front of other routes, and one in a route without its handler.
    app.get('/used/:id', (_request, _response, next) => next());
    const nobody = () => undefined;
    const fixed = () => 'fixed';
    const [seeUsed, used] = byParameter('GET', nobody, fixed);
    app.use('/used', guard(PERMISSION, FIXED));
    app.get('/used/:id', seeUsed, used);
    const [seeAlone, alone] = byParameter('GET', nobody, fixed);
    app.all('/:alone/:id/alone', guard(PERMISSION, FIXED));
    app.get('/alone/:id/alone', seeAlone, alone);
    return listening(createServer(app as RequestListener));
  };
}

function fastifyServer(fastify: typeof fastify5, options: FastifyServerOptions = {}): Start {
  return async (witness) => {
    const guard = fastifyGuard({ engine: allowing(witness), who: numberOf });
    const app = fastify(options);
    type Params = Record<string, string>;
    const route = (
      method: string | undefined,
      path: (params: Params) => string | undefined,
      where: string,
      id: (request: FastifyRequest) => unknown,
      isGuarded = true,
    ) => {
      const values: Values<FastifyRequest> = (request) => ({
        method: method ?? request.method,
        path: path(request.params as Params),
        id: id(request),
      });
      const see = async (request: FastifyRequest) => {
        witness.given.set(numberOf(request), values(request));
      };
      return {
        onRequest: isGuarded ? [see, guard(PERMISSION, where)] : [see],
        handler: async (request: FastifyRequest) => {
          witness.served.set(numberOf(request), values(request));
          return 'served';
        },
      };
    };
    const byId = ({ params }: FastifyRequest) => (params as Params).id;
    const byAt = ({ query }: FastifyRequest) => one((query as Params).at);
    app.get(
      '/admin/:id',
      route('GET', ({ id }) => `/admin/${id}`, 'location:{id}', byId),
    );
    app.all(
      '/any/:id',
      route(undefined, ({ id }) => `/any/${id}`, 'location:{id}', byId),
    );
    app.get(
      '/both/:id',
      route('GET', ({ id }) => `/both/${id}`, 'location:{id}', byId),
    );
    app.get(
      '/reports',
      route('GET', () => '/reports', 'location:{query:at}', byAt),
    );
    app.get(
      '/files/*',
      route(
        'GET',
        (params) => `/files/${params['*']}`,
        FIXED,
        () => 'fixed',
      ),
    );
    app.register(
      async (inner) => {
        inner.get(
          '/x/:id',
          route('GET', ({ t, id }) => `/m/${t}/x/${id}`, 'location:{id}', byId),
        );
        inner.get(
          '/',
          route(
            'GET',
            ({ t }) => `/m/${t}`,
            FIXED,
            () => 'fixed',
          ),
        );
      },
      { prefix: '/m/:t' },
    );
    app.register(async (inner) => {
      inner.addHook('onRequest', guard(PERMISSION, FIXED));
      inner.get(
        '/used/:id',
        route(
          'GET',
          ({ id }) => `/used/${id}`,
          FIXED,
          () => 'fixed',
          false,
        ),
      );
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  };
}

const honoServer: Start = async (witness) => {
  const guard = honoGuard({
    engine: allowing(witness),
    who: (c: Context) => `user:${c.req.header('x-number')}`,
  });
  const app = new Hono();
  type Path = (c: Context) => string | undefined;
  const witnesses = (method: string | undefined, path: Path, id: (c: Context) => unknown) => {
    const values = (c: Context) => ({ method: method ?? c.req.method, path: path(c), id: id(c) });
    const number = (c: Context) => `user:${c.req.header('x-number')}`;
    return [
      async (c: Context, next: () => Promise<void>) => {
        witness.given.set(number(c), values(c));
        await next();
      },
      (c: Context) => {
        witness.served.set(number(c), values(c));
        return c.text('served');
      },
    ] as const;
  };
  const byId = (c: Context) => c.req.param('id');
  const atOf = (c: Context) => {
    const { at } = c.req.queries();
    const isOne = at?.length === 1 && at[0] === c.req.query('at') && at[0] === c.req.query().at;
    return isOne ? at[0] : undefined;
  };
  const [seeAdmin, admin] = witnesses('GET', (c) => `/admin/${byId(c)}`, byId);
  app.get('/admin/:id', seeAdmin, guard(PERMISSION, 'location:{id}'), admin);
  const [seeAny, any] = witnesses(undefined, (c) => `/any/${byId(c)}`, byId);
  app.all('/any/:id', seeAny, guard(PERMISSION, 'location:{id}'), any);
  const [seeBoth, both] = witnesses('GET', (c) => `/both/${byId(c)}`, byId);
  app.get('/both/:id{.+}', seeBoth, guard(PERMISSION, 'location:{id}'), both);
  const [seeReports, reports] = witnesses('GET', () => '/reports', atOf);
  app.get('/reports', seeReports, guard(PERMISSION, 'location:{query:at}'), reports);
  const [seeFiles, files] = witnesses(
    'GET',
    (c) => c.req.path,
    () => 'fixed',
  );
  app.get('/files/*', seeFiles, guard(PERMISSION, FIXED), files);
  const router = new Hono();
  const [seeMounted, whole] = witnesses('GET', (c) => `/m/${c.req.param('t')}/x/${byId(c)}`, byId);
  router.get('/x/:id', seeMounted, guard(PERMISSION, 'location:{id}'), whole);
  app.route('/m/:t', router);
  const [seeUsed, used] = witnesses(
    'GET',
    (c) => `/used/${byId(c)}`,
    () => 'fixed',
  );
  app.use('/used/*', guard(PERMISSION, FIXED));
  app.get('/used/:id', seeUsed, used);
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
  [
    'Fastify 5 with a tolerant router',
    fastifyServer(fastify5, {
      routerOptions: TOLERANT,
    }),
  ],
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
