import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../local/configuration.ts';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { startSample } from '../../local/sample/stack.ts';
import { send } from './explorer/support.ts';
import { FOREIGN, OWN } from './foreign.ts';

/** What the local stack listens on: programs of this machine are served, web pages are not. */
const stack = await startSample(readConfiguration({ PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0' }));
afterAll(() => stack.stop());

/** Of a call of DynamoDB; the engine takes any signature. */
const SIGNED = {
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

interface Door {
  readonly name: string;
  readonly of: 'url' | 'lambdaUrl' | 'dynamodb';
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** For a program: 200 where it is left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const DOORS: readonly Door[] = [
  { name: 'the table', of: 'dynamodb', method: 'POST', path: '/', body: '{}', headers: SIGNED },
  {
    name: 'functions',
    of: 'lambdaUrl',
    method: 'POST',
    body: '{}',
    path: '/2015-03-31/functions/provisioning/invocations',
  },
  { name: 'tokens', of: 'url', method: 'POST', path: '/_dev/token', body: '{"user":"ada@school.example"}' },
  { name: 'keys', of: 'url', method: 'GET', path: '/_dev/.well-known/jwks.json' },
  { name: 'permissions', of: 'url', method: 'GET', path: '/_dev/permissions', status: 401 },
  { name: 'the explorer', of: 'url', method: 'GET', path: '/_dev/explorer/', status: 401 },
  { name: 'AuthZEN', of: 'url', method: 'POST', path: '/access/v1/evaluation', body: '{}', status: 401 },
  { name: 'its description', of: 'url', method: 'GET', path: '/.well-known/authzen-configuration' },
  { name: 'connections', of: 'url', method: 'DELETE', path: '/ws/@connections/some', status: 410 },
];

describe.each(DOORS)('$name', ({ of, method, path, body = '', status = 200, headers: own = {} }) => {
  test('is for no web page', async () => {
    const { origin, port } = new URL(String(stack[of]));
    for (const [name, headersAt] of FOREIGN) {
      const answer = await send(`${origin}${path}`, {
        method,
        body,
        headers: { ...own, ...headersAt(port) },
      });
      expect([name, answer.status]).toEqual([name, 403]);
    }
    const preflight = { origin: 'http://evil.example', 'access-control-request-method': method };
    const answer = await send(`${origin}${path}`, { method: 'OPTIONS', headers: preflight });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).join()).not.toContain('access-control');
  });

  test('is for programs of this machine', async () => {
    const { origin, port } = new URL(String(stack[of]));
    for (const [name, headersAt] of OWN.slice(0, -1)) {
      const answer = await send(`${origin}${path}`, {
        method,
        body,
        headers: { ...own, ...headersAt(port) },
      });
      expect([name, answer.status]).toEqual([name, status]);
      expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    }
  });
});

test('the embedded engine, which would serve any page, is at an address that none can guess', async () => {
  const engines = [await startEmbeddedEngine(), await startEmbeddedEngine()];
  try {
    const hosts = engines.map(({ endpoint }) => new URL(endpoint).hostname);
    expect(new Set(hosts).size).toBe(2);
    for (const { endpoint } of engines) {
      const { hostname, port } = new URL(endpoint);
      expect(hostname).toMatch(/^127\.(?!0\.)\d+\.\d+\.\d+$/);
      const refused = await new Promise((resolve) =>
        connect(Number(port), '127.0.0.1', () => resolve('open')).once('error', ({ message }) =>
          resolve(message),
        ),
      );
      expect(refused).toContain('ECONNREFUSED');
    }
  } finally {
    await Promise.all(engines.map(({ stop }) => stop()));
  }
});
