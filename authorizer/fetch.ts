import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import type { FetchImplementation } from 'jose';

/** A key set holds a few keys; whatever is longer is none. */
const MAX_BYTES = 256 * 1_024;

/**
 * Fetches an issuer's keys with what the DynamoDB client has loaded anyway: the first use of Node's own `fetch` takes
 * 10 to 20 ms of a cold start. GET only, no redirects, no decompression; of the answer there are `status`, `body` and
 * `json`. A connection of its own: one that was kept would be found dead after the Lambda was frozen.
 *
 * Rejects with the reason of the signal when that aborts, and with an Error when the connection fails. `body` and
 * `json` throw when the answer breaks off or is longer than 256 KB.
 */
export const fetchKeys: FetchImplementation = (address, { headers, signal }) =>
  new Promise((resolve, reject) => {
    const get = address.startsWith('https:') ? getHttps : getHttp;
    const options = { agent: false, headers: Object.fromEntries(headers), signal };
    const request = get(address, options, (answer) => {
      async function* read(): AsyncGenerator<Uint8Array> {
        let bytes = 0;
        for await (const chunk of answer) {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) throw new Error('the answer of the issuer is too long');
          yield chunk;
        }
      }
      const json = async (): Promise<unknown> => {
        const decoder = new TextDecoder();
        let text = '';
        for await (const chunk of read()) text += decoder.decode(chunk, { stream: true });
        return JSON.parse(text + decoder.decode());
      };
      const body = { [Symbol.asyncIterator]: read, cancel: async () => void answer.destroy() };
      resolve({ status: answer.statusCode, body, json } as unknown as Response);
    });
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  });
