import { expect, test } from 'vitest';
import { MANIFEST } from '../authzen/certification/fixture.ts';
import { listen } from '../support/listening.ts';
import { whileListening } from './support.ts';

/** `gatehouse serve`, used over HTTP. What it refuses: transcripts/listening.txt. */
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

test('a port in use is one error, at once', async () => {
  const { port } = new URL(await listen(() => {}));
  const { code, error } = await serving([...SERVED, '--port', port], async () => {});
  expect(code).toBe(2);
  expect(error).toContain(`port ${port} is in use`);
});
