import { request } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../local/configuration.ts';
import { startSample } from '../../local/sample/stack.ts';

/**
 * The stack of `gatehouse dev`, over HTTP: what a request holds twice, with different values, decides nothing, for the
 * backend may use the other one. Tina may see the grades of the north, and connect to its board.
 */

const provision = async (command: string, input: object): Promise<void> => {
  const url = `${stack.lambdaUrl}/2015-03-31/functions/provisioning/invocations`;
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ command, input }) });
  expect(await answer.json()).toMatchObject({ ok: true });
};
const tokenOf = async (user: string): Promise<string> => {
  const answer = await fetch(`${stack.url}/_dev/token`, { method: 'POST', body: JSON.stringify({ user }) });
  return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
};

const stack = await startSample(
  readConfiguration({ PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', CACHE_TTL_SECONDS: '0' }),
);
const route = { method: 'GET', permission: 'grades' };
await provision('route.create', { ...route, path: '/by-query', scope: 'location:{query:loc}' });
await provision('route.create', { ...route, path: '/by-header', scope: 'location:{header:x-loc}' });
const [tina, victor] = await Promise.all([tokenOf('tina@school.example'), tokenOf('victor@school.example')]);
afterAll(() => stack.stop());

/** fetch() would join the values of a header. */
const ask = (target: string, headers: Readonly<Record<string, string | string[]>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${stack.url}${target}`, { headers });
    outgoing.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once('error', reject).end();
  });
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

const APIS = ['', '/http-policy', '/http-1.0', '/rest', '/rest-token', '/rest-whole'];
/** Those whose events show headers and query, and whose caches do not forbid a scope from there. */
const READING = ['', '/http-policy'];

describe.each(APIS)('%s', (api) => {
  test('one token is served, two are not, in either order', async () => {
    const path = `${api}/locations/${stack.school.north}/pages/grades`;
    const both = await Promise.all([
      ask(path, { Authorization: [victor, tina] }),
      ask(path, { Authorization: [tina, victor] }),
      ask(path, { Authorization: [tina, tina] }),
    ]);
    expect(both).toEqual([401, 401, 401]);
    expect(await ask(path, { Authorization: tina })).toBe(200);
  });

  test('two values of the parameter that names the scope are refused, in either order', async () => {
    const { north, south } = stack.school;
    const header = (...values: string[]) => ask(`${api}/by-header`, { Authorization: tina, 'X-Loc': values });
    const query = (...values: string[]) =>
      ask(`${api}/by-query?${values.map((each) => `loc=${each}`).join('&')}`, { Authorization: tina });
    expect([await header(south, north), await header(north, south)]).toEqual([403, 403]);
    expect([await query(south, north), await query(north, south)]).toEqual([403, 403]);
    const one = READING.includes(api) ? 200 : 403;
    expect([await header(north), await query(north)]).toEqual([one, one]);
  });
});

test('a WebSocket', async () => {
  const { north, south } = stack.school;
  const connect = (query: string, Authorization: string | string[]) =>
    ask(`/ws?${query}`, { ...UPGRADE, Authorization });
  expect(await connect(`location=${north}`, tina)).toBe(101);
  expect(await connect(`location=${south}&location=${north}`, tina)).toBe(403);
  expect(await connect(`location=${north}&location=${south}`, tina)).toBe(403);
  expect(await connect(`location=${north}`, [victor, tina])).toBe(401);
  expect(await connect(`location=${north}`, [tina, victor])).toBe(401);
});
