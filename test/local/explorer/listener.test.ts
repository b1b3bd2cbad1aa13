import { request } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import type { LiveEvent } from '../../../explorer/service/index.ts';
import { MAX_BODY_BYTES, MAX_STREAMS } from '../../../local/explorer/listener.ts';
import { createEventRing } from '../../../local/explorer/live/event-ring.ts';
import { FOREIGN, OWN } from '../foreign.ts';
import { BASE, OF_PAGE, openExplorer, type Sent, send } from './support.ts';

/** The explorer over HTTP, as browsers and programs meet it. */

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

describe('a link', () => {
  test('opens a session and leads to the page, once', async () => {
    const { newLink, url } = await openExplorer();
    const link = newLink();
    const first = await send(link);
    expect([first.status, first.headers.location, first.body]).toEqual([303, `${BASE}/`, '']);
    const cookie = String(first.headers['set-cookie']?.[0]).replace(/;.*$/, '');
    expect(await send(`${url}/`, { headers: { cookie } })).toMatchObject({
      status: 200,
      body: expect.stringContaining('page'),
    });
    const second = await send(link);
    expect([second.status, second.headers['set-cookie']]).toEqual([401, undefined]);
    expect(second.body).toContain(
      'This link was used already, or it is older than 5 minutes: start it again.',
    );
  });

  test('sets a cookie that no script reads, that no other site sends, and that a second explorer keeps', async () => {
    const { newLink, port } = await openExplorer();
    expect((await send(newLink())).headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^gatehouse_explorer_${port}=secret-\\d+; Path=${BASE}; HttpOnly; SameSite=Strict$`),
      ),
    ]);
  });

  test('is not used up by what does not open it', async () => {
    const { newLink } = await openExplorer();
    const link = newLink();
    expect((await send(link, { method: 'HEAD' })).status).toBe(405);
    expect((await send(link, { method: 'POST' })).status).toBe(405);
    expect((await send(link, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await send(link.slice(0, -1))).status).toBe(401);
    expect((await send(link.replace('ticket', 'Ticket'))).status).toBe(401);
    expect((await send(link)).status).toBe(303);
  });

  test('that was used leads to the page again, in a browser that has a session', async () => {
    const { newLink, openSession } = await openExplorer();
    const link = newLink();
    await send(link);
    const again = await send(link, { headers: { cookie: await openSession() } });
    expect([again.status, again.headers['set-cookie']]).toEqual([303, undefined]);
  });
});

describe('without a session', () => {
  test.each([`${BASE}`, `${BASE}/`, `${BASE}/main.js`, `${BASE}/nothing`])('%s is 401', async (path) => {
    const { origin } = await openExplorer();
    const { status, body } = await send(`${origin}${path}`);
    expect(status).toBe(401);
    expect(body).toContain('The explorer is opened by a link that works once: start it again.');
    expect(body).not.toContain('<script');
  });

  test.each([
    ['GET', `${BASE}/live`],
    ['POST', `${BASE}/api/about`],
    ['GET', `${BASE}/api/about`],
  ])('%s %s is 401, as JSON', async (method, path) => {
    const service = vi.fn();
    const { origin } = await openExplorer({ service });
    const { status, body } = await send(`${origin}${path}`, { method, headers: OF_PAGE });
    expect([status, JSON.parse(body)]).toEqual([
      401,
      { ok: false, error: { code: 'invalid', message: expect.any(String), retryable: false } },
    ]);
    expect(service).not.toHaveBeenCalled();
  });

  test.each([
    ['no value', 'gatehouse_explorer_PORT='],
    ['another value', 'gatehouse_explorer_PORT=secret-2x'],
    ['the cookie of another port', 'gatehouse_explorer_1=secret-2'],
    ['a ticket', 'gatehouse_explorer_PORT=secret-1'],
    ['another name', 'gatehouse_explorer=secret-2'],
    ['a name that ends like it', 'x_gatehouse_explorer_PORT=secret-2'],
  ])('a cookie with %s is none', async (_, cookie) => {
    const { url, port, openSession } = await openExplorer();
    await openSession();
    const headers = { cookie: cookie.replace('PORT', port) };
    expect((await send(`${url}/`, { headers })).status).toBe(401);
  });

  test('a session among other cookies is one', async () => {
    const { url, openSession } = await openExplorer();
    const cookie = `a=b; ${await openSession()}; c=d`;
    expect((await send(`${url}/`, { headers: { cookie } })).status).toBe(200);
  });

  test('who asks for the page, or by a used link, is noticed; who asks for other paths is not', async () => {
    const onClosed = vi.fn();
    const { url, newLink } = await openExplorer({ onClosed });
    for (const path of ['/main.js', '/live', '/api/about']) await send(`${url}${path}`);
    await send(`${url}/`, { headers: { 'sec-fetch-site': 'cross-site' } });
    const link = newLink();
    await send(link);
    expect(onClosed).not.toHaveBeenCalled();
    for (const asked of [`${url}/`, url, link]) await send(asked);
    expect(onClosed).toHaveBeenCalledTimes(3);
  });
});

describe('who is not the page itself', () => {
  const ASKED: readonly (readonly [string, Sent])[] = [
    ['/', {}],
    ['/main.js', {}],
    ['/live', {}],
    ['/api/about', { method: 'POST', body: '{}' }],
  ];

  test.each(FOREIGN)('is refused: %s', async (_, headersAt) => {
    const service = vi.fn();
    const { url, port, openSession } = await openExplorer({ service });
    const headers = { ...OF_PAGE, cookie: await openSession(), ...headersAt(port) };
    for (const [path, sent] of ASKED) {
      const answer = await send(`${url}${path}`, { ...sent, headers });
      expect([answer.status, answer.body]).toEqual([403, expect.stringMatching(/(?:Host|Origin): only/)]);
    }
    expect(service).not.toHaveBeenCalled();
  });

  test.each(['cross-site', 'same-site', 'x'])('is refused: Sec-Fetch-Site %s', async (site) => {
    const { url, openSession } = await openExplorer();
    const headers = { ...OF_PAGE, cookie: await openSession(), 'sec-fetch-site': site };
    for (const [path, sent] of ASKED)
      expect(await send(`${url}${path}`, { ...sent, headers })).toMatchObject({
        status: 403,
        body: expect.stringContaining('Sec-Fetch-Site: only'),
      });
  });

  test.each([
    ...OWN.filter(([name]) => name !== 'any content type'),
    ['a page of the same origin', () => ({ 'sec-fetch-site': 'same-origin' })] as const,
    ['an address that was typed', () => ({ 'sec-fetch-site': 'none' })] as const,
  ])('%s is served', async (_, headersAt) => {
    const { url, port, openSession } = await openExplorer();
    const headers = { ...OF_PAGE, cookie: await openSession(), ...headersAt(port) };
    expect((await send(`${url}/api/about`, { method: 'POST', headers, body: '{}' })).status).toBe(200);
  });

  test('no answer has a header of CORS, not even one for its own origin', async () => {
    const { origin, url, openSession } = await openExplorer();
    const headers = {
      origin,
      cookie: await openSession(),
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-gatehouse-explorer',
    };
    for (const method of ['OPTIONS', 'GET', 'POST'])
      for (const path of ['/', '/api/about', '/live', '/open', '/nothing']) {
        const answer = await send(`${url}${path}`, { method, headers });
        expect(Object.keys(answer.headers).filter((name) => /^access-control-/.test(name))).toEqual([]);
      }
    expect((await send(`${url}/api/about`, { method: 'OPTIONS', headers })).status).toBe(405);
  });
});

describe('headers', () => {
  test('of the page, its files, redirections and the service', async () => {
    const { url, newLink, openSession } = await openExplorer();
    const headers = { ...OF_PAGE, cookie: await openSession() };
    for (const answer of [
      await send(`${url}/`, { headers }),
      await send(`${url}/main.js`, { headers }),
      await send(url, { headers }),
      await send(newLink()),
      await send(`${url}/api/about`, { method: 'POST', headers, body: '{}' }),
    ])
      expect(answer.headers).toMatchObject({ ...HEADERS, 'content-security-policy': POLICY });
  });

  test('of a page of text: it may do nothing but look', async () => {
    const { url } = await openExplorer();
    const { headers } = await send(`${url}/`);
    expect(headers).toMatchObject({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/,
    );
  });
});

describe('the page', () => {
  test('its files are served by name, and a folder without a slash leads to it', async () => {
    const { url, openSession } = await openExplorer();
    const headers = { cookie: await openSession() };
    expect(await send(`${url}/main.js`, { headers })).toMatchObject({ status: 200, body: 'export {}' });
    expect(await send(`${url}/main.js`, { headers, method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
    });
    expect(await send(url, { headers })).toMatchObject({ status: 303, headers: { location: `${BASE}/` } });
    expect((await send(`${url}/nothing`, { headers })).status).toBe(404);
  });

  test('that is not built says what to do', async () => {
    const { url, openSession } = await openExplorer({ readPage: async () => undefined });
    expect(await send(`${url}/`, { headers: { cookie: await openSession() } })).toMatchObject({
      status: 503,
      body: expect.stringContaining('npm run explorer'),
    });
  });

  test.each(['/', '/_explorerx', '/_dev/explorer/', '/api/about'])('%s is not there', async (path) => {
    const { origin, openSession } = await openExplorer();
    const headers = { cookie: await openSession() };
    expect((await send(`${origin}${path}`, { headers })).status).toBe(404);
  });

  test.each([
    ['/', 'POST', 'GET, HEAD'],
    ['/main.js', 'DELETE', 'GET, HEAD'],
    ['/live', 'POST', 'GET'],
    ['/open', 'PUT', 'GET'],
    ['/api/about', 'GET', 'POST'],
  ])('%s does not take %s', async (path, method, allow) => {
    const { url, openSession } = await openExplorer();
    const answer = await send(`${url}${path}`, { method, headers: { cookie: await openSession() } });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
  });
});

describe('a call of the service', () => {
  async function call(sent: Sent = {}, service?: Parameters<typeof openExplorer>[0]) {
    const { url, openSession } = await openExplorer(service);
    const headers = { ...OF_PAGE, cookie: await openSession(), ...sent.headers };
    const { status, body } = await send(`${url}/api/check`, {
      method: 'POST',
      body: '{"a":1}',
      ...sent,
      headers,
    });
    return { status, reply: JSON.parse(body) };
  }

  test('is answered by it', async () => {
    expect(await call()).toEqual({
      status: 200,
      reply: { ok: true, result: { method: 'check', input: { a: 1 } } },
    });
  });

  test('that it refuses is answered too: it was asked, and said why', async () => {
    const error = { code: 'invalid', message: 'scope: no', field: 'scope', retryable: false } as const;
    expect(await call({}, { service: async () => ({ ok: false, error }) })).toEqual({
      status: 200,
      reply: { ok: false, error },
    });
  });

  test.each<[string, Sent, number, string]>([
    ['without the header of the page', { headers: { 'x-gatehouse-explorer': '' } }, 403, 'only the page'],
    ['of a form', { headers: { 'content-type': 'text/plain' } }, 415, 'application/json'],
    ['of a type that begins like JSON', { headers: { 'content-type': 'application/jsonx' } }, 415, 'json'],
    ['without a body', { body: '' }, 400, 'not JSON'],
    ['with half a body', { body: '{"a":' }, 400, 'not JSON'],
    [
      'that is too long',
      { body: JSON.stringify('x'.repeat(MAX_BODY_BYTES)) },
      413,
      `longer than ${MAX_BODY_BYTES} bytes`,
    ],
  ])('%s is refused', async (_, sent, status, message) => {
    const service = vi.fn();
    expect(await call(sent, { service })).toEqual({
      status,
      reply: {
        ok: false,
        error: { code: expect.any(String), message: expect.stringContaining(message), retryable: false },
      },
    });
    expect(service).not.toHaveBeenCalled();
  });

  test('of the greatest length is served', async () => {
    const body = JSON.stringify('x'.repeat(MAX_BODY_BYTES - 2));
    expect((await call({ body }, { service: async () => ({ ok: true, result: {} as never }) })).status).toBe(
      200,
    );
  });

  test('in which something breaks says nothing of it', async () => {
    const service = () => Promise.reject(new Error('the secret of the table'));
    expect(await call({}, { service })).toEqual({
      status: 500,
      reply: { ok: false, error: { code: 'internal', message: 'this did not work', retryable: false } },
    });
  });
});

describe('the event stream', () => {
  test('is not there without a stack', async () => {
    const { url, openSession } = await openExplorer();
    expect((await send(`${url}/live`, { headers: { cookie: await openSession() } })).status).toBe(404);
  });

  test('is sent to a bounded number of readers; one that leaves makes room', async () => {
    const { url, openSession } = await openExplorer({ events: createEventRing<LiveEvent>(10) });
    const headers = { cookie: await openSession() };
    const open = () =>
      new Promise<ReturnType<typeof request>>((resolve) => {
        const outgoing = request(`${url}/live`, { headers, agent: false }, () => resolve(outgoing)).end();
        outgoing.on('error', () => undefined);
      });
    const streams = await Promise.all(Array.from({ length: MAX_STREAMS }, open));
    const refused = await send(`${url}/live`, { headers });
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([
      503,
      { code: 'throttled', message: expect.stringContaining('close a page'), retryable: true },
    ]);
    streams[0]?.destroy();
    await vi.waitFor(
      async () => {
        const status = await new Promise((resolve) => {
          const outgoing = request(`${url}/live`, { headers, agent: false }, (response) => {
            resolve(response.statusCode);
            outgoing.destroy();
          }).end();
          outgoing.on('error', () => undefined);
        });
        expect(status).toBe(200);
      },
      { timeout: 60_000 },
    );
    for (const stream of streams) stream.destroy();
  });
});
