import { describe, expect, test, vi } from 'vitest';
import { authorizationHeader, cachingGateway, httpApiV2, ok, policy, restApi } from './support.ts';

const routes = ['GET /pets/{id}', 'DELETE /pets/{id}', 'GET /owners'].map((key) => ({
  key,
  integration: ok,
}));

/** The answer of many examples: a policy for the requested method only. */
const allowTheRequested = async (event: { methodArn: string }) => policy('Allow', event.methodArn);

describe('the result cache', () => {
  test('answers during the TTL, and not after it', async () => {
    const invoke = vi.fn(async () => ({ isAuthorized: true }));
    const { clock, send } = cachingGateway(
      httpApiV2({ routes, authorizer: { invoke, resultTtlSeconds: 300 } }),
    );
    expect(await send('GET /pets/1')).toBe('200 miss');
    clock.advance(299_999);
    expect(await send('GET /pets/1')).toBe('200 hit');
    clock.advance(1);
    expect(await send('GET /pets/1')).toBe('200 miss');
    expect(invoke).toHaveBeenCalledTimes(2);
  });

  test('has a bounded number of answers, and evicts the oldest', async () => {
    const { send } = cachingGateway(httpApiV2({ authorizer: { resultTtlSeconds: 300 } }));
    for (const token of ['a', 'b', 'c', 'd'])
      expect(await send('GET /pets/1', authorizationHeader(token))).toBe('200 miss');
    expect(await send('GET /pets/1', authorizationHeader('d'))).toBe('200 hit');
    expect(await send('GET /pets/1', authorizationHeader('a'))).toBe('200 miss');
  });

  test('belongs to one API', async () => {
    const invoke = vi.fn(async () => ({ isAuthorized: false }));
    const { send } = cachingGateway(
      httpApiV2({ basePath: '/a', authorizer: { resultTtlSeconds: 300 } }),
      httpApiV2({ basePath: '/b', authorizer: { invoke, resultTtlSeconds: 300 } }),
    );
    expect(await send('GET /a/pets/1')).toBe('200 miss');
    expect(await send('GET /b/pets/1')).toBe('403 miss');
  });
});

describe('a cached policy', () => {
  test('is evaluated for each request: a policy for the first route refuses the next', async () => {
    const invoke = vi.fn(allowTheRequested);
    const { send } = cachingGateway(restApi({ routes, authorizer: { invoke, resultTtlSeconds: 300 } }));
    expect(await send('GET /pets/1')).toBe('200 miss');
    expect(await send('GET /pets/1')).toBe('200 hit');
    expect(await send('GET /owners')).toBe('403 hit');
    expect(await send('GET /pets/2')).toBe('403 hit');
    expect(await send('DELETE /pets/1')).toBe('403 hit');
    expect(invoke).toHaveBeenCalledOnce();
  });

  test('that denies is cached too', async () => {
    const invoke = vi.fn(async () => policy('Deny', '*'));
    const { send } = cachingGateway(restApi({ authorizer: { invoke, resultTtlSeconds: 300 } }));
    expect([await send('GET /pets/1'), await send('GET /pets/1')]).toEqual(['403 miss', '403 hit']);
    expect(invoke).toHaveBeenCalledOnce();
  });
});

describe('not cached are', () => {
  test.each([
    ['a throw', async () => Promise.reject(new Error('no table')), '500'],
    ['a throw of Unauthorized', async () => Promise.reject(new Error('Unauthorized')), '401'],
    ['a malformed answer', async () => ({ isAuthorized: 'true' }), '500'],
    ['an answer that came too late', () => new Promise(() => {}), '500'],
  ])('%s', async (_, fail, status) => {
    const invoke = vi.fn<() => Promise<unknown>>(fail);
    const { send } = cachingGateway(
      httpApiV2({ authorizer: { invoke, resultTtlSeconds: 300, timeoutMs: 1 } }),
    );
    expect(await send('GET /pets/1')).toBe(`${status} miss`);
    invoke.mockImplementation(async () => ({ isAuthorized: true }));
    expect(await send('GET /pets/1')).toBe('200 miss');
    expect(await send('GET /pets/1')).toBe('200 hit');
  });
});
