import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';

export interface RequestHandlerOptions {
  /** Milliseconds one attempt may take. Connecting may take half of it. */
  readonly requestTimeoutMs: number;
  /** Milliseconds for which an idle connection is used again. Default {@link IDLE_MS}. */
  readonly idleMs?: number;
  /** The wall clock, in epoch milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * How long a connection may have been idle when it is used again. A frozen Lambda runs no timer and sees no end of
 * a connection, while what is in between forgets it: packets then go nowhere, without an error.
 */
export const IDLE_MS = 30_000;

/** As the SDK has it. */
const MAX_SOCKETS = 50;

/**
 * The request handler of an AWS client (ADR 0036). The SDK's own keeps idle connections for as long as nobody closes
 * them. This one uses none that was idle for longer than `idleMs` by the wall clock, and none that was idle when
 * an attempt got no answer: the next attempt connects anew.
 */
export function createRequestHandler({
  requestTimeoutMs,
  idleMs = IDLE_MS,
  now = Date.now,
}: RequestHandlerOptions): NodeHttpHandler {
  const idleSince = new WeakMap<object, number>();
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const agents = { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) };
  /** Destroys the connections that became idle before an instant: the first ones of the agent, which passes over them. */
  const dropIdle = (before: number): void => {
    for (const agent of Object.values(agents))
      for (const sockets of Object.values(agent.freeSockets))
        for (const socket of sockets ?? []) if ((idleSince.get(socket) ?? 0) < before) socket.destroy();
  };
  let latest = Number.NEGATIVE_INFINITY;
  const instant = (): number => {
    const read = now();
    // By a clock that was set back, connections look too young.
    if (read < latest) dropIdle(Number.POSITIVE_INFINITY);
    latest = read;
    return read;
  };
  for (const agent of Object.values(agents)) {
    const { keepSocketAlive } = agent;
    agent.keepSocketAlive = (socket) => {
      idleSince.set(socket, instant());
      return keepSocketAlive.call(agent, socket);
    };
  }

  const handler = new NodeHttpHandler({
    ...agents,
    connectionTimeout: requestTimeoutMs / 2,
    requestTimeout: requestTimeoutMs,
    throwOnRequestTimeout: true,
  });
  const { handle } = handler;
  handler.handle = async (...request) => {
    dropIdle(instant() - idleMs);
    try {
      return await handle.apply(handler, request);
    } catch (error) {
      dropIdle(Number.POSITIVE_INFINITY);
      throw error;
    }
  };
  return handler;
}
