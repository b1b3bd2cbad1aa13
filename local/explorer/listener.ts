import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { LiveEvent, Reply, Service } from '../../explorer/service/index.ts';
import { parseJson } from '../../table/json.ts';
import { readBody } from '../gateway/http.ts';
import { splitTarget } from '../gateway/request.ts';
import { HEADERS } from './headers.ts';
import type { EventRing } from './live/event-ring.ts';
import { streamEvents } from './live/event-stream.ts';
import { sendNotice } from './notice.ts';
import { cookieOf, foreignPage, sessionsIn } from './own-page.ts';
import type { ReadPage } from './page-files.ts';
import { LINK_MS, type Sessions } from './sessions.ts';

/** What a function takes (Lambda gettingstarted-limits): a manifest that is planned here can be applied there. */
export const MAX_BODY_BYTES = 6 * 1024 * 1024;
/** Event streams at a time; a browser opens one for each of its pages. */
export const MAX_STREAMS = 16;

export interface ExplorerOptions {
  readonly service: Service;
  /** Where it is served, without a slash at the end: `/_explorer`. */
  readonly basePath: string;
  readonly readPage: ReadPage;
  readonly sessions: Sessions;
  /** What happens in the stack that this is served by. Without it, there is no stream. */
  readonly events?: EventRing<LiveEvent>;
  /** What a person without a session does to get a link. */
  readonly howToOpen: string;
  /** Called when somebody on this machine asks for the page without a session, or by a link that no longer works. */
  readonly onClosed?: () => void;
}

/** The path of the one-time link with a ticket. */
export const linkTo = (basePath: string, ticket: string): string => `${basePath}/open?ticket=${ticket}`;

/** Of the files that the build makes, the page over a table. */
const PAGE = 'explorer.html';

const NOT_BUILT = 'the page of the explorer is not built: run npm run explorer';

/** Why a request is not served. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, headers: Refusal['headers'] = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/**
 * The explorer over HTTP: its page, its service and its event stream, for one machine and for browsers that opened a
 * one-time link. It sends no CORS headers, so that no page of another origin can read an answer.
 *
 * - `GET BASE/open?ticket=…` opens a session, and leads to the page.
 * - `GET BASE/NAME` is a file of the page.
 * - `POST BASE/api/METHOD` is a method of the service, JSON in and out.
 * - `GET BASE/live` is the event stream.
 *
 * @returns a listener for paths at and below the base path; all others are 404
 */
export function createExplorer(options: ExplorerOptions): RequestListener {
  const { service, basePath, readPage, sessions, events, howToOpen, onClosed } = options;
  const streams = new Set<ServerResponse>();

  function open(incoming: IncomingMessage, outgoing: ServerResponse, query: string): void {
    const session = sessions.open(new URLSearchParams(query).get('ticket') ?? '');
    if (session !== undefined) outgoing.setHeader('set-cookie', cookieOf(incoming, session, basePath));
    else if (!hasSession(incoming)) {
      onClosed?.();
      throw new Refusal(
        ...([401, 'invalid'] as const),
        `This link was used already, or it is older than ${LINK_MS / 60_000} minutes: ${howToOpen}.`,
      );
    }
    redirect(outgoing);
  }

  const hasSession = (incoming: IncomingMessage): boolean => sessionsIn(incoming).some(sessions.isOpen);

  const redirect = (outgoing: ServerResponse): void =>
    void outgoing.writeHead(303, { ...HEADERS, location: `${basePath}/` }).end();

  async function call(incoming: IncomingMessage, outgoing: ServerResponse, method: string): Promise<void> {
    const { 'content-type': type = '', 'x-gatehouse-explorer': own } = incoming.headers;
    if (own !== '1') throw new Refusal(403, 'invalid', 'only the page of the explorer may ask this');
    if (!/^application\/json\s*(?:;|$)/i.test(type))
      throw new Refusal(415, 'invalid', 'the body is not of type application/json');
    const body = await readBody(incoming, MAX_BODY_BYTES);
    if (body === undefined)
      throw new Refusal(413, 'limit_exceeded', `the body is longer than ${MAX_BODY_BYTES} bytes`);
    // A refusal by the service is an answer like any other: it was asked, and has said why.
    sendReply(outgoing, 200, await service(method, inputIn(body)));
  }

  function stream(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (events === undefined) throw new Refusal(404, 'not_found', 'there is no stack here to watch');
    if (streams.size >= MAX_STREAMS)
      throw new Refusal(503, 'throttled', `there are ${MAX_STREAMS} streams already: close a page`);
    streams.add(outgoing);
    outgoing.once('close', () => streams.delete(outgoing));
    outgoing.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    const { 'last-event-id': last } = incoming.headers;
    streamEvents(events, outgoing, typeof last === 'string' ? last : undefined);
  }

  async function sendFile(outgoing: ServerResponse, name: string): Promise<void> {
    const file = await readPage(name === '' ? PAGE : name);
    if (file) outgoing.writeHead(200, { ...HEADERS, 'content-type': file.type }).end(file.bytes);
    else if (name === '') throw new Refusal(503, 'internal', NOT_BUILT);
    else throw new Refusal(404, 'not_found', 'There is nothing here.');
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { path, rawQueryString } = splitTarget(incoming.url ?? '');
    const header = foreignPage(incoming);
    if (header !== undefined) throw new Refusal(403, 'invalid', foreignText(header));
    if (path !== basePath && !path.startsWith(`${basePath}/`))
      throw new Refusal(404, 'not_found', `There is nothing here. The explorer is at ${basePath}/`);
    const name = path.slice(basePath.length + 1);
    if (name === 'open') {
      assertVerb(incoming, 'GET');
      return open(incoming, outgoing, rawQueryString);
    }
    if (!hasSession(incoming)) {
      if (name === '') onClosed?.();
      throw new Refusal(401, 'invalid', `The explorer is opened by a link that works once: ${howToOpen}.`);
    }
    const [, method] = /^api\/(.*)$/.exec(name) ?? [];
    assertVerb(incoming, ...(method !== undefined ? ['POST'] : name === 'live' ? ['GET'] : ['GET', 'HEAD']));
    if (method !== undefined) return call(incoming, outgoing, method);
    if (name === 'live') return stream(incoming, outgoing);
    return path === basePath ? redirect(outgoing) : sendFile(outgoing, name);
  }

  return (incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      if (error instanceof Refusal) return refuse(incoming, outgoing, error);
      // The client disconnected while sending, or an answer has begun.
      if (!incoming.complete || outgoing.headersSent) return outgoing.destroy();
      return refuse(incoming, outgoing, new Refusal(500, 'internal', 'this did not work'));
    });
  };
}

const foreignText = (header: string): string =>
  `${header}: only the page of the explorer is served, and links that are pasted into the address bar of a browser ` +
  'on this machine, under 127.0.0.1, localhost or [::1] with this port';

function assertVerb({ method = '' }: IncomingMessage, ...verbs: readonly string[]): void {
  if (verbs.includes(method)) return;
  throw new Refusal(405, 'invalid', `this takes ${verbs.join(' or ')}`, { allow: verbs.join(', ') });
}

function inputIn(body: Buffer): unknown {
  const input = parseJson(body.toString('utf8'));
  if (input === undefined) throw new Refusal(400, 'invalid', 'the body is not JSON');
  return input;
}

/** Scripts get JSON; who opens a path in a browser, or sends another verb to it, a page with a sentence. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
  const { status, code, message, headers } = refusal;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (/\/(?:live$|api\/)/.test(splitTarget(incoming.url ?? '').path))
    sendReply(outgoing, status, { ok: false, error: { code, message, retryable: status === 503 } });
  else sendNotice(outgoing, status, { title: 'Gatehouse explorer', text: message });
}

type Refused = { readonly code: string; readonly message: string; readonly retryable: boolean };

function sendReply(
  outgoing: ServerResponse,
  status: number,
  reply: Reply | { readonly ok: false; readonly error: Refused },
): void {
  outgoing.writeHead(status, { ...HEADERS, 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(reply));
}
