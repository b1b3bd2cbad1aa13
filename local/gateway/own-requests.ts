import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isLoopback } from '../../table/loopback.ts';
import { sendJson } from './http.ts';

/**
 * What may drive this machine's own endpoints: programs on it, and no web page. A browser names the page in
 * `Origin`; where a page has its own name resolved to this machine (DNS rebinding), that name is in `Host`.
 * Content types say nothing: a page may send any text without asking, and the SDKs send their own.
 *
 * @returns the header at fault; undefined for a request that may be served
 */
export function foreignHeader({ headers, socket }: IncomingMessage): 'Host' | 'Origin' | undefined {
  const port = socket.localPort;
  if (!isHere(`http://${headers.host}`, port)) return 'Host';
  return headers.origin === undefined || isHere(headers.origin, port) ? undefined : 'Origin';
}

/** Whether an origin is this server, by a name of the loopback interface and with its port. */
function isHere(origin: string, port: number | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  const isOrigin = url.origin === origin.toLowerCase() && url.protocol === 'http:';
  return isOrigin && isLoopback(url.hostname) && Number(url.port || 80) === port;
}

/**
 * Serves the programs of this machine alone.
 *
 * @param refuse answers all others, with a message
 */
export const ownOnly =
  (
    serve: RequestListener,
    refuse = (outgoing: ServerResponse, message: string): void => sendJson(outgoing, 403, { message }),
  ): RequestListener =>
  (incoming, outgoing) => {
    const header = foreignHeader(incoming);
    if (header === undefined) return serve(incoming, outgoing);
    return refuse(
      outgoing,
      `${header}: only programs of this machine are served, under 127.0.0.1, localhost or [::1] with this port`,
    );
  };
