import type { RequestListener } from 'node:http';
import type { Handle } from '../authorizer/service/http.ts';
import { createNodeServer } from '../authorizer/service/node-server.ts';
import { ownOnly } from './gateway/own-requests.ts';

/** The AuthZEN API for programs on this machine. */
export function createAuthzenListener(handle: Handle): RequestListener {
  const { listener } = createNodeServer({
    handle,
    isReachable: async () => true,
    maxRequests: 1_000,
    graceMs: 0,
    log: { error: () => {}, info: () => {} },
    clock: { now: Date.now },
  });
  return ownOnly(listener);
}
