import { request } from 'node:http';
import { afterAll, expect, inject, test } from 'vitest';
import { startSample } from '../../local/sample/stack.ts';

/** The AuthZEN API in the local stack. */

const stack = await startSample({
  PORT: 0,
  LAMBDA_PORT: 0,
  DYNAMODB_PORT: 0,
  CACHE_TTL_SECONDS: 5,
  LIVE_REVOCATION: false,
  DYNAMODB_ENDPOINT: inject('endpoint'),
  TABLE_NAME: `gatehouse-authzen-${process.pid}`,
});
const answer = await fetch(`${stack.url}/_dev/token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ user: 'ada@school.example' }),
});
const token = String(((await answer.json()) as { access_token: string }).access_token);
afterAll(() => stack.stop());

const post = (headers: Record<string, string>): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(`${stack.url}/access/v1/evaluation`, { method: 'POST', headers }, (answer) => {
      let body = '';
      answer
        .on('data', (chunk) => (body += chunk))
        .once('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    sent.once('error', reject);
    sent.end(
      JSON.stringify({
        subject: { type: 'user', id: 'nobody' },
        action: { name: 'read' },
        resource: { type: 'tenant', id: 'nowhere' },
      }),
    );
  });
const headers = () => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

test('decides for an administrator of the sample', async () => {
  const { status, body } = await post(headers());
  expect([status, JSON.parse(body).decision]).toEqual([200, false]);
});

test('refuses who shows no credential', async () => {
  expect((await post({ 'content-type': 'application/json' })).status).toBe(401);
});

test('says where it is', async () => {
  const answer = await fetch(`${stack.url}/.well-known/authzen-configuration`);
  expect(await answer.json()).toMatchObject({ policy_decision_point: stack.url });
});

test.each([{ Origin: 'https://evil.example' }, { Host: 'evil.example' }])(
  'serves no web page: %j',
  async (foreign) => {
    expect((await post({ ...headers(), ...foreign } as Record<string, string>)).status).toBe(403);
  },
);
