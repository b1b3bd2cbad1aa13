import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { MANIFEST } from '../authzen/certification/fixture.ts';
import { whileListening } from './support.ts';

const serving = (
  args: readonly string[],
  use: (out: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
) => whileListening(['serve', ...args], use, { env: { DYNAMODB_ENDPOINT: undefined, ...env } });

/** Asks the service that has said where it listens. */
async function ask(out: string, path: string, body: object): Promise<unknown> {
  const [, url, token] = /^ready (http:\/\/127\.0\.0\.1:\d+)\ntoken (gh1_\S+)\n$/.exec(out) ?? [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const resource = { type: 'record', id: 'record-1' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ resource, ...body }) };
  return (await fetch(`${url}/access/v1/${path}`, sent)).json();
}
const SERVED = ['--manifest', MANIFEST];
const ALICE = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' } };

test('serves a manifest, with a token that may evaluate, until it is interrupted', async () => {
  const { code, error } = await serving(
    [...SERVED, '--port', '0'],
    async (out) => {
      const action = { name: 'delete', properties: { soft: true } };
      const answer = await ask(out, 'evaluation', { ...ALICE, action });
      expect(answer).toEqual({ decision: true, context: { reason: 'role' } });
      const [, url] = /^ready (\S+)/.exec(out) ?? [];
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const metadata = await (await fetch(`${url}/.well-known/authzen-configuration`)).json();
      expect(metadata).toMatchObject({ policy_decision_point: url });
    },
    // Empty: as if it were not set.
    { PUBLIC_URL: '', LOG_LEVEL: '' },
  );
  expect(code).toBe(0);
  expect(error).not.toContain('gh1_');
});

test.each([
  ['INFO', 1],
  ['WARN', 0],
])('with LOG_LEVEL=%s, a request leaves %d lines', async (LOG_LEVEL, count) => {
  const use = async (out: string) => void (await ask(out, 'evaluation', ALICE));
  const { error } = await serving([...SERVED, '--port', '0'], use, { LOG_LEVEL });
  expect(error.match(/"request answered"/g) ?? []).toHaveLength(count);
});

test('the decision log ends with the server', async () => {
  const use = async (out: string) => void (await ask(out, 'evaluation', ALICE));
  const log = { DECISION_LOG: 'all' };
  const { error } = await serving([...SERVED, '--port', '0'], use, log);
  const lines = error.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  expect(lines.filter(({ message }) => /^decision/.test(message))).toMatchObject([
    { message: 'decision', sequence: 1, kind: 'check', decision: true },
    { message: 'decision log', sequence: 2, decisions: 1, ended: true },
  ]);
});

test('where no embedded engine is published, a manifest is served from memory', async () => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'sunos' });
  try {
    const { code, error } = await serving([...SERVED, '--port', '0'], async (out) => {
      const found = await ask(out, 'search/subject', { ...ALICE, subject: { type: 'user' } });
      expect(found).toMatchObject({ page: { count: 2, next_token: '' } });
    });
    expect(code).toBe(0);
    expect(error).toContain('served from memory');
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});

describe('what cannot be served is one error, at once', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['neither a table nor a manifest', [], /--table NAME/],
    ['a manifest that is not there', ['--manifest', 'nothing.yaml'], /nothing\.yaml/],
    ['a manifest and a table', [...SERVED, '--table', 'x'], /--manifest makes a temporary table/],
    ['a certificate without its key', [...SERVED, '--tls-cert', 'x'], /--tls-cert and --tls-key/],
    ['a certificate that is none', [...SERVED, '--tls-cert', MANIFEST, '--tls-key', MANIFEST], /PEM/i],
    ['a port that is none', [...SERVED, '--port', '70000'], /--port/],
    ['a base URL that is none', [...SERVED, '--public-url', 'pdp'], /PUBLIC_URL/],
  ])('%s', async (_what, args, message) => {
    const { code, out, error } = await serving(['--port', '0', ...args], async () => {});
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
    expect(error.trim().split('\n')).toHaveLength(1);
  });

  test('a port in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = String(typeof address === 'object' ? address?.port : 0);
    const { code, error } = await serving([...SERVED, '--port', port], async () => {});
    await new Promise((resolve) => other.close(resolve));
    expect(code).toBe(2);
    expect(error).toContain(`port ${port} is in use`);
  });
});
