import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asItListens, gatehouse } from '../cli/support.ts';
import { listen } from '../support/listening.ts';
import { tokenFrom } from './smoke/visitor.ts';

/** `gatehouse dev`, used over HTTP as a person at a second terminal does. As a process: test/package/explorer.package.test.ts. */
const FREE = ['--port', '0', '--lambda-port', '0', '--dynamodb-port', '0'];

const MANIFEST = `
pages: [reports]
scopes:
  acme: { type: tenant, id: acme }
  globex: { type: tenant }
roles:
  manager: { allow: [reports] }
users:
  ann@acme.example: { tenant: acme, grants: { acme: [manager] } }
  ben: { username: benny, tenant: acme }
  cleo: { email: cleo@acme.example, tenant: acme }
routes:
  - { method: GET, path: "/tenants/{tenant}/reports", permission: reports, scope: "tenant:{tenant}" }
`;

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'manifest.yaml');
  writeFileSync(file, text);
  return file;
}

interface Dev {
  readonly out: () => string;
  readonly error: () => string;
  readonly url: string;
  /** Resolves when the text is in what was printed. */
  readonly printed: (text: RegExp, stream?: 'out' | 'error') => Promise<void>;
  /** Ctrl-C; resolves with the exit code. */
  readonly stop: () => Promise<number>;
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Dev> {
  const texts = { out: '', error: '' };
  const [readers, interrupts] = [new Set<() => void>(), new Set<() => void>()];
  const note = (stream: keyof typeof texts) => (text: string) => {
    texts[stream] += text;
    for (const look of readers) look();
  };
  const ended = gatehouse(['dev', ...args], {
    env: { DYNAMODB_ENDPOINT: '', ...env },
    out: note('out'),
    error: note('error'),
    onInterrupt: (interrupt) => {
      interrupts.add(interrupt);
      return () => void interrupts.delete(interrupt);
    },
  }).then(({ code }) => code);
  const stop = () => {
    for (const interrupt of [...interrupts]) interrupt();
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  const printed: Dev['printed'] = (text, stream = 'out') =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (!text.test(texts[stream])) return;
        readers.delete(look);
        resolve();
      };
      readers.add(look);
      void ended.then((code) => reject(new Error(`it ended with ${code}: ${texts.error}`)));
      look();
    });
  await printed(/^ready /m);
  const [, url = ''] = /^ready (\S+)$/m.exec(texts.out) ?? [];
  return { out: () => texts.out, error: () => texts.error, url, printed, stop };
}

const tokenOf = ({ url }: Dev, user: string) => tokenFrom(url, user);
async function get(dev: Dev, path: string, user?: string) {
  const headers = user === undefined ? {} : { authorization: `Bearer ${await tokenOf(dev, user)}` };
  const answer = await fetch(`${dev.url}${path}`, { headers });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}
const REPORTS = '/tenants/acme/reports';

/** Runs what the screen shows under a heading. */
function pasted(dev: Dev, heading: RegExp): Promise<string> {
  const lines = dev.out().split('\n');
  const command = lines[lines.findIndex((line) => heading.test(line)) + 1] ?? '';
  const shell = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
  let out = '';
  shell.stdout.on('data', (chunk) => (out += chunk));
  return new Promise((resolve) => shell.once('exit', () => resolve(out)));
}

describe('with a manifest', () => {
  test('serves it, prints requests that are true, applies its changes, and ends with Ctrl-C', async () => {
    const file = fileWith(MANIFEST);
    const dev = await start([file, ...FREE]);
    expect(await pasted(dev, /^Allowed \(200\): ann@acme\.example, reports at acme/)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    expect(await pasted(dev, /^Refused \(403, no_grant\): (?:ben|cleo), reports at acme/)).toMatch(
      /^HTTP\/1\.1 403 /,
    );

    // As without the variable: nothing is waited for.
    expect(dev.out()).toContain('takes effect at once');

    // By name, by email, by username; the echo shows what a service gets.
    expect(await get(dev, `${REPORTS}?x=1`, 'ann@acme.example')).toMatchObject({
      status: 200,
      body: {
        request: { method: 'GET', path: REPORTS, query: 'x=1', pathParameters: { tenant: 'acme' } },
        authorizer: { permission: 'reports', scope: 'tenant:acme', reason: 'role' },
      },
    });
    for (const user of ['ben', 'benny', 'cleo', 'cleo@acme.example'])
      expect((await get(dev, REPORTS, user)).status).toBe(403);
    expect((await get(dev, REPORTS)).status).toBe(401);
    expect((await get(dev, '/elsewhere', 'ann@acme.example')).status).toBe(403);
    expect(await get(dev, '/_dev/permissions?scope=tenant:acme', 'ann@acme.example')).toMatchObject({
      body: { scope: 'tenant:acme', permissions: ['reports'], ask: [] },
    });

    // The lines for a second terminal.
    const exported = [...dev.out().matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const env = Object.fromEntries(exported.filter(([name]) => /^[A-Z_]+$/.test(name ?? ''))) as Record<
      string,
      string
    >;
    expect(Object.keys(env).sort()).toEqual([
      'DYNAMODB_ENDPOINT',
      'TABLE_NAME',
      'TOKEN_AUDIENCE',
      'TOKEN_ISSUER',
    ]);
    const [, ...check] = /npx gatehouse-authz (check) (\S+) (\S+) (\S+)/.exec(dev.out()) ?? [];
    expect(await gatehouse(check, { env })).toMatchObject({ code: 0 });

    // A change is applied: ben may, ann may no longer.
    writeFileSync(
      file,
      MANIFEST.replace('grants: { acme: [manager] } }', '}').replace(
        'benny,',
        'benny, grants: { acme: [manager] },',
      ),
    );
    await dev.printed(/is applied: 1 created, 0 changed, 1 removed/, 'error');
    expect((await get(dev, REPORTS, 'ben')).status).toBe(200);
    expect((await get(dev, REPORTS, 'ann@acme.example')).status).toBe(403);

    expect(await dev.stop()).toBe(0);
    await expect(fetch(dev.url)).rejects.toThrow();
  });

  test('a service behind it gets allowed requests alone, of pages of --cors too', async () => {
    const received: string[] = [];
    const service = await listen((request, response) => {
      received.push(`${request.method} ${request.url} ${request.headers['x-tenant']}`);
      response.end('{"from":"service"}');
    });
    const [page, other] = ['http://localhost:5173', 'https://app.example'];
    const backend = ['--backend', `${service}/api`, '--cors', page, '--cors', other];
    const dev = await start([fileWith(MANIFEST), ...FREE, ...backend]);
    const allowed = async (origin: string, name: string) => {
      const headers = { origin, 'access-control-request-method': 'GET' };
      const answer = await fetch(`${dev.url}${REPORTS}`, { method: 'OPTIONS', headers });
      return answer.headers.get(`access-control-allow-${name}`);
    };
    for (const origin of [page, other]) expect(await allowed(origin, 'origin')).toBe(origin);
    expect(await allowed('http://evil.example', 'origin')).toBeNull();
    expect(await allowed(page, 'headers')).toBe('*,authorization');
    const token = { method: 'POST', headers: { origin: page }, body: '{"user":"ben"}' };
    expect((await fetch(`${dev.url}/_dev/token`, token)).status).toBe(403);
    expect(received).toEqual([]);
    expect(await get(dev, REPORTS, 'ann@acme.example')).toEqual({ status: 200, body: { from: 'service' } });
    expect((await get(dev, REPORTS, 'cleo')).status).toBe(403);
    // Nor did the search for requests to paste reach it.
    expect(received).toEqual([`GET /api${REPORTS} tenant:acme`]);
  });

  test('a program gets an API token; without routes, the screen says so', async () => {
    const file = fileWith(`
pages: [reports]
scopes: { bluefin: { type: account, id: bluefin } }
technicalUsers: { robot: { account: bluefin } }
`);
    const dev = await start([file, ...FREE]);
    expect(await tokenOf(dev, 'robot')).toMatch(/^gh1_/);
    expect(dev.out()).toContain('No request to paste: the manifest has no routes.');
    expect((await get(dev, '/any', 'robot')).status).toBe(403);
  });
});

/** What is typed wrongly: test/cli/transcripts/listening.txt. */
describe('what cannot be served is one message, at once', () => {
  const run = (...args: readonly string[]) => gatehouse(['dev', ...args], { env: { DYNAMODB_ENDPOINT: '' } });

  test('a manifest with errors: all of them, with their lines', async () => {
    const file = fileWith(MANIFEST.replace('[manager]', '[manger]').replace('allow', 'alow'));
    const { code, error } = await run(file, ...FREE);
    expect(code).toBe(2);
    expect(error).toMatch(
      /manifest\.yaml:\d+:\d+: roles\.manager\.alow: unknown key: did you mean allow\?\n/,
    );
  });

  test.each(['--port', '--lambda-port', '--dynamodb-port'])('%s in use', async (option) => {
    const { port } = new URL(await listen(() => {}));
    const { code, error } = await run(fileWith(MANIFEST), ...FREE, option, port);
    expect(code).toBe(2);
    expect(error).toMatch(
      new RegExp(
        `^gatehouse dev: port ${port} is in use: give another one with ${option} \\(or [A-Z_]+\\); 0 takes a free one\n$`,
      ),
    );
  });

  test('an endpoint without an answer', async () => {
    const { code, error } = await run(...FREE, '--endpoint', 'http://127.0.0.1:1');
    expect(code).toBe(2);
    expect(error).toMatch(
      /DYNAMODB_ENDPOINT http:\/\/127\.0\.0\.1:1: no table can be created there \(ECONNREFUSED\): start.*\n$/,
    );
  });
});

test('Ctrl-C while it starts: it ends, and prints nothing', async () => {
  for (const args of [
    [fileWith(MANIFEST), ...FREE],
    [...FREE, '--endpoint', 'http://127.0.0.1:1'],
  ])
    expect(
      await gatehouse(['dev', ...args], { env: { DYNAMODB_ENDPOINT: '' }, onInterrupt: asItListens() }),
    ).toEqual({ code: 0, out: '', error: '' });
});

test('without a manifest it is the sample world', async () => {
  const dev = await start([], { PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0' });
  expect(await pasted(dev, /^Allowed \(200\): a teacher/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await pasted(dev, /^Refused \(403\): a volunteer/)).toMatch(/^HTTP\/1\.1 403 /);
  expect(dev.out()).toMatch(/export TABLE_NAME=gatehouse DYNAMODB_ENDPOINT=http/);
});
