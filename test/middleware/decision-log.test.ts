import { beforeEach, describe, expect, test } from 'vitest';
import type { LoggedDecision } from '../../engine/decision-log.ts';
import { fromEnvironment, lambdaGuard, lambdaPermissions, powertoolsGuard } from '../../middleware/index.ts';
import { ISSUER } from '../authorizer/support.ts';
import { createMemoryWorld } from '../support/world.ts';

/** What guards write to the decision log of their engine, and when a function ends. */
const world = createMemoryWorld();
await world.apply(`
pages: [home, news]
scopes: { l: { id: l, type: location } }
roles: { reader: { global: true, allow: [home] } }
users: { ann: { id: ann, assignments: [{ role: reader, scope: l }] } }
`);
world.settle();

let logged: (LoggedDecision | 'end')[] = [];
const decisionLog = {
  log: (decision: LoggedDecision) => void logged.push(decision),
  end: () => void logged.push('end'),
};
const engine = world.newEngine({ decisionLog });
beforeEach(() => {
  logged = [];
});

const eventOf = (id: string) => ({
  version: '2.0',
  routeKey: 'GET /locations/{id}',
  rawPath: `/locations/${id}`,
  rawQueryString: `scope=location:${id}`,
  queryStringParameters: { scope: `location:${id}` },
  headers: {},
  pathParameters: { id },
  requestContext: { http: { method: 'GET', sourceIp: '203.0.113.9' } },
});
const asked = { kind: 'check', subject: 'user:ann', scope: 'location:l' };

describe('a guard', () => {
  const serve = async () => {
    logged.push('end');
    return { statusCode: 200 };
  };

  test('writes what its engine decides, and ends with the invocation, after the handler', async () => {
    const guard = lambdaGuard({ engine, who: () => 'user:ann' });
    await guard('home', 'location:{id}').wrap(serve)(eventOf('l'), {});
    await guard('news', 'location:{id}').wrap(serve)(eventOf('l'), {});
    expect(logged).toMatchObject([
      { ...asked, permission: 'home', allowed: true, reason: 'role' },
      'end',
      'end',
      { ...asked, permission: 'news', allowed: false, reason: 'no_grant' },
      'end',
    ]);
  });

  test('ends where the handler throws', async () => {
    const guard = lambdaGuard({ engine, who: () => 'user:ann' })('home', 'location:{id}');
    const fail = async () => Promise.reject(new Error('of the application'));
    await expect(guard.wrap(fail)(eventOf('l'), {})).rejects.toThrow('of the application');
    expect(logged).toMatchObject([{ permission: 'home' }, 'end']);
  });

  test('of Powertools ends after the rest of the request', async () => {
    const guard = powertoolsGuard({ engine, who: () => 'user:ann' });
    const params = { id: 'l' };
    const reqCtx = { event: eventOf('l'), params, req: new Request('https://api.example') };
    await guard('home', 'location:{id}')({ reqCtx, next: serve });
    await guard('news', 'location:{id}')({ reqCtx, next: serve });
    expect(logged).toMatchObject([{ permission: 'home' }, 'end', 'end', { permission: 'news' }, 'end']);
  });

  test.each<[string, string | null, string | undefined, object]>([
    [
      'a caller that is nobody',
      null,
      'l',
      { subject: undefined, permission: 'home', reason: 'subject_unknown' },
    ],
    ['a request without a scope', 'user:ann', undefined, { permission: 'home', reason: 'scope_unknown' }],
  ])('writes what it refuses without asking: %s', async (_, subject, id, expected) => {
    const who = () => ({ subject: () => subject });
    const where = () => id && `location:${id}`;
    const answer = await lambdaGuard({ engine, who })('home', where).wrap(serve)(eventOf('l'), {});
    expect(answer).toMatchObject({ statusCode: 403 });
    expect(logged).toMatchObject([{ kind: 'check', allowed: false, ...expected }, 'end']);
  });

  test('answers where the log is broken', async () => {
    const broken = () => {
      throw new Error('the log is broken');
    };
    const guard = lambdaGuard({
      engine: world.newEngine({ decisionLog: { log: broken, end: broken } }),
      who: () => ({ subject: () => null }),
    });
    expect(await guard('home', 'location:{id}').wrap(serve)(eventOf('l'), {})).toMatchObject({
      statusCode: 403,
    });
  });
});

test('the permissions of a caller are one search', async () => {
  const permissions = lambdaPermissions({
    engine,
    reader: world.reader,
    who: () => 'user:ann',
    now: world.clock.now,
  });
  const answer = await permissions(eventOf('l'));
  expect(JSON.parse(answer.body).permissions).toEqual(['home']);
  expect(logged).toMatchObject([
    {
      kind: 'search',
      subject: 'user:ann',
      permission: undefined,
      scope: 'location:l',
      allowed: true,
      reason: 'found',
    },
  ]);
});

test('the environment says whether there is a log; the level of the application is not asked', () => {
  const env = { TABLE_NAME: 'gatehouse', TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: 'a', LOG_LEVEL: 'verbose' };
  expect(fromEnvironment(env).engine.decisionLog).toBeUndefined();
  expect(fromEnvironment({ ...env, DECISION_LOG: 'refusals' }).engine.decisionLog).toBeDefined();
  expect(() => fromEnvironment({ ...env, DECISION_LOG: 'some' })).toThrow('DECISION_LOG');
});
