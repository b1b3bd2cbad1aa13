import { describe, expect, test, vi } from 'vitest';
import { CredentialsError } from '../../authorizer/errors.ts';
import {
  authorizationOf,
  bearer,
  createPermissionsEndpoint,
  expressGuard,
  fromEnvironment,
  type GuardOptions,
  lambdaGuard,
} from '../../middleware/index.ts';
import { ISSUER } from '../authorizer/support.ts';
import { createFakeEngine } from '../support/fake-engine.ts';

/** What guards refuse to be made of, and what they answer to functions that misbehave. */
const { engine } = createFakeEngine();
const who = () => 'user:ann';
const event = { headers: {}, pathParameters: { location: 'north' } };
const allow = async () => ({ statusCode: 200, body: 'allowed' });
const context = {};

const answerBy = async (
  options: Partial<GuardOptions<object>>,
  what: unknown = 'grades',
  where: unknown = 'a:b',
) => {
  const guard = lambdaGuard({ engine, who, onFault: () => undefined, ...options } as GuardOptions<object>);
  return guard(what as string, where as string).wrap(allow)(event, context);
};

describe('options are checked when a guard is made', () => {
  test.each<[string, object]>([
    ['engine', { who }],
    ['engine', { who, engine: {} }],
    ['who', { engine }],
    ['who', { engine, who: 'user:ann' }],
    ['visibleRows', { engine, who, visibleRows: {} }],
    ['challenge', { engine, who, challenge: 'Basic\r\nX-Injected: 1' }],
  ])('%s', (field, options) => {
    expect(() => lambdaGuard(options as never)).toThrow(expect.objectContaining({ code: 'invalid', field }));
  });

  test.each<[string, unknown, unknown]>([
    ['what', '', 'a:b'],
    ['what', undefined, 'a:b'],
    ['where', 'grades', ''],
    ['where', 'grades', undefined],
    ['where', 'grades', 'location'],
    ['where', 'grades', 'location:{'],
    ['where', 'grades', 'location:{a}{b}'],
  ])('%s of a route: %j at %j', (field, what, where) => {
    const guard = lambdaGuard({ engine, who });
    expect(() => guard(what as string, where as string)).toThrow(
      expect.objectContaining({ code: 'invalid', field }),
    );
  });

  test.each(['', 'school', '/*', '/a/:b?', '/a{/:b}', '/:a/:a', '/a/../:b%20'])('mount: %j', (mount) => {
    expect(() => expressGuard({ engine, who, mount })).toThrow(expect.objectContaining({ field: 'mount' }));
  });

  test('those of the permissions endpoint', () => {
    const make = (options: object) => () => createPermissionsEndpoint(options as never);
    expect(make({ who, engine })).toThrow(expect.objectContaining({ field: 'engine' }));
    expect(make({ who, engine: { ...engine, checkManyAsked: async () => ({}) } })).toThrow(
      expect.objectContaining({ field: 'reader' }),
    );
  });

  test('those of issuers, by the names that they have in TOKEN_ISSUERS', () => {
    expect(() => bearer({ issuer: 'ftp://issuer.example', audience: 'a' })).toThrow('TOKEN_ISSUERS.0.issuer');
    expect(() => bearer({ issuer: ISSUER })).toThrow('names neither audience nor clientIds');
    expect(() => bearer([])).toThrow('is empty');
    expect(() => bearer({ issuer: ISSUER, audience: 'a', algorithms: ['HS256'] })).toThrow('algorithms');
  });
});

describe('the caller', () => {
  test.each([undefined, null, ''])('%j is nobody: 401', async (nobody) => {
    expect(await answerBy({ who: () => nobody })).toMatchObject({
      statusCode: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  });

  test('who fails with a refusal is answered 401, with another error 503', async () => {
    const refuse = () => Promise.reject(new CredentialsError('token_expired'));
    expect(await answerBy({ who: refuse })).toMatchObject({
      statusCode: 401,
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
    const faults: unknown[] = [];
    const failing = () => Promise.reject(new Error('no session store'));
    const answer = await answerBy({ who: failing, onFault: (error) => faults.push(error) });
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '1' } });
    expect(faults).toEqual([expect.objectContaining({ message: 'no session store' })]);
  });

  test.each([0, 1, true, {}, { subject: '' }, { subject: 7 }, ['user:ann']])(
    '%j is a fault: 503',
    async (wrong) => {
      expect((await answerBy({ who: (() => wrong) as never })).statusCode).toBe(503);
    },
  );

  test.each<[string, unknown]>([
    ['groups', 'staff'],
    ['groups', null],
    ['groups.issuer', { issuer: '', ids: [], until: 1 }],
    ['groups.ids', { issuer: ISSUER, ids: 'staff', until: 1 }],
    ['groups.ids', { issuer: ISSUER, ids: Array.from({ length: 1_001 }, String), until: 1 }],
    ['groups.ids.1', { issuer: ISSUER, ids: ['a', 'x'.repeat(257)], until: 1 }],
    ['groups.ids.0', { issuer: ISSUER, ids: [{}], until: 1 }],
    ['groups.until', { issuer: ISSUER, ids: ['staff'], until: Number.NaN }],
    ['groups.until', { issuer: ISSUER, ids: ['staff'] }],
  ])('%s that no token has are a fault: 503', async (field, groups) => {
    const faults: unknown[] = [];
    const onFault = (error: unknown) => faults.push(error);
    const who = () => ({ subject: 'user:ann', groups: groups as never });
    expect((await answerBy({ who, onFault })).statusCode).toBe(503);
    expect(faults).toEqual([expect.objectContaining({ code: 'invalid', field })]);
  });

  test('another scheme is named in the challenge', async () => {
    const answer = await answerBy({ who: () => undefined, challenge: 'Session realm="school"' });
    expect(answer).toMatchObject({ headers: { 'WWW-Authenticate': 'Session realm="school"' } });
  });

  test('a report of a fault that fails itself changes nothing', async () => {
    const onFault = () => {
      throw new Error('no log');
    };
    const answer = await answerBy({ who: () => Promise.reject(new Error('x')), onFault });
    expect(answer.statusCode).toBe(503);
  });
});

describe('permission and scope', () => {
  test.each([undefined, null, '', 7, {}, ['grades']])('%j is missing: 403', async (missing) => {
    expect((await answerBy({}, () => missing)).statusCode).toBe(403);
    expect((await answerBy({}, 'grades', () => missing)).statusCode).toBe(403);
  });

  test('a template takes its own parameters only, and ids', async () => {
    const { engine: noting, asked } = createFakeEngine();
    await answerBy({ engine: noting }, 'grades', 'location:{location}');
    await answerBy({ engine: noting }, 'grades', 'location:{toString}');
    await answerBy({ engine: noting }, 'grades', 'location:{constructor}');
    expect(asked).toEqual(['user:ann grades location:north']);
  });

  test('a claim fills in a template', async () => {
    const { engine: noting, asked } = createFakeEngine();
    const byClaims = (claims: Record<string, unknown>) =>
      answerBy(
        { engine: noting, who: () => ({ subject: 'user:ann', claims }) },
        'grades',
        'tenant:{claim:t}',
      );
    for (const t of ['acme', ['acme'], 'a:b', undefined]) await byClaims({ t });
    expect(asked).toEqual(['user:ann grades tenant:acme']);
  });
});

describe('what the application gives', () => {
  const contextWith = async (context: Record<string, unknown>, known: object = {}) => {
    let given: unknown;
    const { engine: noting } = createFakeEngine({
      decide: async (question) => {
        ({ given } = question as { given?: unknown });
        return { allowed: true, reason: 'role' };
      },
    });
    const guard = lambdaGuard({
      engine: noting,
      who: () => ({ subject: 'user:ann', ...known }),
      now: () => 0,
    });
    const route = { resource: '/a', path: '/a', httpMethod: 'GET' };
    await guard('grades', 'a:b', { given: () => ({ context }) }).wrap(allow)({ ...event, ...route }, {});
    return (given as { readonly context: unknown }).context;
  };
  const verified = { method: 'GET', path: '/a', time: new Date(0), ip: undefined, userAgent: undefined };

  test('is added to the context', async () => {
    const claims = { acr: 'pwd' };
    expect(await contextWith({ mfa: true }, { claims })).toEqual({ ...verified, claims, mfa: true });
  });

  test.each(['ip', 'time', 'method', 'path', 'userAgent', 'claims'])(
    'does not replace %s, also where it is missing',
    async (name) => {
      expect(await contextWith({ [name]: 'forged' })).toEqual({ ...verified, claims: undefined });
    },
  );
});

test('an event that is no HTTP request is decided like any other', async () => {
  const guard = lambdaGuard({ engine, who, showReason: true });
  for (const odd of [{}, { Records: [] }, { headers: null, requestContext: {} }]) {
    const answer = await guard('grades', 'location:{location}').wrap(allow)(odd, context);
    expect(answer).toMatchObject({ statusCode: 403 });
  }
  const quiet = lambdaGuard({ engine, who, onFault: () => undefined });
  const none = await quiet('grades', 'a:b').before({ event: undefined });
  expect(none?.statusCode).toBe(503);
});

test('authorizationOf throws where no guard let the request through', () => {
  expect(() => authorizationOf({})).toThrow('no guard');
});

describe('from the environment', () => {
  const ENV = { TABLE_NAME: 'gatehouse', DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' };

  test('it names the variables that are missing or invalid', () => {
    expect(() => fromEnvironment({})).toThrow('TABLE_NAME is missing');
    expect(() => fromEnvironment({ ...ENV, TOKEN_ISSUER: ISSUER })).toThrow('TOKEN_AUDIENCE is missing');
  });

  test('variables of the AWS SDK that are empty count as not set', () => {
    vi.stubEnv('AWS_REGION', '');
    vi.stubEnv('AWS_PROFILE', 'some');
    fromEnvironment({ ...ENV, TABLE_REGION: '' });
    expect(process.env).not.toHaveProperty('AWS_REGION');
    expect(process.env.AWS_PROFILE).toBe('some');
    vi.unstubAllEnvs();
  });

  test('without an issuer every JWT is refused', async () => {
    const { who: tokens } = fromEnvironment(ENV);
    const answer = await answerBy({
      who: (_, http) => tokens(undefined, { ...http, header: () => ['Bearer a.b.c'] }),
    });
    expect(answer.statusCode).toBe(401);
  });
});
