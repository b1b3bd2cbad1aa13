import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { LiveEvent } from '../../../explorer/service/index.ts';
import { readConfiguration } from '../../../local/configuration.ts';
import { describeManifest } from '../../../local/manifest/screen.ts';
import { type ManifestStack, startManifest } from '../../../local/manifest/stack.ts';
import { eventually } from '../../support/eventually.ts';
import { OF_PAGE, send } from './support.ts';

/** The explorer of the local stack, at `/_dev/explorer`. */
const MANIFEST = `
pages: [reports]
permissions: ["gatehouse:evaluate:decision"]
scopes: { acme: { type: tenant, id: acme } }
roles: { manager: { allow: [reports] } }
users:
  ann: { id: ann, tenant: acme, grants: { acme: [manager] } }
  ben: { id: ben, tenant: acme, admin: true }
routes:
  - { method: GET, path: "/tenants/{tenant}/reports", permission: reports, scope: "tenant:{tenant}" }
`;

const said: string[] = [];
const abort = new AbortController();

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-explorer-'));
const file = join(folder, 'manifest.yaml');
writeFileSync(file, MANIFEST);
const free = { PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', CACHE_TTL_SECONDS: '0' };
const stack: ManifestStack = await startManifest(readConfiguration(free), {
  file,
  findBinary: () => undefined,
  say: (line) => said.push(line),
  watch: () => () => undefined,
});
afterAll(async () => {
  abort.abort();
  await stack.stop();
  rmSync(folder, { recursive: true });
});

/** The session of a link. */
const openBy = async (link: string): Promise<string> =>
  String((await send(link)).headers['set-cookie']?.[0]).replace(/;.*$/, '');
const newSession = async (): Promise<string> => {
  await send(`${stack.url}/_dev/explorer`);
  return openBy(/http\S+/.exec(String(said.at(-1)))?.[0] ?? '');
};
async function call(cookie: string, method: string, input: unknown) {
  const { body } = await send(`${stack.url}/_dev/explorer/api/${method}`, {
    method: 'POST',
    body: JSON.stringify(input),
    headers: { ...OF_PAGE, cookie },
  });
  return JSON.parse(body);
}
async function tokenOf(user: string): Promise<string> {
  const answer = await fetch(`${stack.url}/_dev/token`, { method: 'POST', body: JSON.stringify({ user }) });
  return ((await answer.json()) as { access_token: string }).access_token;
}

test('the screen shows its link, which works once', async () => {
  const screen = describeManifest(stack, 0);
  expect(screen).toContain(`\n  explorer           ${stack.explorer}   works once, for 5 minutes\n`);
  const cookie = await openBy(stack.explorer);
  expect(await call(cookie, 'about', {})).toEqual({
    ok: true,
    result: { place: 'the local table gatehouse', canWrite: true, isLive: true, apis: ['default'] },
  });
  expect((await send(stack.explorer)).status).toBe(401);
});

test('who opens it without a session gets a new link on the screen, and not in the answer', async () => {
  said.length = 0;
  const { status, body } = await send(`${stack.url}/_dev/explorer/`);
  expect([status, said]).toEqual([
    401,
    [
      expect.stringMatching(
        /^ {2}explorer {11}http:\S+\/_dev\/explorer\/open\?ticket=[\w-]{43} {3}works once, for 5 minutes$/,
      ),
    ],
  ]);
  expect(body).toContain('gatehouse dev has just printed a new one in its terminal');
  expect(body).not.toContain('ticket');
  const link = /http\S+/.exec(String(said[0]))?.[0] ?? '';
  expect(await call(await openBy(link), 'about', {})).toMatchObject({ ok: true });
});

test('a page of another origin gets no link printed', async () => {
  said.length = 0;
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await send(`${stack.url}/_dev/explorer`, { headers })).status).toBe(403);
  expect(said).toEqual([]);
});

test('it decides as the stack does, and may write', async () => {
  const cookie = await newSession();
  const question = { subject: 'user:ann', permission: 'reports', scope: 'tenant:acme' };
  expect(await call(cookie, 'check', question)).toEqual({
    ok: true,
    result: { allowed: true, reason: 'role' },
  });
  const command = { command: 'user.update', input: { id: 'ann', status: 'disabled' } };
  expect(await call(cookie, 'command', command)).toMatchObject({ ok: true, result: { ok: true } });
  expect(await call(cookie, 'check', question)).toMatchObject({ result: { reason: 'subject_inactive' } });
  const { result } = await call(cookie, 'command', {
    command: 'audit.list',
    input: { tenant: 'tenant:acme', limit: 100 },
  });
  expect(JSON.stringify(result)).toContain('"actor":"explorer"');
  const back = { command: 'user.update', input: { id: 'ann', status: 'active' } };
  expect(await call(cookie, 'command', back)).toMatchObject({ result: { ok: true } });
});

test('its stream has the decisions of gateway, AuthZEN, permissions and Lambda, and what never became one', async () => {
  const cookie = await newSession();
  const response = await fetch(`${stack.url}/_dev/explorer/live`, {
    headers: { cookie },
    signal: abort.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })().catch(() => undefined);
  const events = (): readonly LiveEvent[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));

  const [ann, ben] = [await tokenOf('ann'), await tokenOf('ben')];
  const get = (path: string, token?: string) =>
    fetch(`${stack.url}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  await get('/tenants/acme/reports', ann);
  await get('/tenants/acme/reports');
  await get('/nowhere', ann);
  await get('/_dev/permissions?scope=tenant:acme', ann);
  await fetch(`${stack.url}/access/v1/evaluation`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ben}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      subject: { type: 'user', id: 'nobody' },
      action: { name: 'reports' },
      resource: { type: 'tenant', id: 'acme' },
    }),
  });
  // What the explorer itself asks is none of it.
  await call(cookie, 'check', { subject: 'user:ann', permission: 'reports', scope: 'tenant:acme' });
  const authorized = await fetch(`${stack.lambdaUrl}/2015-03-31/functions/authorizer/invocations`, {
    method: 'POST',
    body: JSON.stringify({
      version: '2.0',
      type: 'REQUEST',
      identitySource: [],
      rawQueryString: '',
      routeArn:
        'arn:aws:execute-api:eu-central-1:000000000000:localmanifest/$default/GET/tenants/acme/reports',
      routeKey: 'GET /tenants/{tenant}/reports',
      rawPath: '/tenants/acme/reports',
      headers: { authorization: `Bearer ${ann}` },
      requestContext: { stage: '$default', http: { method: 'GET', path: '/tenants/acme/reports' } },
    }),
  });
  expect(await authorized.json()).toMatchObject({ isAuthorized: true });
  await get('/tenants/acme/reports', `${ben}x`);

  await eventually(() => expect(events().at(-1)).toMatchObject({ status: 401, authorizer: 'off' }));
  abort.abort();
  await reading;
  const path = '/tenants/acme/reports';
  const ids = events().map(({ id }) => id);
  expect(ids).toEqual(ids.map((_, position) => position + 1));
  const shown = events().map((event) =>
    event.kind === 'decision'
      ? [event.source, event.subject, event.permission, event.reason, event.request?.path]
      : [event.source, event.status, event.path, event.authorizer],
  );
  const evaluate = 'gatehouse:evaluate:decision';
  expect(shown).toEqual([
    ['default', 'user:ann', 'reports', 'role', path],
    ['default', 401, path, 'skipped'],
    ['default', 403, '/nowhere', 'off'],
    ['permissions', 'user:ann', 'reports', 'role', undefined],
    ['permissions', 'user:ann', evaluate, 'no_grant', undefined],
    ['AuthZEN', 'user:ben', evaluate, 'admin', undefined],
    ['AuthZEN', 'user:nobody', 'tenant:reports:tenant', 'subject_unknown', undefined],
    ['Lambda', 'user:ann', 'reports', 'role', undefined],
    ['default', 401, path, 'off'],
  ]);
  expect(events().find(({ kind }) => kind === 'decision')).toMatchObject({
    allowed: true,
    scope: 'tenant:acme',
    tenant: 'tenant:acme',
    consistency: 'cached',
    calls: expect.any(Number),
    units: expect.any(Number),
    milliseconds: expect.any(Number),
    isFirst: true,
    isStale: false,
    at: expect.any(Number),
  });
});
