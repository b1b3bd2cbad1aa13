import { describe, expect, test, vi } from 'vitest';
import type { Api, IntegrationResponse } from '../../local/gateway/api.ts';
import { createGateway, type GatewayLogEntry } from '../../local/gateway/gateway.ts';
import { frozenClock, httpApiV2, request, restApi, seen } from './support.ts';

const gatewayOf = (api: Api, log: (entry: GatewayLogEntry) => void = () => {}) =>
  createGateway({ apis: [api], clock: frozenClock().now, log });

const call = async (api: Api) => seen(await gatewayOf(api)(request('GET /pets/1')));

describe('when the backend fails', () => {
  const behind = (integration: () => Promise<IntegrationResponse>) => ({
    routes: [{ key: 'GET /pets/{id}', integration }],
  });
  const badAnswer = (answer: unknown) => async () => answer as IntegrationResponse;

  test.each([
    ['throws', async () => Promise.reject(new Error('secret'))],
    ['answers nothing', badAnswer(undefined)],
    ['leaves out the status', badAnswer({ body: 'x' })],
    ['gives a status as text', badAnswer({ statusCode: '200' })],
    ['gives a status that is none', badAnswer({ statusCode: 99 })],
    ['gives an object as body', badAnswer({ statusCode: 200, body: {} })],
    ['gives a header that splits the response', badAnswer({ statusCode: 200, headers: { a: 'b\r\nc: d' } })],
  ] as const)('because it %s: 500 from an HTTP API, 502 from REST', async (_, integration) => {
    expect(await call(httpApiV2(behind(integration)))).toEqual([500, { message: 'Internal Server Error' }]);
    expect(await call(restApi(behind(integration)))).toEqual([502, { message: 'Internal server error' }]);
  });

  test('the error is logged', async () => {
    const log = vi.fn();
    const api = httpApiV2(behind(async () => Promise.reject(new Error('no table'))));
    await gatewayOf(api, log)(request('GET /pets/1'));
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 500, error: 'no table' }));
  });
});
