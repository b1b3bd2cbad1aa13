import { describe, expect, test } from 'vitest';
import { createPermissions, type Fetch } from '../../middleware/client/index.ts';
import { settle } from '../authorizer/support.ts';
import { createDeferred } from '../support/deferred.ts';
import { createClock } from '../support/world.ts';

/** The browser client: what is drawn follows the last snapshot that was asked for, and only while it holds. */
interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly answer: (value: unknown, status?: number) => void;
  readonly fail: () => void;
}

function setUp(options: { headers?: Parameters<typeof createPermissions>[0]['headers'] } = {}) {
  const clock = createClock();
  const requests: Request[] = [];
  const fetch: Fetch = (url, { method, headers, body }) => {
    const { promise, resolve, reject } = createDeferred<Awaited<ReturnType<Fetch>>>();
    requests.push({
      url,
      method,
      headers,
      body: body === undefined ? undefined : JSON.parse(body),
      answer: (value, status = 200) => resolve({ ok: status === 200, status, json: async () => value }),
      fail: () => reject(new TypeError('fetch failed')),
    });
    return promise;
  };
  const permissions = createPermissions<'grades' | 'payroll' | 'records'>({
    url: '/permissions',
    fetch,
    now: clock.now,
    ...options,
  });
  let changes = 0;
  permissions.subscribe(() => changes++);
  const next = () => requests.shift() as Request;
  return { clock, permissions, requests, next, changes: () => changes };
}

const snapshotOf = (scope: string, permissions: string[], more = {}) => ({
  subject: 'user:ann',
  scope,
  permissions,
  ask: ['records'],
  // Of a server whose clock is a year ahead.
  issuedAt: 1_800_000_000_000,
  expiresAt: 1_800_000_060_000,
  ...more,
});

async function loaded(scope = 'location:north', options = {}) {
  const all = setUp(options);
  const loading = all.permissions.load(scope);
  await settle();
  all.next().answer(snapshotOf(scope, ['grades']));
  await loading;
  return all;
}

describe('load', () => {
  test('asks for the scope with the headers, and then says what is allowed', async () => {
    const { permissions, next } = setUp({ headers: async () => ({ authorization: 'Bearer t' }) });
    expect(permissions.can('grades')).toBe(false);
    expect(permissions.state()).toEqual({ scope: undefined, isLoading: false, error: undefined });
    const loading = permissions.load('location:north');
    expect([permissions.state().isLoading, permissions.can('grades')]).toEqual([true, false]);
    await settle();
    const request = next();
    expect(request).toMatchObject({ url: '/permissions?scope=location%3Anorth', method: 'GET' });
    expect(request.headers).toEqual({ authorization: 'Bearer t' });
    request.answer(snapshotOf('location:north', ['grades']));
    await loading;
    expect(permissions.can('grades')).toBe(true);
    expect(permissions.can('payroll')).toBe(false);
    expect([permissions.can('records'), permissions.dependsOn('records')]).toEqual([false, true]);
    expect(permissions.state()).toEqual({ scope: 'location:north', isLoading: false, error: undefined });
  });

  test('follows the cursor through all pages', async () => {
    const { permissions, next } = setUp();
    const loading = permissions.load('a:b');
    await settle();
    next().answer(snapshotOf('a:b', ['grades'], { cursor: 'c&1' }));
    await settle();
    const second = next();
    expect(second.url).toBe('/permissions?scope=a%3Ab&cursor=c%261');
    second.answer(snapshotOf('a:b', ['payroll']));
    await loading;
    expect([permissions.can('grades'), permissions.can('payroll')]).toEqual([true, true]);
  });

  test.each<[string, (request: Request) => void]>([
    ['a refusal', (request) => request.answer({ title: 'Unauthorized' }, 401)],
    ['a fault', (request) => request.answer({}, 503)],
    ['no connection', (request) => request.fail()],
    ['another document', (request) => request.answer('<html>')],
    ['no object', (request) => request.answer(null)],
    ['another scope', (request) => request.answer(snapshotOf('location:south', ['grades']))],
    ['no list', (request) => request.answer({ ...snapshotOf('location:north', []), permissions: undefined })],
  ])('leaves nothing allowed after %s, and rejects', async (_, answer) => {
    const { permissions, next } = await loaded();
    const loading = permissions.load('location:north');
    await settle();
    answer(next());
    await expect(loading).rejects.toThrow();
    expect(permissions.can('grades')).toBe(false);
    expect(permissions.state()).toMatchObject({ isLoading: false, error: expect.any(Error) });
  });

  test.each([
    ['does not say how long it holds', { expiresAt: 'never' }],
    ['has expired when it comes', { expiresAt: 1_800_000_000_000 }],
  ])('fails once where the answer %s, and whoever asks does not begin it again', async (_, more) => {
    const { permissions, next, requests } = setUp();
    permissions.subscribe(() => void permissions.can('grades'));
    const loading = permissions.load('a:b');
    await settle();
    next().answer(snapshotOf('a:b', ['grades'], more));
    await expect(loading).rejects.toThrow('an answer that has expired');
    expect(permissions.can('grades')).toBe(false);
    await settle();
    expect(requests).toEqual([]);
    expect(permissions.state()).toMatchObject({ isLoading: false, error: expect.any(Error) });
  });

  test('of two loads the last one counts, whichever ends first', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { permissions, requests } = setUp();
      const loads = [permissions.load('location:north'), permissions.load('location:south')];
      await settle();
      const answers = [
        () => requests[0]?.answer(snapshotOf('location:north', ['grades'])),
        () => requests[1]?.answer(snapshotOf('location:south', ['payroll'])),
      ];
      for (const at of order) {
        answers[at]?.();
        await settle();
      }
      await Promise.all(loads);
      expect(permissions.state().scope).toBe('location:south');
      expect([permissions.can('grades'), permissions.can('payroll')]).toEqual([false, true]);
    }
  });

  test('a load that was replaced does not reject and changes nothing', async () => {
    const { permissions, requests } = setUp();
    const [first, second] = [permissions.load('a:b'), permissions.load('a:c')];
    await settle();
    requests[1]?.answer(snapshotOf('a:c', ['grades']));
    await second;
    requests[0]?.fail();
    await first;
    expect([permissions.can('grades'), permissions.state().error]).toEqual([true, undefined]);
  });

  test('nothing of one scope is allowed while another is loaded; the same one stays', async () => {
    const { permissions } = await loaded();
    permissions.load('location:north').catch(() => undefined);
    expect(permissions.can('grades')).toBe(true);
    permissions.load('location:south').catch(() => undefined);
    expect(permissions.can('grades')).toBe(false);
  });
});

describe('expiry', () => {
  test('ends all permissions by the length of time that the server gives, and loads once', async () => {
    const { permissions, clock, requests, next, changes } = await loaded();
    clock.advance(59_999);
    expect([permissions.can('grades'), requests.length]).toEqual([true, 0]);
    clock.advance(1);
    const before = changes();
    expect([permissions.can('grades'), permissions.can('grades')]).toEqual([false, false]);
    // Called while something is drawn, it calls no listener.
    expect(changes()).toBe(before);
    await settle();
    expect(requests).toHaveLength(1);
    next().answer(snapshotOf('location:north', ['payroll']));
    await settle();
    expect([permissions.can('grades'), permissions.can('payroll')]).toEqual([false, true]);
    expect(changes()).toBeGreaterThan(before);
  });

  test('where that load fails, nothing is allowed and nothing is loaded again', async () => {
    const { permissions, clock, requests, next } = await loaded();
    clock.advance(60_000);
    permissions.can('grades');
    await settle();
    next().fail();
    await settle();
    expect([permissions.can('grades'), permissions.state().error]).toEqual([false, expect.any(Error)]);
    await settle();
    expect(requests).toEqual([]);
  });

  test('counts from before the request, so that a slow answer does not hold longer', async () => {
    const { permissions, clock, next } = setUp();
    const loading = permissions.load('a:b');
    await settle();
    clock.advance(50_000);
    next().answer(snapshotOf('a:b', ['grades']));
    await loading;
    expect(permissions.can('grades')).toBe(true);
    clock.advance(10_000);
    expect(permissions.can('grades')).toBe(false);
  });
});

describe('ask', () => {
  const resource = { type: 'record', id: 'r1', properties: { owner: 'ann' } };

  test('posts the question for the loaded scope', async () => {
    const { permissions, next } = await loaded();
    const asked = permissions.ask('records', resource);
    await settle();
    const request = next();
    expect(request).toMatchObject({
      url: '/permissions',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: { permission: 'records', scope: 'location:north', resource },
    });
    request.answer({ allowed: true });
    expect(await asked).toBe(true);
  });

  test.each<[string, (request: Request) => void]>([
    ['a refusal', (request) => request.answer({ allowed: false })],
    ['a text', (request) => request.answer({ allowed: 'true' })],
    ['a fault', (request) => request.answer({ allowed: true }, 503)],
    ['no connection', (request) => request.fail()],
    ['null', (request) => request.answer(null)],
  ])('is false after %s', async (_, answer) => {
    const { permissions, next } = await loaded();
    const asked = permissions.ask('records', resource);
    await settle();
    answer(next());
    expect(await asked).toBe(false);
  });

  test('is false without a scope, and if the scope changed meanwhile', async () => {
    const nothing = setUp();
    expect(await nothing.permissions.ask('records')).toBe(false);
    expect(nothing.requests).toEqual([]);
    const { permissions, next } = await loaded();
    const asked = permissions.ask('records');
    await settle();
    const request = next();
    permissions.clear();
    request.answer({ allowed: true });
    expect(await asked).toBe(false);
  });
});

test('clear forgets everything, also what is being loaded', async () => {
  const { permissions, next } = await loaded();
  const loading = permissions.load('location:north');
  await settle();
  permissions.clear();
  expect(permissions.can('grades')).toBe(false);
  next().answer(snapshotOf('location:north', ['grades']));
  await loading;
  expect(permissions.can('grades')).toBe(false);
  expect(permissions.state()).toEqual({ scope: undefined, isLoading: false, error: undefined });
});

test('a listener is called until it is taken away, and states are new objects', async () => {
  const { permissions } = setUp();
  const states: unknown[] = [];
  const end = permissions.subscribe(() => states.push(permissions.state()));
  permissions.load('a:b').catch(() => undefined);
  permissions.clear();
  end();
  permissions.clear();
  expect(states).toHaveLength(2);
  expect(states[0]).not.toBe(states[1]);
});
