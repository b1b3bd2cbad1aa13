import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

/** As much of an HTTP answer as is looked at; a `Response` of `fetch` is one. */
export interface Fetched {
  readonly status: number;
  readonly body: (AsyncIterable<Uint8Array> & { readonly cancel: () => Promise<void> }) | null;
}

/** GETs an address, without following redirects. */
export type Fetch = (
  address: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<Fetched>;

/**
 * Fetches an issuer's keys with what the DynamoDB client has loaded anyway: the first use of Node's own `fetch` takes
 * 10 to 20 ms of a cold start. GET only, no redirects, no decompression. A connection of its own: one that was kept
 * would be found dead after the Lambda was frozen.
 *
 * Rejects with the reason of the signal when that aborts, and with an Error when the connection fails. `body` throws
 * when the answer breaks off.
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
