import { describe, expect, test, vi } from 'vitest';
import type { IntegrationResponse } from '../../local/gateway/api.ts';
import { createGateway, type GatewayLogEntry } from '../../local/gateway/gateway.ts';
import {
  frozenClock,
  httpApiV1,
  httpApiV2,
  ok,
  policy,
  request,
  restApi,
  restTokenApi,
  seen,
} from './support.ts';

type TestApi = Parameters<typeof createGateway>[0]['apis'][number];

const gatewayOf = (api: TestApi, log?: (entry: GatewayLogEntry) => void) =>
  createGateway({ apis: [api], clock: frozenClock().now, ...(log && { log }) });

const call = async (api: TestApi, line = 'GET /pets/1', headers?: Parameters<typeof request>[1]) =>
  seen(await gatewayOf(api)(request(line, headers)));

const kinds = { 'HTTP 2.0': httpApiV2, 'HTTP 1.0': httpApiV1, REST: restApi, 'REST TOKEN': restTokenApi };
type Kind = keyof typeof kinds;
const everyKind = Object.keys(kinds) as Kind[];

/** One API of each kind with an authorizer of its own. */
function apiOf(kind: Kind, invoke: () => Promise<unknown>, more: { timeoutMs?: number } = {}): TestApi {
  return kinds[kind]({ authorizer: { invoke, ...more } });
}

const unauthorized = [401, { message: 'Unauthorized' }];
const forbidden = [403, { message: 'Forbidden' }];
const explicitDeny = [
  403,
  { Message: 'User is not authorized to access this resource with an explicit deny' },
];
const implicitDeny = [403, { Message: 'User is not authorized to access this resource' }];
const isRest = (kind: Kind) => kind.startsWith('REST');
const fault = (kind: Kind) =>
  isRest(kind) ? [500, { message: null }] : [500, { message: 'Internal Server Error' }];

describe('without the identity source', () => {
  test.each(everyKind)('%s answers 401 and does not call the authorizer', async (kind) => {
    const invoke = vi.fn(async () => policy('Allow', '*'));
    expect(await call(apiOf(kind, invoke), 'GET /pets/1', [])).toEqual(unauthorized);
    expect(await call(apiOf(kind, invoke), 'GET /pets/1', [['Authorization', '']])).toEqual(unauthorized);
    expect(invoke).not.toHaveBeenCalled();
  });

  test('one of two is not enough', async () => {
    const invoke = vi.fn(async () => ({ isAuthorized: true }));
    const identitySources = ['$request.header.Authorization', '$request.querystring.tenant'];
    const api = httpApiV2({ authorizer: { invoke, identitySources } });
    expect(await call(api, 'GET /pets/1?Tenant=a')).toEqual(unauthorized);
    expect(invoke).not.toHaveBeenCalled();
    expect((await gatewayOf(api)(request('GET /pets/1?tenant=a'))).statusCode).toBe(200);
  });

  test('an authorizer without identity sources is always called', async () => {
    const invoke = vi.fn(async () => ({ isAuthorized: false }));
    expect(await call(httpApiV2({ authorizer: { invoke, identitySources: [] } }), 'GET /pets/1', [])).toEqual(
      forbidden,
    );
    expect(invoke).toHaveBeenCalledOnce();
  });
});

describe('when the authorizer throws', () => {
  test.each(everyKind)('%s answers 401 to an error that says exactly Unauthorized', async (kind) => {
    const thrown = apiOf(kind, async () => {
      throw new Error('Unauthorized');
    });
    expect(await call(thrown)).toEqual(unauthorized);
  });

  test.each(
    everyKind.flatMap((kind) =>
      ['unauthorized', 'Unauthorized.', ' Unauthorized', 'no table', ''].map(
        (message) => [kind, message] as const,
      ),
    ),
  )('%s answers 500 to an error that says %j', async (kind, message) => {
    const thrown = apiOf(kind, async () => {
      throw new Error(message);
    });
    expect(await call(thrown)).toEqual(fault(kind));
  });

  test('before its promise, the answer is the same', async () => {
    const invoke = () => {
      throw new Error('Unauthorized');
    };
    expect(await call(httpApiV2({ authorizer: { invoke } }))).toEqual(unauthorized);
  });
});

describe('when the authorizer does not answer in time', () => {
  test.each(everyKind)('%s answers 500', async (kind) => {
    const never = apiOf(kind, () => new Promise(() => {}), { timeoutMs: 1 });
    expect(await call(never)).toEqual(fault(kind));
  });

  test.each([
    ['HTTP 2.0', 10_000],
    ['HTTP 1.0', 10_000],
    ['REST', 29_000],
    ['REST TOKEN', 29_000],
  ] as const)('%s waits %i ms by default', async (kind, ms) => {
    vi.useFakeTimers();
    try {
      const settled = vi.fn();
      const answer = call(apiOf(kind, () => new Promise(() => {}))).then((response) => {
        settled();
        return response;
      });
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(settled).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(await answer).toEqual(fault(kind));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('when the answer of the authorizer is malformed', () => {
  const circular: Record<string, unknown> = {};
  circular.itself = circular;

  test.each(
    everyKind.flatMap((kind) =>
      [undefined, null, 'allow', {}, { policyDocument: {} }, circular].map(
        (answer) => [kind, answer] as const,
      ),
    ),
  )('%s answers 500 to %o', async (kind, answer) => {
    expect(await call(apiOf(kind, async () => answer))).toEqual(fault(kind));
  });

  test('the reason is in the log, not in the response', async () => {
    const log = vi.fn();
    await gatewayOf(
      apiOf('REST', async () => ({})),
      log,
    )(request('GET /pets/1?secret=1'));
    expect(log).toHaveBeenCalledExactlyOnceWith({
      api: 'rest',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: 'GET',
      path: '/pets/1',
      status: 500,
      routeKey: 'GET /pets/{id}',
      authorizer: 'off',
      error: 'malformed answer: principalId is not a string',
    });
  });
});

describe('when the policy refuses', () => {
  const deny = async () => policy('Deny', '*');
  const elsewhere = async () => policy('Allow', 'arn:aws:execute-api:*:*:*/GET/owners');

  const withPolicies = (invoke: () => Promise<unknown>) =>
    httpApiV2({ authorizer: { invoke, simpleResponses: false } });

  test.each([
    ['REST tells a Deny', apiOf('REST', deny), explicitDeny],
    ['from a missing Allow', apiOf('REST', elsewhere), implicitDeny],
    ['so does a TOKEN authorizer: a Deny', apiOf('REST TOKEN', deny), explicitDeny],
    ['a missing Allow', apiOf('REST TOKEN', elsewhere), implicitDeny],
    ['HTTP 1.0 does not: a Deny', apiOf('HTTP 1.0', deny), forbidden],
    ['a missing Allow', apiOf('HTTP 1.0', elsewhere), forbidden],
    ['nor HTTP 2.0: a Deny', withPolicies(deny), forbidden],
    ['a missing Allow', withPolicies(elsewhere), forbidden],
    ['a simple refusal', apiOf('HTTP 2.0', async () => ({ isAuthorized: false })), forbidden],
  ])('%s', async (_, api, expected) => expect(await call(api)).toEqual(expected));

  test('the backend is not called', async () => {
    const integration = vi.fn(ok);
    const api = restApi({ routes: [{ key: 'GET /pets/{id}', integration }], authorizer: { invoke: deny } });
    expect(await call(api)).toEqual(explicitDeny);
    expect(integration).not.toHaveBeenCalled();
  });
});

describe('when no route matches', () => {
  test('HTTP APIs answer 404, REST answers 403, and no authorizer is called', async () => {
    for (const kind of everyKind) {
      const invoke = vi.fn(async () => policy('Allow', '*'));
      const missing = isRest(kind)
        ? [403, { message: 'Missing Authentication Token' }]
        : [404, { message: 'Not Found' }];
      expect(await call(apiOf(kind, invoke), 'GET /owners')).toEqual(missing);
      expect(await call(apiOf(kind, invoke), 'POST /pets/1')).toEqual(missing);
      expect(invoke).not.toHaveBeenCalled();
    }
  });
});

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
