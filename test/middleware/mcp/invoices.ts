import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import * as v1 from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import * as v2 from '@modelcontextprotocol/server';
import * as z from 'zod';
import {
  authorizationOf,
  type McpEndpoint,
  type McpEndpointOptions,
  type McpGuardOptions,
  mcpEndpoint,
  mcpGuard,
} from '../../../middleware/mcp/index.ts';
import { createIssuer, goodClaims, ISSUER } from '../../authorizer/support.ts';
import { copyOf, createMemoryWorld } from '../../support/world.ts';

const MANIFEST = {
  permissions: ['invoices:read:invoice', 'invoices:pay:invoice', 'invoices:void:invoice'],
  properties: [{ of: 'action', name: 'amount', type: 'int', source: 'passed' }],
  scopes: {
    acme: { id: 'acme', type: 'tenant' },
    north: { id: 'north', type: 'location', parent: 'acme' },
    south: { id: 'south', type: 'location', parent: 'acme' },
  },
  roles: {
    clerk: {
      id: 'clerk',
      owner: 'acme',
      allow: [
        'invoices:read:invoice',
        { permission: 'invoices:pay:invoice', when: 'action.properties.amount <= 500' },
      ],
    },
  },
  users: {
    ann: { id: 'ann', assignments: [{ role: 'clerk', scope: 'north' }] },
    ben: { id: 'ben', assignments: [{ role: 'clerk', scope: 'south' }] },
    eve: { id: 'eve' },
  },
  subjects: { bot: { type: 'agent', id: 'bot', grants: { acme: ['clerk'] } } },
};

/** Ann pays invoices of the north up to 500, Ben those of the south; a bot as Ben and Ann do; Eve may nothing. */
export const createInvoices = async () => copyOf(await made);

async function make() {
  const world = createMemoryWorld();
  await world.apply(JSON.stringify(MANIFEST));
  world.settle();
  return world;
}
const made = make();

export type Invoices = Awaited<ReturnType<typeof createInvoices>>;

/** Lets the bot act for Ann in the north, unless more is said, and gives the reference of the mandate. */
export async function giveMandate(world: Invoices, more: object = {}): Promise<string> {
  const { id } = await world.run('mandate.create', {
    subject: 'user:ann',
    actor: 'agent:bot',
    permissions: ['invoices:*:*'],
    scopes: ['location:north'],
    purpose: 'pays invoices',
    ...more,
  });
  world.settle();
  return `mandate:${id}`;
}

export const RULES = {
  tools: {
    read: { permission: 'invoices:read:invoice', scope: 'location:{place}' },
    pay: { permission: 'invoices:pay:invoice', scope: 'location:{place}', action: ['amount'] },
    void: { permission: 'invoices:void:invoice', scope: 'location:north' },
    totals: { permission: 'invoices:read:invoice', scope: 'location:north' },
  },
  resources: {
    invoice: { permission: 'invoices:read:invoice', scope: 'location:{place}' },
    north: { permission: 'invoices:read:invoice', scope: 'location:north' },
  },
  prompts: { remind: { permission: 'invoices:read:invoice', scope: 'location:north' } },
} as const;

/** What a handler was run with. */
export interface Ran {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly extra: object;
}

/** Any of the two versions of the SDK. */
// biome-ignore lint/suspicious/noExplicitAny: their types have nothing in common
type Loose = any;

/** Registers tools, resources and prompts, some of which no rule names. */
function registerInvoices(server: Loose, template: (uri: string) => object, ran: Ran[]): Loose {
  const note = (name: string) => (args: Ran['args'], extra: object) => {
    ran.push({ name, args, extra });
    const { subject, scope } = authorizationOf(extra);
    return { content: [{ type: 'text', text: `${name} ${subject} ${scope}` }] };
  };
  const place = z.string().transform((text) => text.trim());
  server.registerTool('read', { inputSchema: z.looseObject({ place }) }, note('read'));
  const pay = server.registerTool('pay', { inputSchema: { place, amount: z.coerce.number() } }, note('pay'));
  server.registerTool('void', {}, (extra: object) => note('void')({}, extra));
  server.registerTool('totals', {}, (extra: object) => note('totals')({}, extra));
  server.registerTool('secret', { inputSchema: { place } }, note('secret'));
  const contents = (name: string, uri: URL, args: Ran['args'], extra: object) => {
    note(name)(args, extra);
    return { contents: [{ uri: uri.href, text: name }] };
  };
  server.registerResource('north', 'invoices://north', {}, (uri: URL, extra: object) =>
    contents('north', uri, {}, extra),
  );
  server.registerResource('hidden', 'invoices://hidden', {}, (uri: URL, extra: object) =>
    contents('hidden', uri, {}, extra),
  );
  server.registerResource(
    'invoice',
    template('invoices://{place}/{id}'),
    {},
    contents.bind(undefined, 'invoice'),
  );
  const prompt = (name: string) => (extra: object) => {
    note(name)({}, extra);
    return { messages: [{ role: 'user', content: { type: 'text', text: name } }] };
  };
  server.registerPrompt('remind', {}, prompt('remind'));
  server.registerPrompt('threaten', {}, prompt('threaten'));
  return pay;
}

export interface Answered {
  readonly result?: Loose;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly reason?: string };
  };
}

/** A server behind a guard, and a client that may send anything. */
export interface Connected {
  readonly ran: Ran[];
  readonly server: Loose;
  /** The tool `pay`, as it is registered. */
  readonly pay: Loose;
  readonly ask: (method: string, params?: object, id?: string | number) => Promise<Answered>;
}

export type Connect = (options: McpGuardOptions, extra?: object) => Promise<Connected>;

/** One connection, in memory. */
export const connectFirst: Connect = async (options, extra = {}) => {
  const ran: Ran[] = [];
  const server = mcpGuard(options)(new v1.McpServer({ name: 'invoices', version: '1' }));
  const pay = registerInvoices(server, (uri) => new v1.ResourceTemplate(uri, { list: undefined }), ran);
  const ask = await askingOver(server, extra);
  return { ran, server, pay, ask };
};

/** Sends requests to a server of the first version, over a transport in memory. */
export async function askingOver(server: Loose, extra: object = {}): Promise<Connected['ask']> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, (answer: Answered) => void>();
  here.onmessage = (message: Loose) => waiting.get(message.id)?.(message);
  await here.start();
  await server.connect(there);
  let last = 0;
  return (method, params = {}, id = ++last) => {
    const answer = new Promise<Answered>((resolve) => waiting.set(id, resolve));
    void here.send({ jsonrpc: '2.0', id, method, params } as Loose, extra as Loose);
    return answer;
  };
}

export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

/** A server for each request. */
const connectSecond: Connect = async (options, extra = {}) => {
  const ran: Ran[] = [];
  const guard = mcpGuard(options);
  const connected: { server?: Loose; pay?: Loose } = {};
  const build = () => {
    connected.server = guard(new v2.McpServer({ name: 'invoices', version: '1' }));
    connected.pay = registerInvoices(
      connected.server,
      (uri) => new v2.ResourceTemplate(uri, { list: undefined }),
      ran,
    );
    return connected.server;
  };
  build();
  const handler = v2.createMcpHandler(build);
  const ask: Connected['ask'] = async (method, params = {}, id = 1) => {
    const { _meta = {}, ...rest } = params as { _meta?: object };
    const named = (rest as { name?: string; uri?: string }).name ?? (rest as { uri?: string }).uri;
    const headers = {
      ...JSON_HEADERS,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      authorization: 'Bearer secret',
      ...(named === undefined ? {} : { 'mcp-name': named }),
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: { ...rest, _meta: { ..._meta, ...ENVELOPE } },
    });
    const answer = await handler.fetch(
      new Request('http://localhost/mcp', { method: 'POST', headers, body }),
      extra,
    );
    return (await answer.json()) as Answered;
  };
  return { ...(connected as Required<typeof connected>), ran, ask };
};

export const VERSIONS: readonly (readonly [string, Connect])[] = [
  ['@modelcontextprotocol/sdk', connectFirst],
  ['@modelcontextprotocol/server', connectSecond],
];

/** The reason of a refusal, whichever form it has; undefined for an answer. */
export const reasonIn = ({ result, error }: Answered): string | undefined =>
  error?.data?.reason ?? result?._meta?.['gatehouse/reason'];

export const RESOURCE = 'https://mcp.acme.example/mcp';

/** Endpoints of both versions over such a server, an issuer that they trust, and its tokens for them. */
export async function createEndpoints(world: Invoices, ran: Ran[] = []) {
  const issuer = await createIssuer();
  const now = Math.floor(world.clock.now() / 1_000);
  const tokenOf = (sub: string, claims: object = {}): Promise<string> =>
    issuer.token(goodClaims({ sub, aud: RESOURCE, iat: now, exp: now + 3_600, ...claims }));
  const engine = world.newEngine();
  const options: McpEndpointOptions = {
    engine,
    resource: RESOURCE,
    issuers: { issuer: ISSUER },
    clock: world.clock,
    fetch: async () => Response.json({ keys: [issuer.jwk] }),
  };
  const guard = mcpGuard({ ...RULES, engine, now: world.clock.now });
  /** A server of the first version for each request. */
  const first = (more: Partial<McpEndpointOptions> = {}): McpEndpoint =>
    mcpEndpoint({ ...options, ...more }, async (request, { authInfo, parsedBody }) => {
      const server = guard(new v1.McpServer({ name: 'a', version: '1' }));
      registerInvoices(server, (uri) => new v1.ResourceTemplate(uri, { list: undefined }), ran);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      return transport.handleRequest(request, { authInfo, parsedBody });
    });
  const second = (more: Partial<McpEndpointOptions> = {}): McpEndpoint => {
    const build = () => {
      const server = guard(new v2.McpServer({ name: 'a', version: '1' }));
      registerInvoices(server, (uri) => new v2.ResourceTemplate(uri, { list: undefined }), ran);
      return server;
    };
    return mcpEndpoint({ ...options, ...more }, v2.createMcpHandler(build).fetch);
  };
  return { tokenOf, options, guard, first, second };
}
