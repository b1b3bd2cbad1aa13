import { createServer, request as httpRequest } from 'node:http';
import express from 'express';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createPermissionsEndpoint,
  expressPermissions,
  honoPermissions,
  type Snapshot,
} from '../../middleware/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { listen } from '../support/listening.ts';
import { createLightWorld } from '../support/world.ts';
import { type Application, SERVERS } from './servers.ts';
import { createSchool, type Sent } from './support.ts';

/** The permissions endpoint: what a caller may do at a scope, for drawing. */
const school = await createSchool();
const ann = await school.tokenOf('ann');
const ben = await school.tokenOf('ben');

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const partsOf = () => {
  const { reader, who, clock } = school;
  return { engine: school.newEngine(), reader, who, now: clock.now };
};

describe.each(SERVERS)('%s', (_, start) => {
  let application: Application;
  const faults: unknown[] = [];
  let failure: Error | undefined;
  beforeAll(async () => {
    const parts = partsOf();
    const { engine } = parts;
    const failing =
      <A extends readonly unknown[], T>(call: (...values: A) => Promise<T>) =>
      (...values: A) =>
        failure ? Promise.reject(failure) : call(...values);
    const { checkAsked, checkManyAsked } = engine;
    application = await start({
      ...parts,
      engine: {
        ...engine,
        checkAsked: failing(checkAsked) as typeof checkAsked,
        checkManyAsked: failing(checkManyAsked) as typeof checkManyAsked,
      },
      onFault: (error) => faults.push(error),
    });
  });
  beforeEach(() => {
    failure = undefined;
  });
  afterAll(() => application.close());

  const get = (query: string, token = ann) =>
    application.send({ path: `/permissions${query}`, headers: as(token) });
  const post = (body: unknown, more: Partial<Sent> = {}) =>
    application.send({
      method: 'POST',
      path: '/permissions',
      headers: { ...as(ann), 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...more,
    });

  test('answers what is allowed whatever the request is like, and what a condition decides', async () => {
    const answer = await get('?scope=location:north');
    expect(answer.status).toBe(200);
    expect(answer.header('content-type')).toMatch(/^application\/json\b/);
    expect(answer.header('cache-control')).toBe('private, no-store');
    const { permissions, ask, issuedAt, expiresAt, ...rest } = JSON.parse(answer.text) as Snapshot;
    expect(rest).toEqual({ subject: 'user:ann', scope: 'location:north' });
    expect(permissions).toEqual(['grades']);
    expect([...ask].sort()).toEqual(['afternoon', 'elsewhere', 'mfa', 'office', 'records', 'unowned']);
    expect(issuedAt).toBe(school.clock.now());
    expect(expiresAt - issuedAt).toBeGreaterThan(0);
    expect(expiresAt - issuedAt).toBeLessThanOrEqual(60_000);
  });

  test('answers nothing for who may nothing, and for a scope that does not exist', async () => {
    for (const [query, token] of [
      ['?scope=location:north', ben],
      ['?scope=location:south', ann],
      ['?scope=no%20scope', ann],
    ]) {
      const { status, text } = await get(query as string, token);
      expect([status, JSON.parse(text)]).toMatchObject([200, { permissions: [], ask: [] }]);
    }
  });

  test('answers a question about one permission, and takes its object but not its context', async () => {
    const question = { permission: 'records', scope: 'location:north' };
    const recordOf = (owner: string) => ({ type: 'record', id: 'r1', properties: { owner } });
    for (const [body, allowed] of [
      [{ ...question, resource: recordOf('ann') }, true],
      [{ ...question, resource: recordOf('ben') }, false],
      [question, false],
      [{ permission: 'grades', scope: 'location:north' }, true],
      [{ permission: 'payroll', scope: 'location:north' }, false],
      [{ permission: 'elsewhere', scope: 'location:north', context: { ip: '198.51.100.1' } }, false],
      [{ permission: 'unheard of', scope: 'nowhere' }, false],
    ] as const) {
      const answer = await post(body);
      expect([answer.status, JSON.parse(answer.text)], JSON.stringify(body)).toEqual([200, { allowed }]);
      expect(answer.header('cache-control')).toBe('private, no-store');
    }
  });

  test('answers problems: 400, 401, 405, 413', async () => {
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    for (const [status, answer] of [
      [400, get('')],
      [400, get('?scope=location:north&scope=location:south')],
      [400, get('?scope=location:north&cursor=none')],
      [400, post({ scope: 'location:north' })],
      [400, post({ permission: 'grades', scope: '' })],
      [400, post(`{"permission":"grades","scope":"a:b","resource":{"properties":{"x":${deep}}}}`)],
      [413, post({ permission: 'grades', scope: 'location:north', resource: { id: 'x'.repeat(17_000) } })],
      [401, application.send({ path: '/permissions?scope=location:north' })],
      [401, post({}, { headers: { ...as('no.token.text'), 'content-type': 'application/json' } })],
      [405, application.send({ method: 'DELETE', path: '/permissions', headers: as(ann) })],
    ] as const) {
      const { status: found, text, header } = await answer;
      expect([found, JSON.parse(text).status, header('content-type')]).toEqual([
        ...[status, status],
        expect.stringContaining('application/problem+json'),
      ]);
    }
  });

  test('answers 503 to a fault, and 401 to a revoked token', async () => {
    failure = new GatehouseError('transient', 'no table');
    for (const answer of [
      get('?scope=location:north'),
      post({ permission: 'grades', scope: 'location:north' }),
    ])
      expect((await answer).status).toBe(503);
    expect(faults.splice(0)).toEqual([failure, failure]);
    failure = undefined;
    const { id, token } = await school.run('token.create', { user: 'ann', tokenType: 'api' });
    school.settle();
    expect((await get('?scope=location:north', String(token))).status).toBe(200);
    await school.run('token.revoke', { id });
    school.settle();
    school.settle();
    expect((await get('?scope=location:north', String(token))).status).toBe(401);
    const headers = { ...as(String(token)), 'content-type': 'application/json' };
    expect((await post({ permission: 'grades', scope: 'location:north' }, { headers })).status).toBe(401);
  });
});

describe('in pages', () => {
  test('each holds at most 400 registered permissions, and a cursor leads to the next', async () => {
    const big = await createSchool(createLightWorld);
    await big.apply(
      JSON.stringify({
        pages: Array.from({ length: 420 }, (_, at) => `page-${at}`),
        scopes: { School: { id: 'school', type: 'tenant' } },
        roles: { more: { owner: 'School', allow: ['page-0', 'page-419'] } },
        users: { ann: { id: 'ann', assignments: [{ role: 'more', scope: 'School' }] } },
      }),
    );
    big.settle();
    const { reader, who, clock } = big;
    const endpoint = createPermissionsEndpoint({ engine: big.newEngine(), reader, who, now: clock.now });
    const authorization = [`Bearer ${await big.tokenOf('ann')}`];
    const found: string[] = [];
    let [cursor, pages]: [string | undefined, number] = [undefined, 0];
    do {
      const query = { scope: 'location:north', cursor };
      const answer = await endpoint(
        undefined,
        {
          method: 'GET',
          route: { method: 'GET', path: '/permissions' },
          ip: undefined,
          header: (name) => (name === 'authorization' ? authorization : []),
          query: (name) => query[name as keyof typeof query],
          parameter: () => undefined,
        },
        async () => undefined,
      );
      const snapshot = JSON.parse(answer.body) as Snapshot;
      found.push(...snapshot.permissions);
      ({ cursor } = snapshot);
      pages++;
    } while (cursor !== undefined);
    expect([pages, found.sort()]).toEqual([2, ['grades', 'page-0', 'page-419']]);
  });
});

describe('bodies in Express', () => {
  test.each([
    ['read by express.json()', true],
    ['read by the endpoint', false],
  ])('%s: the same answers, and 413 beyond 16 KB', async (_, isParsed) => {
    const app = express();
    if (isParsed) app.use(express.json());
    app.all('/permissions', expressPermissions(partsOf()));
    const url = `${await listen(createServer(app))}/permissions`;
    const send = (body: string) =>
      fetch(url, { method: 'POST', body, headers: { ...as(ann), 'content-type': 'application/json' } });
    const question = { permission: 'grades', scope: 'location:north' };
    expect(await (await send(JSON.stringify(question))).json()).toEqual({ allowed: true });
    expect((await send(JSON.stringify({ ...question, padding: 'x'.repeat(17_000) }))).status).toBe(413);
    // A client that leaves in the middle of its body disturbs nobody.
    await new Promise<void>((resolve) => {
      const headers = { ...as(ann), 'content-type': 'application/json', 'content-length': '1000' };
      const leaving = httpRequest(url, { method: 'POST', headers });
      leaving.on('error', () => resolve());
      leaving.write('{"permission"', () => leaving.destroy(new Error('left')));
    });
    expect(await (await send(JSON.stringify(question))).json()).toEqual({ allowed: true });
  });
});

test('a body that a middleware of Hono has read before is read again', async () => {
  const app = new Hono();
  app.use(async (c, next) => {
    await c.req.json();
    await next();
  });
  app.all('/permissions', honoPermissions(partsOf()));
  const body = JSON.stringify({ permission: 'grades', scope: 'location:north' });
  const answer = await app.request('/permissions', { method: 'POST', body, headers: as(ann) });
  expect(await answer.json()).toEqual({ allowed: true });
});
