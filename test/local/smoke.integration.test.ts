import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseConfiguration } from '../../authorizer/index.ts';
import { readConfiguration } from '../../local/configuration.ts';
import { ANSWER_SOURCE_HEADER } from '../../local/gateway/gateway.ts';
import { createApis, RESULT_CACHE } from '../../local/sample/apis.ts';
import { startSample } from '../../local/sample/stack.ts';
import { type Sent, send } from './explorer/support.ts';
import { openSocket } from './smoke/socket.ts';
import { gradesOf, tokenFrom } from './smoke/visitor.ts';

/** The sample world on free ports, used as clients do. Its people: docs/examples/sample.test.yaml. */
const stack = await startSample(
  readConfiguration({
    PORT: '0',
    LAMBDA_PORT: '0',
    DYNAMODB_PORT: '0',
    CACHE_TTL_SECONDS: '0',
    DYNAMODB_ENDPOINT: inject('endpoint'),
    TABLE_NAME: `smoke-${Date.now()}`,
  }),
);
const { url, school, tenants, facilities } = stack;
afterAll(() => stack.stop());

async function provision(command: string, input: object): Promise<void> {
  const path = '/2015-03-31/functions/provisioning/invocations';
  const body = JSON.stringify({ command, input });
  const answer = await fetch(stack.lambdaUrl + path, { method: 'POST', body });
  expect(await answer.json()).toMatchObject({ ok: true });
}
const bearer = async (user: string): Promise<string> => `Bearer ${await tokenFrom(url, user)}`;
const [ada = '', tina = '', victor = '', dora = ''] = await Promise.all(
  ['ada', 'tina', 'victor', 'dora'].map((name) => bearer(`${name}@school.example`)),
);
/** Routes beside those of the sample: with them, nobody who may see grades has a policy for the whole API. */
async function addRoutes(): Promise<void> {
  const route = { method: 'GET', permission: 'grades' };
  await provision('route.create', { ...route, path: '/by-query', scope: 'location:{query:loc}' });
  await provision('route.create', { ...route, path: '/by-header', scope: 'location:{header:x-loc}' });
}

type Headers = Sent['headers'];
const ask = async (target: string, headers: Headers = {}, method = 'GET'): Promise<number> =>
  (await send(url + target, { method, headers })).status;

const KINDS = ['', '/http-policy', '/http-1.0', '/rest', '/rest-token'];

type Asked = readonly [status: number, who: string | undefined, path: string, method?: string];
const ASKED: readonly Asked[] = [
  [200, 'tina@school.example', gradesOf(school.north)],
  [403, 'victor@school.example', gradesOf(school.north)],
  [401, undefined, gradesOf(school.north)],
  [200, 'victor@school.example', `/locations/${school.north}/pages/schedule`],
  [200, 'alice@acme.example', `/tenants/${tenants.acme}/tickets/1`, 'DELETE'],
  [200, 'theo@northwind.example', `/buildings/${facilities.boathouse}/doors`],
  [403, 'theo@northwind.example', `/buildings/${facilities.orangery}/doors`],
];

test.each(KINDS)(
  'the sample world lets people in and refuses them over each kind of API: %s',
  async (api) => {
    for (const [status, who, path, method] of ASKED) {
      const headers = who === undefined ? {} : { authorization: await bearer(who) };
      expect([who, method, path, await ask(api + path, headers, method)]).toEqual([
        who,
        method,
        path,
        status,
      ]);
    }
  },
);

describe('with routes whose place comes from the query or from a header', () => {
  beforeAll(addRoutes);

  /*
   * What a request holds twice, with different values, decides nothing: the backend may use the other one. Tina may see
   * the grades of the north, and connect to its board.
   */
  describe.each([...KINDS, '/rest-whole'])('what a request of %s holds twice', (api) => {
    test('one token is served, two are not, in either order', async () => {
      const path = api + gradesOf(school.north);
      // No cache has an answer for it.
      const tina = await bearer('tina@school.example');
      const both = [
        [victor, tina],
        [tina, victor],
        [tina, tina],
      ].map((Authorization) => ask(path, { Authorization }));
      expect(await Promise.all(both)).toEqual([401, 401, 401]);
      expect(await ask(path, { Authorization: tina })).toBe(200);
    });

    test('two values of the parameter that names the scope are refused, in either order', async () => {
      const { north, south } = school;
      const header = (...values: string[]) =>
        ask(`${api}/by-header`, { Authorization: tina, 'X-Loc': values });
      const query = (...values: string[]) =>
        ask(`${api}/by-query?${values.map((each) => `loc=${each}`).join('&')}`, { Authorization: tina });
      expect([await header(south, north), await header(north, south)]).toEqual([403, 403]);
      expect([await query(south, north), await query(north, south)]).toEqual([403, 403]);
      // Those whose events show headers and query, and whose caches do not forbid a scope from there.
      const one = ['', '/http-policy'].includes(api) ? 200 : 403;
      expect([await header(north), await query(north)]).toEqual([one, one]);
    });
  });

  describe('a place that comes from the query', () => {
    const at = async (api: string, ...places: readonly string[]): Promise<readonly string[]> => {
      const seen = [];
      for (const place of places) {
        const target = `${url}${api}/by-query?loc=${place}`;
        const { status, headers } = await send(target, { headers: { authorization: tina } });
        seen.push(`${status} ${headers[ANSWER_SOURCE_HEADER]}`);
      }
      return seen;
    };
    const { north, south } = school;

    test.each([
      ['/rest, whose key holds no query, refuses it', '/rest', ['403 hit', '403 hit', '403 hit']],
      ['so does /rest-whole', '/rest-whole', ['403 hit', '403 hit', '403 hit']],
      ['the API without a cache decides for each place', '', ['200 off', '403 off', '200 off']],
      ['so does /http-policy', '/http-policy', ['200 off', '403 off', '200 off']],
      ['the event of a TOKEN authorizer has no query', '/rest-token', ['403 off', '403 off', '403 off']],
      ['that of format 1.0 has one value of several', '/http-1.0', ['403 off', '403 off', '403 off']],
    ])('%s', async (_, api, expected) => {
      await at(api, north);
      expect(await at(api, north, south, north)).toEqual(expected);
    });

    test("the authorizers' configuration matches the gateway's caches", () => {
      const invoke = async () => ({ isAuthorized: false, context: {} });
      const { resultCaches } = parseConfiguration({
        TABLE_NAME: 'gatehouse',
        TOKEN_ISSUER: 'https://issuer.example',
        TOKEN_AUDIENCE: 'api',
        RESULT_CACHE,
      });
      for (const { apiId, authorizer } of createApis({ simple: invoke, policy: invoke })) {
        expect(resultCaches.get(apiId)?.ttl).toBe(authorizer.resultTtlSeconds);
        expect(resultCaches.get(apiId)?.key.size).toBe(authorizer.identitySources.length);
      }
    });
  });
});

describe('a WebSocket', () => {
  const { north, south } = school;
  const connect = (query: string, Authorization?: string | string[]) =>
    ask(`/ws?${query}`, {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      ...(Authorization === undefined ? {} : { Authorization }),
    });

  test.each<[string, number, string, (string | string[])?]>([
    ['with one location and one token is open', 101, `location=${north}`, tina],
    ['without a token', 401, `location=${north}`],
    ['with a token that was tampered with', 401, `location=${north}`, `${ada}x`],
    ['without its location', 401, '', tina],
    ['at another school', 403, `location=${south}`, tina],
    ['of a disabled user', 403, `location=${south}`, dora],
    ['with two locations', 403, `location=${south}&location=${north}`, tina],
    ['with two locations, in the other order', 403, `location=${north}&location=${south}`, tina],
    ['with two tokens', 401, `location=${north}`, [victor, tina]],
    ['with two tokens, in the other order', 401, `location=${north}`, [tina, victor]],
  ])('%s: %i', async (_, status, query, authorization) => {
    expect(await connect(query, authorization)).toBe(status);
  });

  test('sends messages to their routes, with the context of its authorizer, until the stack stops', async () => {
    const token = await tokenFrom(url, 'tina@school.example');
    const socket = await openSocket(`${url.replace('http', 'ws')}/ws?location=${north}`, token);
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    const you = { subject: expect.stringMatching(/^user:/), allowedBy: 'role' };
    expect(await socket.ask({ action: 'board' })).toMatchObject({ route: 'board', you });
    expect(await socket.ask('not even JSON')).toMatchObject({ route: '$default', you });
    await stack.stop();
    expect(await socket.ended()).toBe(1001);
  });
});
