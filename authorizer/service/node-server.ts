import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Clock } from '../../engine/clock.ts';
import type { Log } from '../../table/log.ts';
import { type Handle, type HttpAnswer, type HttpRequest, MAX_BODY, requestIdOf, text } from './http.ts';

export interface NodeServerOptions {
  readonly handle: Handle;
  /** Whether the table answers: asked for `/readyz`. */
  readonly isReachable: () => Promise<boolean>;
  /** A certificate and its key, as PEM; without it the server speaks HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Requests that are worked on at a time; more are refused with 429. */
  readonly maxRequests: number;
  /** Milliseconds that requests in flight have to finish when the server stops. */
  readonly graceMs: number;
  readonly log: Pick<Log, 'error' | 'info'>;
  readonly clock: Clock;
}

export interface NodeServer {
  /** Answers one request, for a server that has other paths as well. */
  readonly listener: RequestListener;
  /** @returns the port, where 0 asked for a free one. Rejects if the address cannot be had. */
  readonly listen: (port: number, host: string) => Promise<number>;
  /** Stops to accept, and resolves when all requests in flight are answered or `graceMs` are over. */
  readonly stop: () => Promise<void>;
}

/** Bounds in bytes and milliseconds. Keep-alive is longer than that of an Application Load Balancer (60 s). */
const BOUNDS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
};
/** Asked every few seconds: only what they find wrong is logged. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const MAX_REQUESTS_PER_SOCKET = 10_000;

/** The API as an HTTP server of Node, with `/healthz` (it runs) and `/readyz` (it can decide). */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  const { handle, isReachable, tls, maxRequests, graceMs, log, clock } = options;
  let [inFlight, isStopping] = [0, false];
  /** What is held of bodies that are not whole, over all connections. */
  const waiting = { bytes: 0, maxBytes: maxRequests * MAX_BODY };

  async function answerTo(incoming: IncomingMessage, path: string): Promise<HttpAnswer> {
    if (path === '/healthz') return text(200, 'ok');
    if (path === '/readyz') {
      const canDecide = !isStopping && (await isReachable().catch(() => false));
      return canDecide ? text(200, 'ok') : text(503, isStopping ? 'stopping' : 'the table does not answer');
    }
    // Counted when they are whole: nobody takes the place of others by not sending the rest.
    const body = await bodyOf(incoming, waiting);
    if (body === 'crowded' || inFlight >= maxRequests)
      return text(429, 'too many requests are in flight', { 'Retry-After': '1' });
    inFlight++;
    try {
      const query = () => new URLSearchParams(/\?([^#]*)/.exec(incoming.url ?? '')?.[1]);
      return await handle({
        method: incoming.method ?? '',
        paths: [path],
        query,
        header: headerOf(incoming),
        body,
      });
    } finally {
      inFlight--;
    }
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const begunAt = clock.now();
    const path = (incoming.url ?? '').replace(/[?#].*$/s, '');
    try {
      const answer = await answerTo(incoming, path);
      const isRead = incoming.complete;
      // Requests that came together are all decided before the first is answered: to wake a client takes long.
      await new Promise((resolve) => setImmediate(resolve));
      write(outgoing, answer, incoming.method === 'HEAD', isRead);
      const { status } = answer;
      if (answer.isLogged || (PROBES.has(path) && status === 200)) return;
      // No credential, no body, no query, and no path that is not ours.
      log[status >= 500 ? 'error' : 'info']('request answered', {
        requestId: requestIdOf({ header: headerOf(incoming) }),
        method: incoming.method,
        path: status === 404 ? undefined : path,
        status,
        milliseconds: Math.round(clock.now() - begunAt),
      });
    } catch {
      // The client went away before its request was whole.
      incoming.destroy();
    }
  }

  function write(outgoing: ServerResponse, answer: HttpAnswer, isHead: boolean, isRead: boolean): void {
    const { status, headers, body } = answer;
    const length = { 'Content-Length': Buffer.byteLength(body) };
    // What is left of a body that was not read would be taken for the next request.
    const close = isStopping || !isRead ? { Connection: 'close' } : undefined;
    outgoing.writeHead(status, { ...headers, ...length, ...close });
    outgoing.end(isHead ? undefined : body);
  }

  const listener: RequestListener = (incoming, outgoing) => void serve(incoming, outgoing);
  const server = tls
    ? createHttpsServer({ ...BOUNDS, ...tls }, listener)
    : createHttpServer(BOUNDS, listener);
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;

  return {
    listener,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : port);
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        isStopping = true;
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/**
 * The whole body; undefined as soon as it is known to be too large, `crowded` where all that wait would hold more than
 * their bound.
 */
async function bodyOf(
  incoming: IncomingMessage,
  waiting: { bytes: number; readonly maxBytes: number },
): Promise<Uint8Array | undefined | 'crowded'> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY) return undefined;
  let size = 0;
  try {
    return await new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      const take = (chunk: Uint8Array): void => {
        size += chunk.length;
        waiting.bytes += chunk.length;
        chunks.push(chunk);
        if (size <= MAX_BODY && waiting.bytes <= waiting.maxBytes) return;
        incoming.off('data', take);
        resolve(size > MAX_BODY ? undefined : 'crowded');
      };
      incoming.on('data', take);
      incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
      incoming.on('error', reject);
      // After each request; an error is made only where it says something, for it takes longer than all the rest here.
      incoming.on('close', () => {
        if (!incoming.readableEnded) reject(new Error('the client went away'));
      });
    });
  } finally {
    waiting.bytes -= size;
  }
}

/** All values: of a header that comes twice, Node's `headers` keeps the first or joins them. */
const headerOf =
  ({ rawHeaders }: IncomingMessage): HttpRequest['header'] =>
  (name) => {
    const values: string[] = [];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const [text, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string];
      if (text.length === name.length && text.toLowerCase() === name) values.push(value);
    }
    return values;
  };
