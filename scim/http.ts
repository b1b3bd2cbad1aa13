import {
  type Handle,
  type HttpAnswer,
  type HttpRequest,
  MAX_BODY,
  readJson,
  requestIdOf,
  withId,
} from '../authorizer/service/http.ts';
import { codesOf } from '../table/errors.ts';
import type { Log } from '../table/log.ts';
import { DISCOVERY, documentWith } from './discovery.ts';
import { badRequest, notFound, ScimError } from './errors.ts';
import { groups } from './groups.ts';
import type { ScimMetrics } from './metrics.ts';
import { listResponse } from './page.ts';
import {
  actorOf,
  answerTo,
  CommandError,
  type Connection,
  commandsAs,
  type Port,
  type Result,
  type Send,
} from './port.ts';
import type { Asked, Resources } from './resources.ts';
import { users } from './users.ts';
import { readWanted } from './wanted.ts';

const PATH = '/scim/v2';

export interface HandleParts {
  readonly port: Port;
  /** The address of the server as clients know it, before `/scim/v2`; without it addresses in answers are relative. */
  readonly publicUrl: string | undefined;
  readonly clock: { readonly now: () => number };
  readonly log: Pick<Log, 'error' | 'warn' | 'info'>;
  readonly metrics?: ScimMetrics | undefined;
}

/** What the log and the metrics say of a request: nothing personal. */
interface Noted {
  connection?: string;
  /** The resource type, with `{id}` in place of an id. */
  route?: string;
  scimType?: string | undefined;
  code?: string | undefined;
}

/** Milliseconds between two notes of the last request. */
const SYNC_NOTED_MS = 3_600_000;

/** RFC 7644 sections 3.11, 3.4.3 and 3.7: what a server may leave out. */
const NOT_IMPLEMENTED: ReadonlySet<string> = new Set(['Me', 'Bulk', '.search']);

const RESOURCES: ReadonlyMap<string, Resources> = new Map([
  ['Users', users],
  ['Groups', groups],
]);

/**
 * A SCIM server (RFC 7643, RFC 7644) as a function from requests to answers. What is not a connection's own answers as
 * what is not there.
 */
export function createHandle({ port, publicUrl, clock, log, metrics }: HandleParts): Handle {
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const base = `${publicUrl?.replace(/\/+$/, '') ?? ''}${PATH}`;

  async function connectionOf({ header }: HttpRequest): Promise<Connection> {
    const [authorization = '', ...more] = header('authorization');
    const [, credential] = /^bearer ([!-~]+)$/i.exec(authorization) ?? [];
    const connection =
      credential === undefined || more.length > 0 ? undefined : await port.connectionOf(credential);
    if (connection) return connection;
    throw new ScimError(401, 'a valid credential is required', { headers: { 'WWW-Authenticate': 'Bearer' } });
  }

  /** Commands of the connection. That an administrator's access has ended is said aloud. */
  const sending =
    (send: Send, connection: string, requestId: string | undefined): Send =>
    async (command, input) => {
      const result = await send(command, input);
      if (result.administered === true) {
        log.warn('administrator ended', { requestId, connection });
        metrics?.administratorEnded(connection);
      }
      return result;
    };

  async function answer(
    request: HttpRequest,
    requestId: string | undefined,
    noted: Noted,
  ): Promise<HttpAnswer> {
    const [kind = '', id, ...more] = segmentsOf(request.paths, prefix);
    if (request.body === undefined) throw new ScimError(413, `the body is larger than ${MAX_BODY} bytes`);
    const connection = await connectionOf(request);
    noted.connection = connection.id;
    metrics?.daysLeft(connection.id, Math.floor((connection.expiresAt - clock.now()) / 86_400_000));
    const documents = DISCOVERY.get(kind);
    const resources = RESOURCES.get(kind);
    if (NOT_IMPLEMENTED.has(kind)) throw new ScimError(501, 'this is not supported');
    if ((!documents && !resources) || more.length > 0) throw notFound();
    noted.route = id === undefined ? kind : `${kind}/{id}`;
    if (documents) {
      assertMethod(request.method, ['GET']);
      const all = documents(base);
      if (id !== undefined) return json(200, documentWith(all, id));
      return json(200, Array.isArray(all) ? listResponse(all, all.length, 0) : all);
    }
    const commands = commandsAs(port, connection.id);
    const send = sending(commands.send, connection.id, requestId);
    const answered = await ofResources(request, resources as Resources, id, { ...commands, send });
    await noteSync(connection, requestId);
    return answered;
  }

  async function ofResources(
    request: HttpRequest,
    resources: Resources,
    id: string | undefined,
    commands: Pick<Asked, 'send' | 'areAll' | 'userWith'>,
  ) {
    const { method } = request;
    assertMethod(method, id === undefined ? ['GET', 'POST'] : ['GET', 'PUT', 'PATCH', 'DELETE']);
    const query = request.query();
    const asked: Asked = { ...commands, base, query, wanted: readWanted(query, resources.type) };
    if (id === undefined) {
      if (method === 'GET') return json(200, await resources.list(asked));
      const made = await resources.create(asked, bodyOf(request));
      return json(201, made, { Location: `${base}${resources.type.endpoint}/${made.id}` });
    }
    if (method === 'GET') return json(200, await resources.read(asked, id));
    if (method === 'PUT') return json(200, await resources.replace(asked, id, bodyOf(request)));
    if (method === 'DELETE') return noContent(await resources.delete(asked, id));
    const patched = await resources.patch(asked, id, bodyOf(request));
    return patched === undefined ? noContent() : json(200, patched);
  }

  /** Notes the request, if the last note is old. The request is answered whether this can be done or not. */
  async function noteSync({ id, lastSyncAt = 0 }: Connection, requestId: string | undefined): Promise<void> {
    const now = clock.now();
    if (now - lastSyncAt < SYNC_NOTED_MS) return;
    const noted = await port.provisioning({
      command: 'scim-connection.update',
      input: { id, lastSyncAt: new Date(now).toISOString() },
      actor: actorOf(id),
    });
    if (!noted.ok) log.warn('sync not noted', { requestId, connection: id, code: noted.error.code });
  }

  return async (request) => {
    const begunAt = clock.now();
    const requestId = requestIdOf(request);
    const loggedId = requestId ?? request.invocationId;
    const noted: Noted = {};
    let answered: HttpAnswer;
    try {
      answered = await answer(request, loggedId, noted);
    } catch (error) {
      const refusal = refusalOf(error);
      noted.scimType = refusal.scimType;
      noted.code = refusal.code;
      if (refusal.status >= 500) log.error('request failed', { requestId: loggedId, ...codesOf(error) });
      answered = errorAnswer(refusal);
    }
    const { status } = answered;
    const milliseconds = Math.round(clock.now() - begunAt);
    log[status >= 500 ? 'error' : 'info']('request answered', {
      requestId: loggedId,
      ...noted,
      method: request.method,
      status,
      milliseconds,
    });
    metrics?.answered(noted.connection, status, milliseconds);
    return { ...withId(answered, requestId), isLogged: true };
  };
}

/** What comes after `/scim/v2`, decoded. Throws ScimError 404 for other paths. */
function segmentsOf(paths: readonly string[], prefix: string): readonly string[] {
  for (const path of paths) {
    // A proxy in front may have taken the path of the base URL away.
    const own = path.startsWith(`${prefix}${PATH}/`) ? path.slice(prefix.length) : path;
    if (own.startsWith(`${PATH}/`))
      return own
        .slice(PATH.length + 1)
        .split('/')
        .map(decoded);
  }
  throw notFound();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw notFound();
  }
}

function assertMethod(method: string, allowed: readonly string[]): void {
  if (!allowed.includes(method))
    throw new ScimError(405, `this path takes ${allowed.join(', ')}`, {
      headers: { Allow: allowed.join(', ') },
    });
}

const JSON_TYPE = /^application\/(?:scim\+)?json *(?:; *charset="?utf-8"? *)?$/i;

/** @throws ScimError `invalidSyntax` for what is not JSON in UTF-8 */
function bodyOf({ header, body = new Uint8Array() }: HttpRequest): unknown {
  const [type, ...more] = header('content-type');
  if (type === undefined || more.length > 0 || !JSON_TYPE.test(type))
    throw new ScimError(415, 'Content-Type is neither application/scim+json nor application/json');
  const read = readJson(body);
  if ('problem' in read) throw badRequest('invalidSyntax', read.problem);
  return read.value;
}

function refusalOf(error: unknown): ScimError {
  if (error instanceof ScimError) return error;
  if (error instanceof CommandError) return answerTo(error.failure);
  return new ScimError(500, 'the request failed');
}

const HEADERS = { 'Content-Type': 'application/scim+json', 'Cache-Control': 'no-store' };

const json = (status: number, value: unknown, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { ...HEADERS, ...headers },
  body: JSON.stringify(value),
});

const noContent = (_?: Result): HttpAnswer => ({
  status: 204,
  headers: { 'Cache-Control': 'no-store' },
  body: '',
});

const errorAnswer = ({ status, scimType, message, headers }: ScimError): HttpAnswer =>
  json(
    status,
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType ? { scimType } : {}),
      detail: message,
    },
    headers,
  );
