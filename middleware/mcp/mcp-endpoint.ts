import { CredentialsError } from '../../authorizer/errors.ts';
import { type Engine, systemClock } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { type Caller, createCallers, invalidOption } from '../caller.ts';
import { type HttpAnswer, type HttpRequest, ownValue } from '../http.ts';
import { bodyOfStream, TOO_LARGE } from '../permissions/body.ts';
import { problem } from '../problem.ts';
import { bearer, type TokenCallerOptions, type TokenIssuer } from '../token-caller.ts';
import { type AllowedCalls, createAllowedCalls } from './allowed-calls.ts';
import { keepVerified } from './call.ts';
import { known, refusedNow } from './call-decision.ts';
import { createOwnership } from './ownership.ts';
import { NO_HTTP, requestWithoutToken } from './sdk.ts';

/** What the SDK gets with a request: who calls, without a token, and the body, which is read. */
export interface Verified {
  readonly authInfo: {
    readonly token: '';
    /** The actor; the subject where nobody acts for it. */
    readonly clientId: string;
    readonly scopes: string[];
    readonly resource: URL;
    readonly extra: { readonly subject: string; readonly actor?: string };
  };
  readonly parsedBody?: unknown;
}

export interface McpEndpointOptions extends TokenCallerOptions {
  readonly engine: Pick<Engine, 'checkAsked'>;
  /** The URL that clients call, `https://mcp.acme.example/mcp`: the audience of every JWT. */
  readonly resource: string;
  /** Whose JWTs are accepted. `audience` is `resource`, and cannot be another one. */
  readonly issuers: TokenIssuer | readonly TokenIssuer[];
  /** More of the protected resource metadata (RFC 9728), such as `resource_name`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Bytes of the largest body. Default: 1 MiB. */
  readonly maxBody?: number | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A handler of requests of the Web. It never rejects. */
export type McpEndpoint = (request: Request) => Promise<Response>;

/**
 * An MCP server as an OAuth 2.1 resource server: Streamable HTTP behind verified callers. A 401 names the metadata,
 * which it serves itself. JSON-RPC batches are refused. Sessions are of the subject, the actor and the mandate
 * that opened them.
 *
 * @param serve hands a request without its token, and `authInfo`, to a transport of the SDK: `handler.fetch`, or
 *   `transport.handleRequest`
 * @throws GatehouseError `invalid` without a resource, or for an issuer with another audience
 */
export function mcpEndpoint(
  options: McpEndpointOptions,
  serve: (request: Request, verified: Verified) => Promise<Response>,
): McpEndpoint {
  const { engine, maxBody = 1_048_576, metadata = {}, onFault } = options;
  if (typeof engine?.checkAsked !== 'function') throw invalidOption('engine', 'an engine');
  if (typeof serve !== 'function') throw invalidOption('serve', 'a function');
  const resource = resourceIn(options.resource);
  const issuers = [options.issuers].flat().map((issuer) => forThis(issuer, options.resource));
  if (issuers.length === 0) throw invalidOption('issuers', 'at least one issuer');
  const metadataUrl = new URL(
    `/.well-known/oauth-protected-resource${resource.pathname.replace(/\/$/, '')}`,
    resource,
  );
  const challenge = `Bearer resource_metadata="${metadataUrl}"`;
  const { clock = systemClock, fetch, onRefreshFailed } = options;
  const who = bearer(issuers, { clock, fetch, onRefreshFailed });
  const { identify, answerTo } = createCallers<Request>(defined({ who, onFault }));
  const sessions = createOwnership<AllowedCalls>();
  const document = JSON.stringify({
    ...metadata,
    resource: options.resource,
    authorization_servers: issuers.map(({ issuer }) => issuer),
  });

  async function answer(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === metadataUrl.pathname) return metadataTo(request);
    const caller = await identify(request, httpOf(request));
    const { subject, creator } = await known(engine, caller);
    const actor = caller.actor?.subject;
    const session = request.headers.get('mcp-session-id');
    const allowedCalls = session === null ? createAllowedCalls() : sessions.find(session, creator);
    if (allowedCalls === undefined) return rpcError(404, -32_600, 'no such session');
    if (request.headers.has('last-event-id') && !(await mayResume(caller, session, allowedCalls)))
      return rpcError(403, -32_003, 'this stream is not resumed');
    const read = request.method === 'POST' ? await bodyOf(request, maxBody) : {};
    if (read instanceof Response) return read;
    const extra = defined({ subject, actor });
    const authInfo = { token: '' as const, clientId: actor ?? subject, scopes: [], resource, extra };
    keepVerified(authInfo, { caller, allowedCalls });
    const response = await serve(requestWithoutToken(request), { authInfo, ...read });
    const opened = response.headers.get('mcp-session-id');
    if (session === null && opened !== null) sessions.keep(opened, creator, allowedCalls);
    return response;
  }

  /** A stream that is resumed repeats answers: of calls that are all still allowed. */
  async function mayResume(caller: Caller, session: string | null, allowed: AllowedCalls): Promise<boolean> {
    const calls = session === null ? undefined : allowed.all();
    if (calls === undefined) return false;
    const refused = await Promise.all(calls.map((call) => refusedNow(engine, caller, call, clock.now())));
    return refused.every((reason) => reason === undefined);
  }

  function metadataTo({ method }: Request): Response {
    if (method !== 'GET' && method !== 'HEAD') return toResponse(problem(405, {}, { Allow: 'GET, HEAD' }));
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=3600' };
    return new Response(method === 'HEAD' ? null : document, { headers });
  }

  return (request) =>
    answer(request).catch((error) => {
      const refused = answerTo(error);
      if (!(error instanceof CredentialsError)) return toResponse(refused);
      const why = error.code === 'credentials_missing' ? '' : ', error="invalid_token"';
      return toResponse({ ...refused, headers: { ...refused.headers, 'WWW-Authenticate': challenge + why } });
    });
}

/** @throws GatehouseError `invalid` for what is no address of a server (RFC 8707: absolute, without a fragment) */
function resourceIn(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal) || url.hash !== '' || url.search !== '')
    throw invalidOption('resource', 'the https URL that clients call, without a query');
  return url;
}

/** @throws GatehouseError `invalid` for an audience that is another one */
function forThis(issuer: TokenIssuer, resource: string): TokenIssuer {
  const { audience = resource } = issuer;
  if ([audience].flat().some((each) => each !== resource))
    throw invalidOption('issuers.audience', 'the resource, or left out');
  return { ...issuer, audience: resource };
}

/** What a body holds; an answer for one that is too large, no JSON, or a batch. */
async function bodyOf(request: Request, most: number): Promise<{ parsedBody: unknown } | Response> {
  const body = await bodyOfStream(request.body, most);
  if (body === TOO_LARGE)
    return toResponse(problem(413, { detail: `the body is larger than ${most} bytes` }));
  try {
    const parsedBody: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (Array.isArray(parsedBody)) return rpcError(400, -32_600, 'batches are refused');
    if (watchesResources(parsedBody)) return rpcError(403, -32_003, 'watching resources is refused');
    return { parsedBody };
  } catch {
    return rpcError(400, -32_700, 'the body is no JSON');
  }
}

/** The second version answers these beside the server: no guard would see which resources they name. */
const watchesResources = (message: unknown): boolean =>
  ownValue(message, 'method') === 'subscriptions/listen' &&
  ownValue(ownValue(ownValue(message, 'params'), 'notifications'), 'resourceSubscriptions') !== undefined;

const rpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });

const toResponse = ({ status, headers, body }: HttpAnswer): Response =>
  new Response(body, { status, headers });

/** Of a request only the credential is looked at: `Authorization`. */
const httpOf = ({ headers }: Request): HttpRequest => ({
  ...NO_HTTP,
  header: (name) => {
    const value = headers.get(name);
    return value === null ? [] : [value];
  },
});
