import { type RequestListener, request } from 'node:http';
import { pipeline } from 'node:stream';
import { sendJson } from './gateway/http.ts';
import { ownOnly } from './gateway/own-requests.ts';

/**
 * The door of the embedded engine, for programs of this machine: the engine itself would serve every web page. What it
 * says of other origins is left out.
 *
 * @param endpoint of the engine
 */
export function engineDoor(endpoint: string): RequestListener {
  const { hostname, port, host } = new URL(endpoint);
  const pass: RequestListener = (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      const kept = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
      outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
      pipeline(answer, outgoing, () => {});
    });
    // A client that ends, or an engine: the other side learns it as well.
    passed.once('error', () => outgoing.destroy());
    outgoing.once('close', () => passed.destroy());
    pipeline(incoming, passed, () => {});
  };
  const __type = 'com.amazon.coral.service#AccessDeniedException';
  return ownOnly(pass, (outgoing, message) => sendJson(outgoing, 403, { __type, message }));
}
