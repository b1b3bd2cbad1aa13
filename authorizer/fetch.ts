import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import type { FetchImplementation } from 'jose';

/** A key set holds a few keys; whatever is longer is none. */
const MAX_LENGTH = 256 * 1024;

/**
 * Fetches an issuer's keys with what the DynamoDB client has loaded anyway: the first use of Node's own `fetch` takes
 * 10 to 20 ms of a cold start. GET only, no redirects, no decompression; of the answer there are `status` and `json`.
 * A connection of its own: one that was kept would be found dead after the Lambda was frozen.
 *
 * Rejects with the reason of the signal when that aborts, and with an Error when the connection fails or the
 * answer is longer than 256 K characters.
 */
export const fetchKeys: FetchImplementation = (address, { headers, signal }) =>
  new Promise((resolve, reject) => {
    const get = address.startsWith('https:') ? getHttps : getHttp;
    const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : error);
    const request = get(address, { agent: false, headers: Object.fromEntries(headers), signal }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > MAX_LENGTH) answer.destroy(new Error('the answer of the issuer is too long'));
      });
      answer.on('error', fail);
      answer.on('end', () => {
        const json = async (): Promise<unknown> => JSON.parse(text);
        resolve({ status: answer.statusCode, json } as Response);
      });
    });
    request.on('error', fail);
  });
