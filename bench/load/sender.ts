import * as http from 'node:http';
import * as https from 'node:https';
import { type Outcome, TIMED_OUT } from './open-loop.ts';

/** One GET: nothing is changed by being measured. */
export interface Shot {
  readonly path: string;
  readonly token?: string | undefined;
}

export interface SenderOptions {
  /** Where the API stands; what path it has stands before those of the requests. */
  readonly url: URL;
  readonly connections: number;
  /** After so long a request is given up. */
  readonly timeoutMs: number;
}

/** Over connections that are kept, and followed to the last byte of each answer. Redirects are answers. */
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
          ...{
            agent,
            protocol: url.protocol,
            hostname: url.hostname.replace(/^\[|\]$/g, ''),
            port: url.port,
          },
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
