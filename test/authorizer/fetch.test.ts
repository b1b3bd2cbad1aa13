import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { fetchKeys } from '../../authorizer/fetch.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys?a=b`;
}
const get = (address: string, signal = AbortSignal.timeout(5_000)) =>
  fetchKeys(address, {
    headers: new Headers({ accept: 'application/json' }),
    method: 'GET',
    redirect: 'manual',
    signal,
  });

describe('fetching keys', () => {
  test('gets what is served, in whatever parts it comes', async () => {
    const asked: unknown[] = [];
    const address = await serve(({ method, url, headers }, outgoing) => {
      asked.push([method, url, headers.accept, headers.connection]);
      const bytes = Buffer.from('{"keys":["ä"]}');
      outgoing.write(bytes.subarray(0, 11));
      setTimeout(() => outgoing.end(bytes.subarray(11)), 10);
    });
    const answer = await get(address);
    expect([answer.status, await answer.json()]).toEqual([200, { keys: ['ä'] }]);
    expect(asked).toEqual([['GET', '/keys?a=b', 'application/json', 'close']]);
  });

  test('gives the body in chunks, and lets it go', async () => {
    const address = await serve((_, outgoing) => outgoing.end('{}'));
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await get(address)).body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('{}');
    await (await get(address)).body?.cancel();
  });

  test('follows no redirect', async () => {
    const address = await serve((_, outgoing) => outgoing.writeHead(302, { location: '/other' }).end());
    expect((await get(address)).status).toBe(302);
  });

  test('fails when there is nobody, with what went wrong', async () => {
    await expect(get('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(get('https://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('fails with the reason of the signal, before an answer and in the middle of one', async () => {
    const silent = await serve(() => undefined);
    await expect(get(silent, AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
    server?.closeAllConnections();
    server?.close();
    const halting = await serve((_, outgoing) => void outgoing.write('{'));
    const answer = await get(halting, AbortSignal.timeout(100));
    await expect(answer.json()).rejects.toThrow();
  });

  test('fails on an answer that breaks off, is no JSON or is too long', async () => {
    const cut = await serve((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '100' }).write('{}');
      setTimeout(() => outgoing.destroy(), 10);
    });
    await expect((await get(cut)).json()).rejects.toThrow();
    server?.close();
    const html = await serve((_, outgoing) => outgoing.end('<html>'));
    await expect((await get(html)).json()).rejects.toThrow(SyntaxError);
    server?.close();
    const long = await serve((_, outgoing) => outgoing.end(Buffer.alloc(300 * 1_024, 32)));
    await expect((await get(long)).json()).rejects.toThrow('too long');
  });
});
