import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { type Handle, MAX_BODY } from '../../authorizer/service/http.ts';
import {
  createNodeServer,
  type NodeServer,
  type NodeServerOptions,
} from '../../authorizer/service/node-server.ts';
import { createLogged } from '../support/log.ts';
import { createFixture, QUESTION, serve } from './support.ts';

let server: NodeServer | undefined;
const { log, lines } = createLogged('authzen');

const fixture = await createFixture();
afterEach(async () => {
  await server?.stop();
  server = undefined;
  lines.length = 0;
});

const create = (options: Partial<NodeServerOptions>): NodeServer =>
  createNodeServer({
    handle: serve(fixture),
    isReachable: async () => true,
    maxRequests: 100,
    graceMs: 60_000,
    log,
    clock: { now: () => 0 },
    ...options,
  });

async function start(options: Partial<NodeServerOptions> = {}): Promise<string> {
  server = create(options);
  return `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
}

const asked = () => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${fixture.token.a}`,
    'content-type': 'application/json',
    'x-request-id': 'id-1',
  },
  body: JSON.stringify(QUESTION),
});
const EVALUATION = '/access/v1/evaluation';

const headerLines = () => Object.entries(asked().headers).map((line) => line.join(': '));

/** Sends a request over a connection of its own, and takes what comes until it is closed. */
const exchange = (url: string, headers: readonly string[], body = asked().body): Promise<string> =>
  new Promise((resolve) => {
    const head = [`POST ${EVALUATION} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''];
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(head.join('\r\n') + body);
    let received = '';
    socket.on('data', (chunk) => (received += chunk)).once('close', () => resolve(received));
  });

/** A handle that answers when it is told to, and how many wait. */
function waiting() {
  const waiters: (() => void)[] = [];
  let seen: () => void = () => {};
  const handle: Handle = async () => {
    seen();
    await new Promise<void>((resolve) => waiters.push(resolve));
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"decision":true}' };
  };
  return {
    handle,
    /** Resolves with the next request that reaches the handle. */
    next: () => new Promise<void>((resolve) => (seen = resolve)),
    release: () => {
      for (const each of waiters.splice(0)) each();
    },
  };
}

test('decides, and logs one line without a secret', async () => {
  const url = await start();
  const answer = await fetch(`${url}${EVALUATION}?x=secret`, asked());
  expect(await answer.json()).toEqual({ decision: true, context: { reason: 'role' } });
  expect(answer.headers.get('x-request-id')).toBe('id-1');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'INFO',
      message: 'request answered',
      timestamp: expect.any(String),
      service: 'authzen',
      requestId: 'id-1',
      method: 'POST',
      path: EVALUATION,
      status: 200,
      milliseconds: 0,
    },
  ]);
});

test('requests of one turn of the event loop are all decided before the first is answered', async () => {
  let decided = 0;
  const decidedBefore: number[] = [];
  const { listener } = create({ handle: async () => ({ status: 200, headers: {}, body: `${++decided}` }) });
  const fields = { method: 'POST', url: EVALUATION, headers: {}, rawHeaders: [], complete: true };
  const outgoing = { writeHead: () => {}, end: () => decidedBefore.push(decided) };
  for (const body of ['first', 'second']) {
    const incoming = Object.assign(Readable.from([Buffer.from(body)]), fields);
    listener(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);
    for (let tick = 0; tick < 100; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(decidedBefore).toEqual([2, 2]);
});

test('does not log a path that is none of ours', async () => {
  const url = await start();
  await fetch(`${url}/some/secret`);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'INFO', method: 'GET', status: 404 });
  expect(lines[0]).not.toContain('secret');
});

test('keeps a connection for several requests', async () => {
  const url = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<Socket>();
  for (let count = 0; count < 3; count++) {
    const { body, ...options } = asked();
    const [answer] = await once(
      httpRequest(`${url}${EVALUATION}`, { ...options, agent }).end(body),
      'response',
    );
    sockets.add(answer.socket);
    await once(answer.resume(), 'end');
  }
  agent.destroy();
  expect(sockets.size).toBe(1);
});

test.each([true, false])('refuses a body that is too large with 413, its length told %s', async (isTold) => {
  const url = await start();
  const whole = Buffer.alloc(MAX_BODY + 1, 0x20);
  const body = isTold ? whole : Readable.toWeb(Readable.from([whole]));
  const answer = await fetch(`${url}${EVALUATION}`, { ...asked(), body, duplex: 'half' } as RequestInit);
  expect(answer.status).toBe(413);
  expect(answer.headers.get('connection')).toBe('close');
});

test('takes a body of exactly 256 KB', async () => {
  const url = await start();
  const { body } = asked();
  const answer = await fetch(`${url}${EVALUATION}`, { ...asked(), body: body.padStart(MAX_BODY, ' ') });
  expect(answer.status).toBe(200);
});

test('refuses what exceeds the requests in flight with 429, and serves again afterwards', async () => {
  const { handle, next, release } = waiting();
  const url = await start({ handle, maxRequests: 1 });
  const arrived = next();
  const first = fetch(`${url}${EVALUATION}`, asked());
  await arrived;
  const second = await fetch(`${url}${EVALUATION}`, asked());
  expect(second.status).toBe(429);
  expect(second.headers.get('retry-after')).toBe('1');
  expect(await second.text()).not.toContain('decision');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  release();
  expect((await first).status).toBe(200);
  const again = next();
  const third = fetch(`${url}${EVALUATION}`, asked());
  await again;
  release();
  expect((await third).status).toBe(200);
});

test('a stop answers what is in flight, and takes nothing new', async () => {
  const { handle, next, release } = waiting();
  const url = await start({ handle });
  const arrived = next();
  const answer = fetch(`${url}${EVALUATION}`, asked());
  await arrived;
  const stopped = server?.stop();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  release();
  const { status, headers } = await answer;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
});

test('a stop ends what is in flight when its time is over', async () => {
  const { handle, next } = waiting();
  const url = await start({ handle, graceMs: 0 });
  const arrived = next();
  const answer = fetch(`${url}${EVALUATION}`, asked());
  const refused = expect(answer).rejects.toThrow();
  await arrived;
  await server?.stop();
  await refused;
});

test('says whether it runs, and whether the table answers', async () => {
  let isReachable = async () => true;
  const url = await start({ isReachable: () => isReachable() });
  const statuses = async () => [
    (await fetch(`${url}/healthz`)).status,
    (await fetch(`${url}/readyz`)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  isReachable = async () => false;
  expect(await statuses()).toEqual([200, 503]);
  isReachable = () => Promise.reject(new Error('down'));
  expect(await statuses()).toEqual([200, 503]);
});

test('headers that are too large, or none at all, get an error and no decision', async () => {
  const url = await start();
  const { authorization } = asked().headers;
  const large = { ...asked(), headers: { authorization, 'x-large': 'x'.repeat(20_000) } };
  expect((await fetch(`${url}${EVALUATION}`, large)).status).toBe(431);
  expect(await exchange(url, ['no header'])).toContain('400 Bad Request');
});

/** Sends the head of a request, and waits until the server has begun to read its body. */
async function begin(url: string, length: number): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = [...headerLines(), `content-length: ${length}`, 'expect: 100-continue'];
  socket.write(`POST ${EVALUATION} HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
  expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toContain('100 Continue');
  return socket;
}

test.each([
  ['authorization', 401],
  ['content-type', 400],
])('a request with two values of %s is refused with %i', async (name, status) => {
  const lines = [...headerLines(), `content-length: ${asked().body.length}`];
  const twice = lines.filter((line) => line.startsWith(name));
  expect(await exchange(await start(), [...lines, ...twice])).toMatch(`HTTP/1.1 ${status} `);
});

const CHUNKED = ['Transfer-Encoding: chunked'];

/** Framings under which two readers of one connection could see two requests, or other bodies (RFC 9112 section 6.3). */
test.each<[name: string, headers: readonly string[], body: (whole: string) => string]>([
  ['a length that is too small', ['Content-Length: 10'], (whole) => whole],
  [
    'a length and chunks',
    ['Content-Length: 5', ...CHUNKED],
    (whole) => `${whole.length.toString(16)}\r\n${whole}\r\n0\r\n\r\n`,
  ],
  ['two lengths', ['Content-Length: 10', 'Content-Length: 11'], (whole) => whole],
  ['a length with a sign', ['Content-Length: +10'], (whole) => whole],
  ['an encoding that is none', ['Transfer-Encoding: chunked, identity'], (whole) => whole],
  ['a chunk whose size overflows', CHUNKED, (whole) => `1${'0'.repeat(16)}\r\n${whole}`],
  ['a chunk without an end', CHUNKED, (whole) => `zz\r\n${whole}`],
])('a request framed by %s gets no decision', async (_, framing, bodyOf) => {
  const received = await exchange(await start(), [...headerLines(), ...framing], bodyOf(asked().body));
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).not.toContain('decision');
});

test('who does not send the rest of a request takes no place, and gets no answer', async () => {
  const url = await start({ maxRequests: 1 });
  const sockets = await Promise.all([1, 2, 3].map(() => begin(url, 100)));
  for (const socket of sockets) socket.write('{"sub');
  expect((await fetch(`${url}${EVALUATION}`, asked())).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await server?.stop();
  expect(lines).toHaveLength(1);
});

test('bodies that are not whole hold no more than those of all requests may: the next byte is refused', async () => {
  const url = await start({ maxRequests: 1 });
  const sockets = await Promise.all([1, 2].map(() => begin(url, MAX_BODY)));
  const answers = sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve)));
  for (const socket of sockets) socket.write(' '.repeat(MAX_BODY - 1));
  expect(String(await Promise.race(answers))).toContain('429 Too Many Requests');
  for (const socket of sockets) socket.destroy();
  // The server learns of it when it does.
  let status = 429;
  while (status === 429) status = (await fetch(`${url}${EVALUATION}`, asked())).status;
  expect(status).toBe(200);
});
