import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import { type Application, SERVERS } from './servers.ts';
import { type Answered, createSchool, type Sent } from './support.ts';

/** Every guard decides and answers as the authorizer does, in its framework's terms. */
const school = await createSchool();
const ann = await school.tokenOf('ann');
const ben = await school.tokenOf('ben');

const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** Everything of a problem but its detail. */
const problemIn = ({ status, header, text }: Answered) => {
  expect(header('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(header('cache-control')).toBe('no-store');
  const { detail: _, ...problem } = JSON.parse(text);
  expect(problem).toMatchObject({ type: 'about:blank', status });
  return problem;
};

describe.each(SERVERS)('%s', (name, start) => {
  let open: Application;
  let talkative: Application;
  const faults: unknown[] = [];
  let failure: Error | undefined;

  beforeAll(async () => {
    const engine = school.newEngine();
    const checkAsked: typeof engine.checkAsked = (ask) =>
      failure ? Promise.reject(failure) : engine.checkAsked(ask);
    const parts = {
      engine: { ...engine, checkAsked },
      reader: school.reader,
      who: school.who,
      now: school.clock.now,
      onFault: (error: unknown) => faults.push(error),
    };
    open = await start(parts);
    talkative = await start({ ...parts, showReason: true });
  });
  beforeEach(() => {
    failure = undefined;
    faults.length = 0;
  });
  afterAll(async () => {
    await open.close();
    await talkative.close();
  });

  const send = (request: Sent | string) =>
    open.send(typeof request === 'string' ? { path: request } : request);
  const reasonFor = async (request: Sent) => {
    const answer = await talkative.send(request);
    expect(answer.status).toBe(403);
    return problemIn(answer).reason;
  };

  test('lets an allowed request through, and its handler finds the decision', async () => {
    for (const path of ['/page/grades/north', '/grades/north']) {
      const { status, text } = await send({ path, headers: as(ann) });
      expect(status).toBe(200);
      const { claims, ...authorization } = JSON.parse(text);
      expect(authorization).toEqual({
        subject: 'user:ann',
        permission: 'grades',
        scope: 'location:north',
        tenant: 'tenant:school',
        roles: [school.role],
        reason: 'role',
      });
      expect(claims.sub).toBe('ann');
    }
  });

  test('refuses with 403, and says why only if it is configured to', async () => {
    const refused = { path: '/page/payroll/north', headers: as(ann) };
    expect(problemIn(await send(refused))).toEqual({ type: 'about:blank', title: 'Forbidden', status: 403 });
    expect(await reasonFor(refused)).toBe('no_grant');
  });

  test('refuses a scope or a permission that is malformed or missing with 403', async () => {
    for (const location of ['no%20id', '%23', 'a:b', 'north%2Fsouth', 'x'.repeat(60), 'north,north'])
      for (const path of [`/page/grades/${location}`, `/grades/${location}`])
        expect(await reasonFor({ path, headers: as(ann) }), path).toBe('scope_unknown');
    expect(await reasonFor({ path: '/page/%7B%7D/north', headers: as(ann) })).toBe('permission_unknown');
    expect(await reasonFor({ path: '/nothing/north', headers: as(ann) })).toBe('scope_unknown');
  });

  test('answers 401 without a valid credential, before anything of the application is called', async () => {
    const now = school.clock.now() / 1_000;
    const bad: readonly (readonly [string, Record<string, string>])[] = [
      ['Bearer', {}],
      ['Bearer error="invalid_token"', { authorization: 'Basic YW5uOmFubg==' }],
      ['Bearer error="invalid_token"', as('no.token.text')],
      ['Bearer error="invalid_token"', as(`${ann.slice(0, -8)}AAAAAAAA`)],
      ['Bearer error="invalid_token"', as(await school.tokenOf('ann', { exp: now - 1 }))],
      ['Bearer error="invalid_token"', as(await school.tokenOf('ann', { aud: 'https://other.example' }))],
      ['Bearer error="invalid_token"', as(await school.tokenOf('ann', { iss: 'https://other.example' }))],
      ['Bearer error="invalid_token"', as('gh1_malformed')],
    ];
    for (const [challenge, headers] of bad)
      for (const path of ['/page/grades/north', '/grades/north', '/throws/north', '/nothing/north']) {
        const answer = await send({ path, headers });
        expect(problemIn(answer)).toEqual({ type: 'about:blank', title: 'Unauthorized', status: 401 });
        expect(answer.header('www-authenticate')).toBe(challenge);
        const token = headers.authorization?.split(' ')[1] ?? 'none';
        expect(answer.text).not.toContain(token);
      }
    expect(faults).toEqual([]);
  });

  test('takes an API token, and answers 401 to one that was revoked, wherever it is sent', async () => {
    const { id, token } = await school.run('token.create', { user: 'ann', tokenType: 'api' });
    school.settle();
    const headers = as(String(token));
    const { status, text } = await send({ path: '/grades/north', headers });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ subject: 'user:ann', claims: {} });
    await school.run('token.revoke', { id });
    school.settle();
    school.settle();
    for (const path of ['/grades/north', '/page/payroll/north', '/nothing/north'])
      expect((await send({ path, headers })).status, path).toBe(401);
  });

  test('decides conditions by the request and by what the application gives', async () => {
    const allowed = (path: string, token = ann, method = 'GET') =>
      send({ path, method, headers: as(token) }).then(({ status }) => status === 200);
    // A load balancer names no address, and no route: the path is what was sent.
    const isBalancer = name === 'Lambda, load balancer';
    expect(await allowed('/page/office/north')).toBe(!isBalancer);
    expect(await allowed('/page/office/north', ann, 'DELETE')).toBe(false);
    expect(await allowed('/page/elsewhere/north')).toBe(false);
    expect(await allowed('/page/afternoon/north')).toBe(true);
    expect(await allowed('/page/mfa/north')).toBe(false);
    expect(await allowed('/page/mfa/north?x=1', await school.tokenOf('ann', { acr: 'mfa' }))).toBe(true);
    expect(await allowed('/records/north?owner=ann')).toBe(true);
    expect(await allowed('/records/north?owner=ben')).toBe(false);
    expect(await reasonFor({ path: '/records/north', headers: as(ann) })).toBe('condition_failed');
  });

  test('takes ids in every spelling, and conditions look at one', async () => {
    const mfa = await school.tokenOf('ann', { acr: 'mfa' });
    const statusOf = async (path: string, token = ann) => (await send({ path, headers: as(token) })).status;
    for (const path of ['/page/grades/%6eorth', '/page/grades/n%6Frt%68', '/page/grades/auth0%7Cnorth'])
      expect(await statusOf(path), path).toBe(200);
    expect(await statusOf('/page/mfa/%6e%6frth', mfa)).toBe(name === 'Lambda, load balancer' ? 403 : 200);
    for (const path of ['/page/grades/%256eorth', '/page/grades/north%00'])
      expect(await statusOf(path), path).toBe(403);
  });

  test('answers 503 to a fault of the table, and does not call the handler', async () => {
    failure = new GatehouseError('throttled', `too many reads of ${ann}`);
    const answer = await send({ path: '/fails/north', headers: as(ann) });
    expect(problemIn(answer)).toEqual({ type: 'about:blank', title: 'Service Unavailable', status: 503 });
    expect(answer.header('retry-after')).toBe('1');
    expect(answer.text).not.toContain('reads');
    expect(faults).toEqual([failure]);
  });

  test('answers 503 to what a function of the application throws', async () => {
    const answer = await send({ path: '/throws/north', headers: as(ann) });
    expect(problemIn(answer).status).toBe(503);
    expect(answer.text).not.toContain('secret');
    expect(faults).toEqual([expect.objectContaining({ message: 'secret of a callback' })]);
  });

  test("leaves a handler's own errors to the framework", async () => {
    const answer = await send({ path: '/fails/north', headers: as(ann) });
    expect([answer.status, answer.text]).toEqual([500, 'handled by the application']);
    expect(faults).toEqual([]);
  });

  test('guards HEAD and OPTIONS like any other method', async () => {
    for (const method of ['HEAD', 'OPTIONS']) {
      expect((await send({ method, path: '/page/grades/north' })).status).toBe(401);
      expect((await send({ method, path: '/page/payroll/north', headers: as(ann) })).status).toBe(403);
      expect((await send({ method, path: '/page/grades/north', headers: as(ann) })).status).toBe(200);
    }
    expect((await send({ method: 'HEAD', path: '/page/grades/north' })).text).toBe('');
  });

  test('decides many requests at once, each for its caller', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => send({ path: '/grades/north', headers: as(n % 2 ? ann : ben) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 ? 200 : 403)));
  });
});
