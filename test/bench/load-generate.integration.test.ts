import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { generate, type Plan } from '../../bench/load/generate.ts';
import type { Time } from '../../bench/load/open-loop.ts';

/** A real server that counts its connections. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

const plan = (url: string, changes: Partial<Plan> = {}): Plan => ({
  url,
  callers: [{ token: 'a', asks: [{ path: '/a', expected: [200] }] }],
  exponent: 1,
  rate: 200,
  seconds: 0.25,
  connections: 4,
  timeoutMs: 60_000,
  seed: 1,
  ...changes,
});

/** Time that is always on time: no request is late, however busy the machine is. */
function punctual(): Time {
  let now = 0;
  return {
    now: () => now,
    wait: (ms) =>
      new Promise<void>((resolve) =>
        setImmediate(() => {
          now += ms;
          resolve();
        }),
      ),
  };
}
const send = (asked: Plan) => generate(asked, { time: punctual() });

test('callers send their tokens to paths below the path of the API, on kept connections', async () => {
  const seen = new Map<string, number>();
  const { url, connections } = await serve(({ url: target, method, headers }, response) => {
    const key = `${method} ${target} ${headers.authorization ?? 'nobody'}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    response.end('answer');
  });
  const callers = [{ token: 'one', asks: [{ path: '/a' }, { path: '/b?c=d' }] }, { asks: [{ path: '/a' }] }];
  const { outcomes, latencies } = await send(plan(`${url}/stage/`, { callers }));
  expect([...seen.keys()].sort()).toEqual([
    ...['GET /stage/a Bearer one', 'GET /stage/a nobody', 'GET /stage/b?c=d Bearer one'],
  ]);
  expect(Object.keys(outcomes)).toEqual(['200']);
  expect(latencies).toHaveLength(50);
  expect(connections()).toBeLessThanOrEqual(4);
});

test('an answer with an unexpected status is counted, with an example', async () => {
  let count = 0;
  const { url } = await serve((_, response) => {
    count += 1;
    response.writeHead(count % 5 === 0 ? 403 : 200).end();
  });
  const { unexpected, examples, outcomes } = await send(plan(url));
  expect(unexpected).toBeGreaterThan(0);
  expect(unexpected).toBe(outcomes[403]);
  expect(examples[0]).toBe('403 instead of 200: /a');
});

test('time-outs, broken connections and refused connections are no answers', async () => {
  const silent = await serve(() => undefined);
  const given = await send(plan(silent.url, { timeoutMs: 50 }));
  expect(Object.keys(given.outcomes)).toEqual(['timed out']);
  expect(given.answered).toBe(0);
  expect(given.unsent + (given.outcomes['timed out'] ?? 0)).toBe(50);
  expect(Math.min(...given.latencies)).toBeGreaterThanOrEqual(0);

  const broken = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half');
    setImmediate(() => response.destroy());
  });
  expect((await send(plan(broken.url))).answered).toBe(0);
  const gone = await send(plan('http://127.0.0.1:1', { seconds: 0.05 }));
  expect(Object.keys(gone.outcomes)).toEqual(['ECONNREFUSED']);
  expect(gone.latencies.length).toBe(gone.unsent);
});
