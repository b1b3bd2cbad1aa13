import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAuthentication, createKeySets, createRemoteKeys } from '../../authorizer/index.ts';
import { listen } from '../support/listening.ts';
import { createClock } from '../support/world.ts';
import { AUDIENCE, createIssuer, ISSUER } from './support.ts';

const issuer = await createIssuer();
afterEach(() => vi.restoreAllMocks());

/** Serves the issuer's keys on this machine and counts how often it is asked. */
async function serve(listener: RequestListener) {
  let requests = 0;
  const address = await listen((incoming, outgoing) => {
    requests += 1;
    listener(incoming, outgoing);
  });
  const clock = createClock();
  const algorithms = ['RS256'];
  const url = new URL(`${address}/jwks.json`);
  const keys = createRemoteKeys({
    url,
    algorithms,
    clock,
    keySets: createKeySets(65_536, clock),
    staleMs: 0,
  });
  const issuers = [{ keys, issuer: ISSUER, audience: [AUDIENCE], algorithms }];
  return {
    authenticate: createAuthentication({ issuers, maxBytes: 4_096, ttlMs: 0, cacheBytes: 65_536, clock }),
    clock,
    requests: () => requests,
  };
}

const answer =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_, outgoing) =>
    outgoing.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

describe("the issuer's keys over HTTP", () => {
  it('are not fetched for a token that is refused before verification', async () => {
    const { authenticate, requests } = await serve(answer(200, { keys: [issuer.jwk] }));
    await expect(authenticate('not.a.token')).rejects.toMatchObject({ name: 'CredentialsError' });
    await expect(authenticate(await issuer.token({}, { jku: 'https://evil.example' }))).rejects.toMatchObject(
      {
        code: 'header_refused',
      },
    );
    expect(requests()).toBe(0);
  });

  it.each<[string, RequestListener]>([
    ['answers 500', answer(500, 'down')],
    ['redirects', answer(302, '', { location: 'http://127.0.0.1:1/' })],
    ['hangs up', (incoming) => incoming.destroy()],
  ])('are a fault if unavailable because the issuer %s', async (_, listener) => {
    const { authenticate } = await serve(listener);
    await expect(authenticate(await issuer.token())).rejects.toMatchObject({
      name: 'Fault',
      code: 'keys_unavailable',
    });
  });

  it('are not fetched from a redirect, not even on the same host', async () => {
    const { authenticate, requests } = await serve((incoming, outgoing) =>
      incoming.url === '/jwks.json'
        ? outgoing.writeHead(302, { location: '/moved.json' }).end()
        : outgoing.end(JSON.stringify({ keys: [issuer.jwk] })),
    );
    await expect(authenticate(await issuer.token())).rejects.toMatchObject({ code: 'keys_unavailable' });
    expect(requests()).toBe(1);
  });

  it('have a deadline of one second', async () => {
    const timedOut = AbortSignal.abort(Object.assign(new Error('timed out'), { name: 'TimeoutError' }));
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timedOut);
    const { authenticate } = await serve(() => undefined);
    await expect(authenticate(await issuer.token())).rejects.toMatchObject({ code: 'keys_unavailable' });
    expect(timeout.mock.calls).toEqual([[1_000]]);
  });
});
