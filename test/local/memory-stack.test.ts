import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LiveEvent } from '../../explorer/service/index.ts';
import { readConfiguration } from '../../local/configuration.ts';
import { describeManifest } from '../../local/manifest/screen.ts';
import { type ManifestStack, startManifest } from '../../local/manifest/stack.ts';
import { startSample } from '../../local/sample/stack.ts';
import { memoryNotice } from '../../local/table.ts';
import { eventually } from '../support/eventually.ts';
import { OF_PAGE, send } from './explorer/support.ts';

/** The local stack where no DynamoDB engine is installed: all of its parts share one table in memory. */
const MANIFEST = `
pages: [reports]
permissions: ["gatehouse:evaluate:decision"]
scopes: { acme: { type: tenant, id: acme } }
roles:
  manager: { allow: [reports] }
  reader: { owner: acme, allowOnly: true, allow: [reports] }
groups: { auditors: { id: auditors, scope: acme, allowOnly: true, roles: [reader] } }
users:
  ann: { id: ann, tenant: acme, grants: { acme: [manager] } }
  ben: { id: ben, tenant: acme, admin: true }
  cleo: { id: cleo, tenant: acme }
routes:
  - { method: GET, path: "/tenants/{tenant}/reports", permission: reports, scope: "tenant:{tenant}" }
`;
const FREE = { PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0', CACHE_TTL_SECONDS: '0' };
const findBinary = () => undefined;

let folder: string;
let file: string;
let stack: ManifestStack;
let changed: () => void;
const said: string[] = [];
const abort = new AbortController();
let heard: () => void = () => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-memory-'));
  file = join(folder, 'manifest.yaml');
  writeFileSync(file, MANIFEST);
  stack = await startManifest(readConfiguration(FREE), {
    file,
    findBinary,
    say: (line) => {
      said.push(line);
      heard();
    },
    watch: (_, onChange) => {
      changed = onChange;
      return () => undefined;
    },
  });
});
afterAll(async () => {
  abort.abort();
  await stack.stop();
  rmSync(folder, { recursive: true });
});

async function post(url: string, body: unknown, token?: string) {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<
    Record<string, unknown>
  >;
}
const tokenOf = async (user: string, groups?: readonly string[]) =>
  String((await post(`${stack.url}/_dev/token`, { user, groups })).access_token);
async function reportsFor(user: string, groups?: readonly string[]): Promise<number> {
  const headers = { authorization: `Bearer ${await tokenOf(user, groups)}` };
  return (await fetch(`${stack.url}/tenants/acme/reports`, { headers })).status;
}
const provision = (command: string, input: object) =>
  post(`${stack.lambdaUrl}/2015-03-31/functions/provisioning/invocations`, { command, input });

/** Writes the file, and waits for what is said of it. */
async function save(text: string): Promise<string | undefined> {
  const reported = new Promise<void>((resolve) => {
    heard = resolve;
  });
  writeFileSync(file, text);
  changed();
  await reported;
  return said.at(-1);
}

test('the gateway, the AuthZEN API and provisioning decide by it', async () => {
  expect([await reportsFor('ann'), await reportsFor('ben'), await reportsFor('cleo')]).toEqual([
    200, 200, 403,
  ]);
  const evaluation = {
    subject: { type: 'user', id: 'ann' },
    action: { name: 'reports' },
    resource: { type: 'tenant', id: 'acme' },
  };
  const url = `${stack.url}/access/v1/evaluation`;
  expect(await post(url, evaluation, await tokenOf('ben'))).toHaveProperty('decision');

  const { result } = (await provision('role.list', { scope: 'tenant' })) as {
    result: { items: { id: string }[] };
  };
  const roles = [result.items[0]?.id];
  expect(await provision('grant.create', { user: 'cleo', scope: 'tenant:acme', roles })).toMatchObject({
    ok: true,
  });
  expect(await reportsFor('cleo')).toBe(200);
});

test('the file is applied again when it changes: the table equals it; one with errors changes nothing', async () => {
  expect(await save(MANIFEST.replace('{ acme: [manager] }', '{ acme: [] }'))).toMatch(
    / is applied: .* removed$/,
  );
  expect([await reportsFor('ann'), await reportsFor('cleo')]).toEqual([403, 403]);
  expect(await save('pages: [')).toMatch(
    /manifest\.yaml:1:\d+: .*\n.* is not applied: what was there before stays$/s,
  );
  expect(await reportsFor('ann')).toBe(403);
  // A new person and a new route are there at once.
  const changed = MANIFEST.replace(
    'cleo: { id: cleo, tenant: acme }',
    'dan: { grants: { acme: [manager] } }',
  );
  expect(await save(changed.replace('/reports"', '/news"'))).toMatch(/ is applied: /);
  const headers = { authorization: `Bearer ${await tokenOf('dan')}` };
  expect((await fetch(`${stack.url}/tenants/acme/news`, { headers })).status).toBe(200);
  expect((await fetch(`${stack.url}/tenants/acme/reports`, { headers })).status).not.toBe(200);
  rmSync(file);
  expect(await save(MANIFEST)).toMatch(/ is applied: /);
  expect(await reportsFor('ann')).toBe(200);
});

test('the screen says so, and what a second terminal can do all the same', () => {
  const screen = describeManifest(stack, 0);
  expect(screen).toContain(memoryNotice());
  expect(screen).not.toContain('TABLE_NAME');
  expect(screen).toContain(
    `npx gatehouse-authz plan ${file} --function provisioning --lambda-endpoint ${stack.lambdaUrl}`,
  );
});

test('what to do for a table that other processes can use', () => {
  expect(memoryNotice('linux-x64')).toContain(
    'npm install --save-dev @dynoxide/linux-x64, or DynamoDB Local',
  );
  expect(memoryNotice('darwin-arm64')).not.toContain('@dynoxide');
  expect(memoryNotice('darwin-arm64')).toContain('DYNAMODB_ENDPOINT=http://127.0.0.1:8000');
});

test('a file for the data of an engine that is not there is an error', async () => {
  await expect(startSample(readConfiguration({ ...FREE, DATA: 'x.db' }), { findBinary })).rejects.toThrow(
    'DATA=x.db is a file of the embedded DynamoDB engine, and none is installed here',
  );
});

test('groups that a token names mean groups of the tenant', async () => {
  const of = { scope: 'tenant:acme', issuer: `${stack.url}/_dev` };
  await provision('external-group.create', { ...of, externalId: 'Auditors', group: 'auditors' });
  expect(
    await Promise.all([
      reportsFor('cleo'),
      reportsFor('cleo', ['Auditors']),
      reportsFor('cleo', ['auditors']),
    ]),
  ).toEqual([403, 200, 403]);
  const asked = { headers: { authorization: `Bearer ${await tokenOf('cleo', ['Auditors'])}` } };
  const may = await fetch(`${stack.url}/_dev/permissions?scope=tenant:acme`, asked);
  expect(JSON.stringify(await may.json())).toContain('reports');
});

describe('its explorer, at `/_dev/explorer`', () => {
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
      // What happens from now on, and nothing of before.
      headers: { cookie, 'last-event-id': '9999' },
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
    expect(ids).toEqual(ids.map((_, position) => Number(ids[0]) + position));
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
      isFirst: false,
      isStale: false,
      at: expect.any(Number),
    });
  });
});
