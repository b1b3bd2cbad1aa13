import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkClock } from '../../cli/doctor/clock.ts';
import { CHECKS, type Result } from '../../cli/doctor/result.ts';
import { listen } from '../support/listening.ts';
import { createWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

afterAll(() => {
  removeFiles();
  vi.unstubAllEnvs();
});

const jwks =
  (...keys: readonly object[]): RequestListener =>
  (_, answer) =>
    answer.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));

const world = await createWorld();
const { publicKey } = await generateKeyPair('RS256');
const KEY = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
let issuer = '';
beforeEach(async () => {
  issuer = await listen(jwks(KEY));
});

const variables = (url = issuer) => ({
  TABLE_NAME: world.table,
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_AUDIENCE: 'https://api.example',
  TOKEN_JWKS_URL: `${url}/keys`,
  RESULT_CACHE: '{"default":{"ttl":0}}',
  REVOCATION: 'session:sid',
});

/** The results of `gatehouse doctor`, and its exit code. */
async function doctor(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = variables(),
) {
  const { code, out, error } = await gatehouse(['doctor', '--json', ...args], { env });
  expect(error).toBe('');
  const { results = [], ...rest } = JSON.parse(out) as { readonly results?: readonly Result[] };
  return { code, results, rest, failed: results.filter(({ status }) => status === 'failed') };
}
const messages = (results: readonly Result[]) => results.map(({ message }) => message).join('\n');

test('a sound table and issuer: every check is made, nothing fails', async () => {
  const route = { api: 'default', method: 'GET', path: '/menu', permission: 'menu' };
  await world.run('route.create', { ...route, scope: 'tenant:{claim:tid}' });
  const { code, results, failed } = await doctor([]);
  expect(failed).toEqual([]);
  expect(code).toBe(0);
  expect([...new Set(results.map(({ check }) => check))].sort()).toEqual([...CHECKS].sort());
  expect(messages(results)).toContain('1 of 1 keys are usable for RS256');
  expect(messages(results)).toContain(
    '1 route of the API default: none depends on inputs outside of the cache key',
  );
  expect(messages(results)).toMatch(
    /1 call\(s\), [\d.]+ read units with an empty cache \(refused: subject_unknown\)/,
  );
});

test('a route at a scope that was deleted', async () => {
  const { id } = await world.run('tenant.create', { name: 'Gone' });
  const route = { api: 'left', method: 'GET', path: '/menu', permission: 'menu', scope: `tenant:${id}` };
  await world.run('route.create', route);
  await world.run('tenant.delete', { id });
  const { code, failed } = await doctor(['--only', 'routes'], { ...variables(), API_NAME: 'left' });
  expect(code).toBe(1);
  expect(messages(failed)).toContain(`GET /menu is refused to everybody: there is no scope tenant:${id}`);
});

test('an operations scope that was deleted, or is none', async () => {
  const { id } = await world.run('tenant.create', { name: 'Operations' });
  const check = async (scope: string) =>
    doctor(['--only', 'operators'], { ...variables(), OPERATIONS_SCOPE: scope });
  expect(await check(`tenant:${id}`)).toMatchObject({ code: 0, results: [{ status: 'ok' }] });
  await world.run('tenant.delete', { id });
  const deleted = await check(`tenant:${id}`);
  expect(deleted.code).toBe(1);
  expect(messages(deleted.failed)).toContain(
    `OPERATIONS_SCOPE tenant:${id} does not exist: only administrators`,
  );
  expect(messages((await check('operations')).failed)).toContain('is no reference to a scope');
});

test('for people: a line for each finding, and how many', async () => {
  const { out } = await gatehouse(['doctor', '--only', 'configuration,issuers'], { env: variables() });
  expect(out).toMatch(
    /^ok +configuration +1 issuer\(s\), routes of the API default, cache 60 s\nok +issuers/,
  );
  expect(out).toMatch(/0 failures, 0 warnings\n$/);
});

test('before the first deployment: variables and issuers, without a table', async () => {
  const { TABLE_NAME: _, ...env } = variables();
  expect(await doctor(['--only', 'configuration,issuers'], env)).toMatchObject({ code: 0, failed: [] });
});

describe('the configuration', () => {
  test('with which the authorizer would not start; what needs it is not checked, and is listed', async () => {
    const env = { ...variables(), CACHE_TTL_SECONDS: 'soon' };
    const { code, results, failed } = await doctor(['--only', 'configuration,issuers,cache,routes'], env);
    expect(code).toBe(1);
    expect(messages(failed)).toMatch(/^the authorizer would not start: configuration: CACHE_TTL_SECONDS/);
    expect(results.slice(1).map(({ check, status }) => `${check} ${status}`)).toEqual(
      ['issuers', 'cache', 'routes'].map((check) => `${check} not_checked`),
    );
  });

  test('that leaves out what most want: warnings', async () => {
    const { REVOCATION: _, RESULT_CACHE: __, ...env } = variables();
    const { code, results } = await doctor(['--only', 'configuration'], env);
    expect(code).toBe(0);
    expect(results.filter(({ status }) => status === 'warning')).toHaveLength(2);
  });

  test('of a deployed function', async () => {
    const lambda = await listen((request, answer) => {
      expect(request.url).toBe('/2015-03-31/functions/gatehouse-live-authorizer/configuration');
      answer.end(JSON.stringify({ Environment: { Variables: { ...variables(), TOKEN_AUDIENCE: '' } } }));
    });
    vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', lambda);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    const of = ['--authorizer', 'gatehouse-live-authorizer', '--region', 'eu-central-1'];
    const { code, failed } = await doctor(['--only', 'configuration', ...of], {});
    expect(code).toBe(1);
    expect(messages(failed)).toContain('TOKEN_AUDIENCE');
  });
});

describe('an issuer', () => {
  const cases: readonly (readonly [string, RequestListener, string])[] = [
    ['without a usable key', jwks({ kty: 'RSA', n: 'AQAB', e: 'AQ' }), '0 of 1 keys are usable'],
    ['that answers with a page', (_, answer) => answer.end('<html>'), 'its answer is no JWK Set'],
    [
      'that redirects',
      (_, answer) => answer.writeHead(302, { location: '/x' }).end(),
      'another status than 200',
    ],
    ['that never answers', () => {}, 'did not answer within a second'],
    ['that answers too much', (_, answer) => answer.end(' '.repeat(300_000)), 'larger than 256 KB'],
  ];
  test.each(cases)('%s', async (_, listener, expected) => {
    const { code, failed } = await doctor(['--only', 'issuers'], variables(await listen(listener)));
    expect(code).toBe(1);
    expect(messages(failed)).toContain(expected);
  });

  test('that is down', async () => {
    const { failed } = await doctor(['--only', 'issuers'], variables('http://127.0.0.1:1'));
    expect(messages(failed)).toContain('it does not answer (ECONNREFUSED)');
  });
});

describe('what API Gateway caches by', () => {
  const asked = (file: string, RESULT_CACHE: string) =>
    doctor(['--only', 'cache', '--authorizers', `a1b2c3=${file}`], {
      ...variables(),
      HTTP_ANSWER: 'policy',
      RESULT_CACHE,
    });
  const json = (value: object) => fileOf(JSON.stringify(value), 'json');
  const http = (AuthorizerResultTtlInSeconds: number, ...IdentitySource: readonly string[]) => {
    const of = { AuthorizerId: 'au1', AuthorizerType: 'REQUEST' };
    return json({ Items: [{ ...of, AuthorizerResultTtlInSeconds, IdentitySource }] });
  };
  const rest = json({
    items: [{ id: 'au2', type: 'TOKEN', identitySource: 'method.request.header.Authorization' }],
  });
  const TOKEN = '$request.header.Authorization';
  const cached = (api: string, ...identitySources: readonly string[]) =>
    JSON.stringify({ [api]: { ttl: 300, identitySources } });
  const NONE = '{"default":{"ttl":0}}';

  test.each([
    ['a TTL of 0, as it is said', http(0), NONE, undefined],
    ['caching that nobody spoke of', http(60, TOKEN), NONE, 'cached for 60 s, and RESULT_CACHE says 0 s'],
    ["AWS's default of a REST API", rest, NONE, 'cached for 300 s, and RESULT_CACHE says 0 s'],
    ['the same as it is said', http(300, TOKEN.toLowerCase()), cached('default', TOKEN), undefined],
    [
      'fewer identity sources than are said',
      http(300, TOKEN),
      cached('a1b2c3', TOKEN, '$request.header.X-Loc'),
      'names header:x-loc, which is no identity source there',
    ],
  ])('%s', async (_, file, cache, expected) => {
    const { failed } = await asked(file, cache);
    if (expected === undefined) expect(failed).toEqual([]);
    else expect(messages(failed)).toContain(expected);
  });

  test.each([
    ['a1b2c3', 'is not API_ID=FILE'],
    [`a1b2c3=${json({ Items: [{}] })}`, 'is not the output of aws apigatewayv2 get-authorizers'],
  ])('--authorizers %s is refused', async (given, expected) => {
    const { code, rest } = await doctor(['--authorizers', given]);
    expect(code).toBe(2);
    expect(JSON.stringify(rest)).toContain(expected);
  });
});

test('a route that depends on a header which is not in the cache key', async () => {
  const route = { api: 'other', method: 'GET', path: '/list', permission: 'menu' };
  await world.run('route.create', { ...route, scope: 'tenant:{header:x-tenant}' });
  const RESULT_CACHE = '{"default":{"ttl":300,"identitySources":["method.request.header.Authorization"]}}';
  const env = { ...variables(), API_NAME: 'other', RESULT_CACHE };
  const { code, failed } = await doctor(['--only', 'cache'], env);
  expect(code).toBe(1);
  expect(messages(failed)).toMatch(/^GET \/list is refused for default: it depends on .*x-tenant/);
});

const AT = Date.parse('2026-03-01T12:00:00.500Z');
test.each([
  ['in time', AT, { status: 'ok' }],
  ['ahead within what coherence allows for', AT + 900, { status: 'ok' }],
  ['ahead', AT + 5_000, { status: 'failed', message: expect.stringContaining('ahead of') }],
  ['behind', AT - 5_000, { status: 'failed', message: expect.stringContaining('behind') }],
])('a clock that is %s', async (_, now, result) => {
  const date = async () => new Date(AT).toUTCString();
  expect(await checkClock(() => now, date)).toMatchObject(result);
  expect(
    (
      await checkClock(
        () => now,
        async () => undefined,
      )
    ).status,
  ).toBe('not_checked');
});
