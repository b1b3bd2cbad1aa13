import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

/** The parts of an HTTP response that are used. A `Response` of the Fetch API has them. */
export interface Fetched {
  readonly status: number;
  readonly body: (AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> }) | null;
}

/** Sends a GET request, without following redirects. */
export type Fetch = (
  address: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<Fetched>;

/**
 * Fetches an issuer's keys with `node:https`, which the DynamoDB client loads anyway: the first use of the
 * global `fetch` adds 10 to 20 ms to a cold start. No redirects, no decompression, and a new connection each
 * time, because a kept one would be dead after the Lambda was frozen.
 *
 * Rejects with the signal's reason when it aborts, and with an Error when the connection fails. `body` throws
 * if the response breaks off.
 */
export const fetchKeys: Fetch = (address, { headers, signal }) =>
  new Promise((resolve, reject) => {
    const get = address.startsWith('https:') ? getHttps : getHttp;
    const request = get(address, { agent: false, headers, signal }, (answer) => {
      const body = Object.assign(answer, { cancel: async () => void answer.destroy() });
      resolve({ status: answer.statusCode ?? 0, body });
    });
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  });
