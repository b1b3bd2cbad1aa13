import * as v2 from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { mcpEndpoint, mcpLambda } from '../../../middleware/mcp/index.ts';
import { ISSUER } from '../../authorizer/support.ts';
import { withSessions } from './everything.ts';
import { createEndpoints, createInvoices, JSON_HEADERS, type Ran, RESOURCE } from './invoices.ts';

const METADATA = 'https://mcp.acme.example/.well-known/oauth-protected-resource/mcp';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const ran: Ran[] = [];
const { tokenOf, options, guard, first, second } = await createEndpoints(await createInvoices(), ran);
beforeEach(() => {
  ran.length = 0;
});

const sent = (body: unknown, headers: Record<string, string> = {}) =>
  new Request(RESOURCE, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the clients of the SDK', () => {
  test('of the first version', async () => {
    const endpoint = first();
    const client = new Client({ name: 'c', version: '1' });
    const headers = bearing(await tokenOf('ann'));
    const fetch = (url: string | URL, init?: RequestInit) => endpoint(new Request(url, init));
    await client.connect(
      new StreamableHTTPClientTransport(new URL(RESOURCE), { fetch, requestInit: { headers } }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'pay', 'totals']);
    const allowed = await client.callTool({ name: 'read', arguments: { place: 'north' } });
    expect(allowed.content).toEqual([{ type: 'text', text: 'read user:ann location:north' }]);
    const refused = await client.callTool({ name: 'read', arguments: { place: 'south' } });
    expect(refused).toMatchObject({ isError: true, _meta: { 'gatehouse/reason': 'no_grant' } });
    await client.close();
  });

  test('of the second version, in the protocol without sessions', async () => {
    const endpoint = second();
    const client = new v2.Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const headers = bearing(await tokenOf('ann'));
    const fetch = (url: string | URL, init?: RequestInit) => endpoint(new Request(url, init));
    await client.connect(
      new v2.StreamableHTTPClientTransport(new URL(RESOURCE), { fetch, requestInit: { headers } }),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect((await client.readResource({ uri: 'invoices://north' })).contents).toHaveLength(1);
    await expect(client.readResource({ uri: 'invoices://hidden' })).rejects.toMatchObject({ code: -32_003 });
    await client.close();
  });
});

test('handlers find who calls, and no token', async () => {
  const token = await tokenOf('ann');
  const called = { ...LIST, method: 'tools/call', params: { name: 'totals', arguments: {} } };
  expect((await first()(sent(called, bearing(token)))).status).toBe(200);
  const [{ extra } = { extra: {} }] = ran;
  const { authInfo, requestInfo } = extra as { authInfo: object; requestInfo: { headers: object } };
  expect(authInfo).toMatchObject({ token: '', clientId: 'user:ann', extra: { subject: 'user:ann' } });
  expect(requestInfo.headers).not.toHaveProperty('authorization');
  expect(JSON.stringify(extra)).not.toContain(token);
});

describe('a resource server', () => {
  test('says by whom tokens are issued (RFC 9728)', async () => {
    const answer = await first({ metadata: { resource_name: 'Invoices', resource: 'x' } })(
      new Request(METADATA),
    );
    expect(await answer.json()).toEqual({
      resource: RESOURCE,
      resource_name: 'Invoices',
      authorization_servers: [ISSUER],
    });
    expect((await first()(new Request(METADATA, { method: 'POST' }))).status).toBe(405);
  });

  test('refuses who shows no token, and what is not for it, naming the metadata', async () => {
    const challenge = `Bearer resource_metadata="${METADATA}"`;
    const statusOf = async (headers: Record<string, string>) => {
      const answer = await first()(sent(LIST, headers));
      return [answer.status, answer.headers.get('www-authenticate')];
    };
    expect(await statusOf({})).toEqual([401, challenge]);
    const invalid = [401, `${challenge}, error="invalid_token"`];
    expect(await statusOf(bearing('nonsense'))).toEqual(invalid);
    expect(await statusOf(bearing(await tokenOf('ann', { aud: 'https://api.acme.example' })))).toEqual(
      invalid,
    );
    expect(await statusOf(bearing(await tokenOf('ann', { iss: 'https://other.example' })))).toEqual(invalid);
    expect(await statusOf({ 'x-authorization': `Bearer ${await tokenOf('ann')}` })).toEqual([401, challenge]);
    expect(ran).toEqual([]);
  });

  test.each<[string, object]>([
    ['resource', { resource: undefined }],
    ['resource', { resource: 'http://mcp.acme.example/mcp' }],
    ['issuers', { issuers: [] }],
    ['issuers.audience', { issuers: { issuer: ISSUER, audience: 'https://api.acme.example' } }],
    ['issuers.audience', { issuers: { issuer: ISSUER, audience: [RESOURCE, 'other'] } }],
    ['engine', { engine: {} }],
  ])('does not start where the %s is wrong: %j', (field, more) => {
    expect(() => first(more)).toThrow(expect.objectContaining({ field }));
  });

  test('refuses batches, bodies that are no JSON, large ones, and to tell of resources that change', async () => {
    const headers = bearing(await tokenOf('ann'));
    const answerTo = async (body: unknown, more = {}) => {
      const answer = await first(more)(sent(body, headers));
      return [answer.status, ((await answer.json()) as { error?: { code: number } }).error?.code];
    };
    expect(await answerTo([LIST])).toEqual([400, -32_600]);
    const watching = { notifications: { resourceSubscriptions: ['invoices://hidden'] } };
    expect(await answerTo({ ...LIST, method: 'subscriptions/listen', params: watching })).toEqual([
      403, -32_003,
    ]);
    expect(await answerTo('{')).toEqual([400, -32_700]);
    expect(await answerTo(LIST, { maxBody: 10 })).toEqual([413, undefined]);
  });

  test('answers 503 where nobody can be verified', async () => {
    const faults: unknown[] = [];
    const engine = { checkAsked: () => Promise.reject(new Error('secret')) };
    const answer = await first({ engine, onFault: (error) => faults.push(error) })(
      sent(LIST, bearing(await tokenOf('ann'))),
    );
    expect([answer.status, faults.length]).toEqual([503, 1]);
    expect(await answer.text()).not.toContain('secret');
  });

  test('a session is of the caller who opened it', async () => {
    const serve = withSessions(() => guard(new McpServer({ name: 'a', version: '1' })));
    const endpoint = mcpEndpoint(options, serve);
    const [ann, ben] = [bearing(await tokenOf('ann')), bearing(await tokenOf('ben'))];
    const clientInfo = { name: 'c', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const opened = await endpoint(sent({ ...LIST, method: 'initialize', params }, ann));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const ping = { ...LIST, id: 2, method: 'ping' };
    expect((await endpoint(sent(ping, { ...ann, ...session }))).status).toBe(200);
    expect((await endpoint(sent(ping, { ...ben, ...session }))).status).toBe(404);
    expect((await endpoint(new Request(RESOURCE, { headers: { ...ben, ...session } }))).status).toBe(404);
    expect((await endpoint(sent(ping, { ...ann, 'mcp-session-id': 'guessed' }))).status).toBe(404);
  });
});

describe('on Lambda', () => {
  const event = async (more: object) => ({
    version: '2.0',
    rawPath: '/mcp',
    headers: JSON_HEADERS,
    requestContext: { http: { method: 'POST' } },
    ...more,
  });

  test('a call is decided and answered', async () => {
    const handler = mcpLambda(second());
    const { headers } = await event({});
    const call = { ...LIST, method: 'tools/call', params: { name: 'read', arguments: { place: 'south' } } };
    const withToken = { ...headers, authorization: `Bearer ${await tokenOf('ann')}` };
    const body = Buffer.from(JSON.stringify(call)).toString('base64');
    const answer = await handler(await event({ headers: withToken, body, isBase64Encoded: true }));
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('refused: no_grant');
  });

  test('metadata are served, callers without a token refused, and streams not opened', async () => {
    const handler = mcpLambda(first());
    const get = { requestContext: { http: { method: 'GET' } } };
    expect(
      JSON.parse((await handler(await event({ ...get, rawPath: new URL(METADATA).pathname }))).body),
    ).toMatchObject({
      resource: RESOURCE,
    });
    const refused = await handler(await event({ body: JSON.stringify(LIST) }));
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining(METADATA),
    ]);
    expect((await handler(await event(get))).statusCode).toBe(405);
  });
});
