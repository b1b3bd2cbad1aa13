import { describe, expect, test } from 'vitest';
import { MAX_BODY } from '../../authorizer/service/http.ts';
import { createHandleFrom } from '../../scim/compose.ts';
import { createScimMetrics } from '../../scim/metrics.ts';
import type { ErrorCode } from '../../table/errors.ts';
import { createLogged } from '../support/log.ts';
import { createFixture, groupOf, patchOf, userOf } from './support.ts';

const ASKED = {
  method: 'GET',
  paths: ['/scim/v2/Users'],
  query: () => new URLSearchParams(),
  header: () => [],
  body: new Uint8Array(),
};

describe('without a valid credential', async () => {
  const { as, handle, token, world } = await createFixture();
  const { id, token: deleted } = await world.run('scim-credential.create', { connection: 'a' });
  await world.run('scim-credential.delete', { id });
  const expiresAt = new Date(world.clock.now() + 1_000).toISOString();
  const { token: ended } = await world.run('scim-credential.create', { connection: 'a', expiresAt });
  world.clock.advance(1_000);
  const others = {
    'no credential': undefined,
    'a text that is none': 'x',
    'an empty one': '',
    'two of them': `${token.a} ${token.a}`,
    'another secret': token.a.replace(/.{43}$/, 'x'.repeat(43)),
    "another connection's": token.a.replace('_a_', '_b_'),
    'one that was deleted': String(deleted),
    'one that has ended': String(ended),
  };

  test.each(Object.entries(others))('%s: one and the same answer', async (_, shown) => {
    const first = await as(undefined)('GET', '/Users');
    expect(await as(shown)('GET', '/Users')).toEqual(first);
    expect(first).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      json: { status: '401' },
    });
  });

  test('two values, or another scheme, are none', async () => {
    const statusOf = async (...authorization: readonly string[]) =>
      (await handle({ ...ASKED, header: (name) => (name === 'authorization' ? authorization : []) })).status;
    expect(await statusOf(`bearer ${token.a}`)).toBe(200);
    expect(await statusOf(`Bearer ${token.a}`, `Bearer ${token.a}`)).toBe(401);
    expect(await statusOf(`Basic ${token.a}`)).toBe(401);
  });
});

test('what is of another connection answers byte for byte as what is not there', async () => {
  const { a, b, writes } = await createFixture();
  const [user, group] = [await userOf(b, 'ann'), await groupOf(b, 'Editors')];
  const before = writes();
  const [name, value] = [{ userName: 'x' }, patchOf({ op: 'replace', path: 'displayName', value: 'x' })];
  for (const [path, own, body] of [
    ['/Users', user, name],
    ['/Groups', group, { displayName: 'x' }],
  ] as const)
    for (const id of [own, 'nobody', 'no%20id', '%', '..', `${own}%00`]) {
      for (const [method, sent] of [['GET'], ['PUT', body], ['PATCH', value], ['DELETE']] as const) {
        const { status, body: text, headers } = await a(method, `${path}/${id}`, sent);
        const { body: other } = await a(method, `${path}/other`, sent);
        expect([status, text]).toEqual([404, other]);
        expect(headers).toEqual({ 'Content-Type': 'application/scim+json', 'Cache-Control': 'no-store' });
      }
    }
  expect(writes()).toBe(before);
});

describe('a body', async () => {
  const { a, handle } = await createFixture();

  test.each([
    ['that is no JSON', '{', 400, 'invalidSyntax'],
    ['that is empty', '', 400, 'invalidSyntax'],
    ['that is a list', '[]', 400, 'invalidSyntax'],
    ['that is null', 'null', 400, 'invalidSyntax'],
    ['that is too deep', `{"userName":${'['.repeat(100)}${']'.repeat(100)}}`, 400, 'invalidSyntax'],
    ['that names a member in two cases', '{"userName":"a","USERNAME":"b"}', 400, 'invalidSyntax'],
    ['with a prototype', '{"userName":"proto","__proto__":{"active":false}}', 201, undefined],
  ])('%s: %j', async (_, body, status, scimType) => {
    const answer = await a('POST', '/Users', body);
    expect([answer.status, answer.json.scimType]).toEqual([status, scimType]);
    if (status === 201) expect(answer.json.active).toBe(true);
  });

  test.each(['application/json', 'application/scim+json; charset=utf-8', 'Application/SCIM+JSON'])(
    'of the type %s is read',
    async (type) => {
      expect((await a('POST', '/Users', { userName: type }, { 'content-type': type })).status).toBe(201);
    },
  );

  test('of another type is refused with 415', async () => {
    expect((await a('POST', '/Users', { userName: 'x' }, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('that is too large is refused with 413, before anything is read', async () => {
    const answer = await handle({ ...ASKED, method: 'POST', body: undefined });
    expect(answer.status).toBe(413);
    expect(answer.body).toContain(String(MAX_BODY));
  });

  test('with too many operations is refused', async () => {
    const id = await userOf(a, 'ann');
    const operations = Array.from({ length: 1_001 }, () => ({ op: 'replace', path: 'title', value: 'x' }));
    expect((await a('PATCH', `/Users/${id}`, patchOf(...operations))).status).toBe(400);
  });
});

test.each([
  ['/Users', 'GET, POST'],
  ['/Groups/x', 'GET, PUT, PATCH, DELETE'],
])('%s takes %s', async (path, allowed) => {
  const { a } = await createFixture();
  expect(await a('OPTIONS', path)).toMatchObject({ status: 405, headers: { Allow: allowed } });
});

test('what stands before the path is that of the public address, or was taken away', async () => {
  const { serve, token } = await createFixture();
  const { handle } = serve({ publicUrl: 'https://example.com/identity/' });
  const ask = async (...paths: readonly string[]) =>
    (
      await handle({
        ...ASKED,
        paths,
        header: (name) => (name === 'authorization' ? [`Bearer ${token.a}`] : []),
      })
    ).status;
  expect(await ask('/identity/scim/v2/Users')).toBe(200);
  expect(await ask('/scim/v2/Users')).toBe(200);
  expect(await ask('/stage/scim/v2/Users', '/scim/v2/Users')).toBe(200);
  expect(await ask('/other/scim/v2/Users')).toBe(404);
});

/** A server whose commands fail with a code. */
async function failing(code: ErrorCode, retryable: boolean) {
  const { port, serve } = await createFixture();
  return serve({
    port: {
      ...port,
      provisioning: async () => ({ ok: false, error: { code, message: 'the message', retryable } }),
    },
  });
}

test.each<[ErrorCode, boolean, number]>([
  ['throttled', true, 429],
  ['contended', true, 429],
  ['transient', true, 429],
  ['unfinished', true, 429],
  ['stale', true, 429],
  ['apply_running', false, 429],
  ['conflict', false, 409],
  ['erased', false, 400],
  ['limit_exceeded', false, 400],
  ['not_permitted', false, 403],
  ['invariant_violated', false, 403],
  ['invariant_unproved', false, 403],
  ['damaged_item', false, 500],
  ['internal', false, 500],
])('a command that fails with %s answers as it may be retried', async (code, retryable, status) => {
  const { a, lines } = await failing(code, retryable);
  const answer = await a('POST', '/Users', { userName: 'ann' });
  expect(answer).toMatchObject({ status, json: { status: String(status) } });
  expect(answer.headers['Retry-After']).toBe(status === 429 ? '5' : undefined);
  if (status === 500) expect(answer.body).not.toContain('the message');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ status, code, connection: 'a' });
});

test('a fault is answered with 500, and logged without its message', async () => {
  const { port, serve } = await createFixture();
  const broken = serve({ port: { ...port, connectionOf: () => Promise.reject(new TypeError('secret')) } });
  expect(await broken.a('GET', '/Users')).toMatchObject({
    status: 500,
    json: { detail: 'the request failed' },
  });
  expect(broken.lines.join()).not.toContain('secret');
  expect(JSON.parse(broken.lines[0] ?? '')).toMatchObject({ level: 'ERROR', code: 'TypeError' });
});

describe('the log', () => {
  test('has one line for a request, without anything personal', async () => {
    const { a, lines, token } = await createFixture();
    const id = await userOf(a, 'ann@example.com', { displayName: 'Ann Lee', externalId: '00u1' });
    await a('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'displayName', value: 'Ann X' }), {
      'x-request-id': 'id-1',
    });
    await a('GET', '/Users?filter=userName eq "ann@example.com"');
    await a('GET', '/somewhere/ann');
    const read = lines.map((line) => JSON.parse(line));
    expect(read.map(({ connection, route, method, status }) => [connection, route, method, status])).toEqual([
      ['a', 'Users', 'POST', 201],
      ['a', 'Users/{id}', 'PATCH', 200],
      ['a', 'Users', 'GET', 200],
      ['a', undefined, 'GET', 404],
    ]);
    expect(read[1].requestId).toBe('id-1');
    expect(lines.join()).not.toMatch(/ann|lee|00u1|example\.com/i);
    expect(lines.join()).not.toContain(token.a);
    expect(lines.join()).not.toContain(id);
  });
});

test('metrics count requests by connection and status, and the days of the credential', async () => {
  const { write, take } = createLogged();
  const { a, as } = (await createFixture()).serve({
    metrics: createScimMetrics({ namespace: 'Test', write, now: () => 1 }),
  });
  await a('GET', '/Users');
  await as(undefined)('GET', '/Users');
  const directive = (names: readonly string[], ...Dimensions: readonly string[][]) => ({
    Timestamp: 1,
    CloudWatchMetrics: [{ Namespace: 'Test', Dimensions, Metrics: names.map((Name) => ({ Name })) }],
  });
  const requests = ['ScimRequests', 'Latency'];
  const ofAll = ['service', 'status'];
  const [service, connection, counted] = ['scim', 'a', { ScimRequests: 1, Latency: 0 }];
  const left = directive(['ScimCredentialDaysLeft'], ['service'], ['connection']);
  const ofBoth = directive(requests, ofAll, ['connection', 'status']);
  expect(take()).toEqual([
    { service, connection, ScimCredentialDaysLeft: 365, _aws: left },
    { service, connection, status: '2xx', ...counted, _aws: ofBoth },
    { service, status: '4xx', ...counted, _aws: directive(requests, ofAll) },
  ]);
});

test('the last request is noted once an hour', async () => {
  const { a, clock, world } = await createFixture();
  const begun = clock.now();
  const noted: number[] = [];
  for (let minutes = 0; minutes < 150; minutes += 10) {
    expect((await a('GET', '/Users')).status).toBe(200);
    const { lastSyncAt } = await world.run('scim-connection.read', { id: 'a' });
    noted.push((Date.parse(String(lastSyncAt)) - begun) / 60_000);
    clock.advance(600_000);
  }
  expect([...new Set(noted)]).toEqual([0, 60, 120]);
});

test('a request is answered, whether it can be noted or not', async () => {
  const { clock, port, serve } = await createFixture();
  clock.advance(3_600_000);
  const { a, lines } = serve({
    port: {
      ...port,
      provisioning: async (event) =>
        'command' in event && event.command === 'scim-connection.update'
          ? { ok: false, error: { code: 'throttled', message: '', retryable: true } }
          : port.provisioning(event),
    },
  });
  expect((await a('GET', '/Users')).status).toBe(200);
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['sync not noted', 'request answered']);
});

test('a configuration that is wrong is refused at start, by the names of its variables', () => {
  const env = { PUBLIC_URL: 'secret', LOG_LEVEL: 'LOUD' };
  expect(() => createHandleFrom(env)).toThrow(
    /(?=.*TABLE_NAME)(?=.*PUBLIC_URL)(?=.*LOG_LEVEL)^(?!.*secret)/s,
  );
});
