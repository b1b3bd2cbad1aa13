import { randomBytes, randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { parseJson } from '../../table/json.ts';
import { messageOf } from '../message-of.ts';
import type { WebSocketApi } from './api.ts';
import { named } from './compile-api.ts';
import { type CompiledWebSocketApi, compileWebSocketApi, type Integrate } from './compile-websocket-api.ts';
import { stringified } from './event-parts.ts';
import { alone, type GatewayObservation } from './gateway.ts';
import { readBody, sendJson, toGatewayRequest } from './http.ts';
import { ownOnly } from './own-requests.ts';
import { atApi, connectArn, headerBytes, MAX_HEADER_BYTES, splitTarget } from './request.ts';
import { type GatewayResponse, refuse } from './responses.ts';
import {
  type Connection,
  type ConnectRequest,
  connectEvent,
  disconnectEvent,
  messageEvent,
} from './websocket-events.ts';

/**
 * "Connection duration" and "Message payload size" (AG apigateway-execution-service-websocket-limits-table).
 * Unlike AWS, this gateway accepts frames above 32 KB and keeps idle connections open (docs/routes.md).
 */
export const MAX_CONNECTION_MS = 2 * 60 * 60 * 1_000;
export const MAX_MESSAGE_BYTES = 128 * 1024;

export interface WebSocketGatewayOptions extends GatewayObservation {
  readonly apis: readonly WebSocketApi[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

export interface WebSocketGateway {
  /** Takes an `upgrade` of an HTTP server. */
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Handles a request of the management API, `@connections`; false for any other request. */
  readonly manage: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
  /** Closes every connection with 1001, going away. */
  readonly stop: () => void;
}

const GOING_AWAY = 1001;
const NORMAL = 1000;
const MANAGED = /^(.*)\/@connections\/([^/]+)$/;

/** Answers a refused upgrade. Node leaves the socket to the listener, so this writes HTTP itself. */
function refuseUpgrade(socket: Duplex, { statusCode, headers, body }: GatewayResponse): void {
  const text = body.toString();
  const length = Buffer.byteLength(text);
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': length });
  socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n`);
  socket.write(`${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`);
  socket.end(text);
}

/** The route key that a message selects. It cannot select `$connect` or `$disconnect`. */
function actionOf(text: string): string | undefined {
  const message = parseJson(text);
  const isObject = typeof message === 'object' && message !== null && Object.hasOwn(message, 'action');
  const action = isObject ? (message as { readonly action: unknown }).action : undefined;
  return typeof action === 'string' && !action.startsWith('$') ? action : undefined;
}

/**
 * WebSocket APIs as API Gateway is documented to serve them: `$connect` with its authorizer, routes by
 * `$request.body.action`, `$default` and `$disconnect`. Every message carries the authorizer's context of
 * `$connect`; the authorizer is not called again (AG apigateway-websocket-api-route-keys-connect-disconnect).
 *
 * @throws Error when an API is not one that API Gateway would create
 */
export function createWebSocketGateway({
  apis,
  clock,
  log,
  within = alone,
}: WebSocketGatewayOptions): WebSocketGateway {
  const byPath = new Map(
    apis.map((api) => [api.basePath, named(api.name, () => compileWebSocketApi(api, clock))]),
  );
  if (byPath.size < apis.length) throw new Error('two WebSocket APIs have the same base path');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const open = new Map<string, { readonly client: WebSocket; readonly connection: Connection }>();

  const toConnectRequest = (
    { settings }: CompiledWebSocketApi,
    incoming: IncomingMessage,
  ): ConnectRequest => ({
    ...atApi(settings, toGatewayRequest(incoming, Buffer.alloc(0))),
    routeKey: '$connect',
    resourcePath: '$connect',
    pathParameters: {},
    arn: connectArn(settings),
    requestId: randomUUID(),
    receivedAt: clock(),
    connectionId: randomBytes(12).toString('base64url'),
  });

  /** The refusal or the connection. */
  async function authorizeConnect(
    api: CompiledWebSocketApi,
    request: ConnectRequest,
  ): Promise<{ refused: GatewayResponse; error?: string } | Connection> {
    if (headerBytes(request.wire) > MAX_HEADER_BYTES)
      return { refused: refuse('websocket', 'headers-too-large') };
    const verdict = await api.authorize(request);
    if (!verdict.allowed) {
      const refused = refuse('websocket', verdict.refusal);
      return verdict.error === undefined ? { refused } : { refused, error: verdict.error };
    }
    const connection = { request, authorizer: stringified(verdict) };
    try {
      const answer = await api.routes.get('$connect')?.(connectEvent(connection));
      return answer === undefined || answer.statusCode < 300 ? connection : { refused: answer };
    } catch (error) {
      return { refused: refuse('websocket', 'integration-fault'), error: messageOf(error) };
    }
  }

  async function answerMessage(
    api: CompiledWebSocketApi,
    connection: Connection,
    body: string,
    isText: boolean,
  ) {
    const { connectionId } = connection.request;
    const moment = { requestId: randomUUID(), at: clock() };
    const client = open.get(connectionId)?.client;
    const action = isText ? actionOf(body) : undefined;
    const routeKey = action !== undefined && api.routes.has(action) ? action : '$default';
    const integrate: Integrate | undefined = api.routes.get(routeKey);
    const sendError = (message: string) =>
      client?.send(JSON.stringify({ message, connectionId, requestId: moment.requestId }));
    if (integrate === undefined) return sendError('Forbidden');
    try {
      const event = messageEvent(connection, { ...moment, routeKey }, { body, isBase64Encoded: !isText });
      const answer = await integrate(event);
      if (answer.body.length > 0) client?.send(answer.body.toString());
    } catch {
      sendError('Internal server error');
    }
  }

  function accept(api: CompiledWebSocketApi, connection: Connection, client: WebSocket): void {
    const { connectionId } = connection.request;
    open.set(connectionId, { client, connection });
    const end = setTimeout(() => client.close(GOING_AWAY), MAX_CONNECTION_MS).unref();
    client.on('message', (data, isBinary) => {
      // A Buffer: the default `binaryType`.
      void answerMessage(api, connection, (data as Buffer).toString(isBinary ? 'base64' : 'utf8'), !isBinary);
    });
    // `close` follows every error.
    client.on('error', () => undefined);
    client.on('close', (code, reason) => {
      clearTimeout(end);
      open.delete(connectionId);
      const moment = { routeKey: '$disconnect', requestId: randomUUID(), at: clock() };
      const event = disconnectEvent(connection, moment, code, reason.toString());
      // Best effort, as on AWS: there is no client to get an error.
      api.routes
        .get('$disconnect')?.(event)
        .catch(() => undefined);
    });
  }

  async function connect(api: CompiledWebSocketApi, incoming: IncomingMessage, socket: Duplex, head: Buffer) {
    const request = toConnectRequest(api, incoming);
    const described = { api: api.settings.name, method: 'CONNECT', path: request.path };
    const outcome = await within(described, async () => {
      const answer = await authorizeConnect(api, request);
      const isRefused = 'refused' in answer;
      log?.({
        ...described,
        requestId: request.requestId,
        status: isRefused ? answer.refused.statusCode : 101,
        routeKey: request.routeKey,
        ...(isRefused && answer.error !== undefined && { error: answer.error }),
      });
      return answer;
    });
    if ('refused' in outcome) return refuseUpgrade(socket, outcome.refused);
    // It ignores a client that has disconnected meanwhile.
    server.handleUpgrade(incoming, socket, head, (client) => accept(api, outcome, client));
  }

  async function manage(incoming: IncomingMessage, outgoing: ServerResponse, connectionId: string) {
    const found = open.get(connectionId);
    const body = await readBody(incoming, MAX_MESSAGE_BYTES);
    if (body === undefined) return sendJson(outgoing, 413, { message: 'Request Too Long' });
    if (found === undefined) return sendJson(outgoing, 410, { message: 'Gone' });
    if (incoming.method === 'POST') {
      found.client.send(body.toString());
      outgoing.writeHead(200).end();
    } else if (incoming.method === 'DELETE') {
      found.client.close(NORMAL);
      outgoing.writeHead(204).end();
    } else sendJson(outgoing, 403, { message: 'Missing Authentication Token' });
  }

  return {
    upgrade: (incoming, socket, head) => {
      socket.on('error', () => socket.destroy());
      const { path } = splitTarget(incoming.url ?? '');
      const api = byPath.get(path) ?? byPath.get(path.replace(/\/$/, ''));
      if (api === undefined) refuseUpgrade(socket, refuse('websocket', 'not-found'));
      else connect(api, incoming, socket, head).catch(() => socket.destroy());
    },
    manage: (incoming, outgoing) => {
      const [, basePath = '', connectionId] = MANAGED.exec(splitTarget(incoming.url ?? '').path) ?? [];
      if (connectionId === undefined || !byPath.has(basePath)) return false;
      // On AWS it takes signed requests of those who may.
      ownOnly(() => {
        manage(incoming, outgoing, connectionId).catch(() => outgoing.destroy());
      })(incoming, outgoing);
      return true;
    },
    stop: () => {
      for (const { client } of open.values()) client.close(GOING_AWAY);
    },
  };
}
