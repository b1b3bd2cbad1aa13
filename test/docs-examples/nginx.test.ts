import { afterEach, expect, test, vi } from 'vitest';
// @ts-expect-error a script of NGINX, without types
import authzen from '../../docs/examples/authzen/authzen.js';

/** The script of docs/examples/authzen/nginx.conf, with what NGINX gives it. */
const variables = {
  authzen_user: 'alice',
  authzen_action: 'read',
  authzen_record: 'record-1',
  remote_addr: '10.0.0.1',
  request_method: 'GET',
  request_id: 'id-1',
  authzen_url: 'https://pdp',
  authzen_token: 'gh1',
};

async function decide(fetch: () => Promise<unknown>): Promise<number> {
  vi.stubGlobal('ngx', { fetch });
  let status = 0;
  await authzen.decide({ variables, return: (code: number) => (status = code), error: () => undefined });
  return status;
}
afterEach(() => vi.unstubAllGlobals());

const answering = (status: number, body: unknown) => async () => ({ status, json: async () => body });

test.each([
  [204, answering(200, { decision: true })],
  [403, answering(200, { decision: false })],
  [403, answering(200, { decision: 'true' })],
  [403, answering(200, {})],
  [403, answering(401, 'a valid credential is required')],
  [403, answering(503, { decision: true })],
  [500, () => Promise.reject(new Error('down'))],
])('%s', async (status, fetch) => {
  expect(await decide(fetch)).toBe(status);
});

test('asks for the user, the action and the record', async () => {
  const fetch = vi.fn(answering(200, { decision: true }));
  await decide(fetch);
  const [url, { body, headers }] = fetch.mock.calls[0] as unknown as [
    string,
    { body: string; headers: object },
  ];
  expect(url).toBe('https://pdp/access/v1/evaluation');
  expect(headers).toMatchObject({ Authorization: 'Bearer gh1', 'X-Request-ID': 'id-1' });
  expect(JSON.parse(body)).toEqual({
    subject: { type: 'user', id: 'alice' },
    action: { name: 'read' },
    resource: { type: 'record', id: 'record-1' },
    context: { ip: '10.0.0.1', method: 'GET' },
  });
});
