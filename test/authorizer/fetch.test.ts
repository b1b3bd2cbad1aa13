import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Fetched, fetchKeys } from '../../authorizer/credentials/fetch.ts';
import { listen } from '../support/listening.ts';

const serve = async (listener: RequestListener) => `${await listen(listener)}/keys?a=b`;
const get = (address: string, signal = AbortSignal.timeout(120_000)) =>
  fetchKeys(address, { headers: { accept: 'application/json' }, signal });
async function textOf({ body }: Fetched): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('fetching keys', () => {
  test('returns the response, in any number of chunks', async () => {
    const asked: unknown[] = [];
    const address = await serve(({ method, url, headers }, outgoing) => {
      asked.push([method, url, headers.accept, headers.connection]);
      const bytes = Buffer.from('{"keys":["ä"]}');
      outgoing.write(bytes.subarray(0, 11));
      setTimeout(() => outgoing.end(bytes.subarray(11)), 10);
    });
    const answer = await get(address);
    expect([answer.status, await textOf(answer)]).toEqual([200, '{"keys":["ä"]}']);
    expect(asked).toEqual([['GET', '/keys?a=b', 'application/json', 'close']]);
  });

  test('releases a body that is not read', async () => {
    const server = createServer((_, outgoing) => void outgoing.write('{'));
    const address = await listen(server);
    const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
    await (await get(address)).body?.cancel();
    await closed;
  });

  test('follows no redirect', async () => {
    const address = await serve((_, outgoing) => outgoing.writeHead(302, { location: '/other' }).end());
    expect((await get(address)).status).toBe(302);
  });

  test('fails with the cause when nothing listens', async () => {
    await expect(get('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(get('https://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('fails with the reason of the signal, before and during a response', async () => {
    const silent = await serve(() => undefined);
    await expect(get(silent, AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
    const halting = await serve((_, outgoing) => void outgoing.write('{'));
    const stop = new AbortController();
    const answer = await get(halting, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(textOf(answer)).rejects.toThrow();
  });

  test('fails on a truncated response', async () => {
    const cut = await serve((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '100' }).write('{}');
      setTimeout(() => outgoing.destroy(), 10);
    });
    await expect(get(cut).then(textOf)).rejects.toThrow();
  });
});
