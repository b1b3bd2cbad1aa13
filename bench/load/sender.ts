import * as http from 'node:http';
import * as https from 'node:https';
import { type Outcome, TIMED_OUT } from './open-loop.ts';

/** One GET request. */
export interface Shot {
  readonly path: string;
  readonly token?: string | undefined;
}

export interface SenderOptions {
  /** Base URL of the API; its path precedes those of the requests. */
  readonly url: URL;
  readonly connections: number;
  /** Time-out of a request. */
  readonly timeoutMs: number;
}

/** Sends over kept connections and reads each answer to its end. Redirects are not followed. */
export function createSender({ url, connections, timeoutMs }: SenderOptions) {
  const { Agent, request } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const base = url.pathname.replace(/\/$/, '');

  function send({ path, token }: Shot): Promise<Outcome> {
    return new Promise((resolve) => {
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      const failed = (error: NodeJS.ErrnoException): void => end({ fault: error.code ?? 'failed' });
      const outgoing = request(
        {
          agent,
          protocol: url.protocol,
          hostname: url.hostname.replace(/^\[|\]$/g, ''),
          port: url.port,
          path: `${base}${path}`,
          headers: {
            'user-agent': 'gatehouse-load',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
        },
        (incoming) => {
          incoming.on('error', failed);
          incoming.on('end', () => end({ status: incoming.statusCode ?? 0 }));
          incoming.resume();
        },
      );
      const timer = setTimeout(() => {
        end({ fault: TIMED_OUT });
        outgoing.destroy();
      }, timeoutMs);
      outgoing.on('error', failed);
      outgoing.end();
    });
  }

  return { send, close: () => agent.destroy() };
}
