import type { RequestListener } from 'node:http';
import type { Handle } from '../authorizer/service/http.ts';
import { createNodeServer } from '../authorizer/service/node-server.ts';
import { sendJson } from './gateway/http.ts';
import { foreign, foreignHeader } from './own-requests.ts';

const PATHS = /^\/(?:access\/v1\/|\.well-known\/authzen-configuration)/;

/** The AuthZEN API at its own paths, for programs on this machine; everything else goes to `others`. */
export function withAuthzen(handle: Handle, clock: () => number, others: RequestListener): RequestListener {
  const { listener } = createNodeServer({
    handle,
    isReachable: async () => true,
    maxRequests: 1_000,
    graceMs: 0,
    log: { error: () => {}, info: () => {} },
    clock: { now: clock },
  });
  return (incoming, outgoing) => {
    if (!PATHS.test(incoming.url ?? '')) return others(incoming, outgoing);
    const header = foreignHeader(incoming);
    if (header !== undefined) return sendJson(outgoing, 403, { message: foreign(header) });
    return listener(incoming, outgoing);
  };
}
