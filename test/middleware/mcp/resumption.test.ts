import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type McpEndpoint, mcpEndpoint } from '../../../middleware/mcp/index.ts';
import { ISSUER } from '../../authorizer/support.ts';
import { withSessions } from './everything.ts';
import {
  createEndpoints,
  createInvoices,
  giveMandate,
  type Invoices,
  JSON_HEADERS,
  RESOURCE,
} from './invoices.ts';

/** A stream that a client takes up again repeats answers: only while all that was allowed in its session still is. */
const BY_ISSUER = {
  issuer: ISSUER,
  actorFrom: { claim: 'azp', type: 'agent' },
  mandateFrom: 'mandate',
} as const;

let world: Invoices;
let endpoint: McpEndpoint;
let tokenOf: (sub: string, claims?: object) => Promise<string>;
beforeEach(async () => {
  world = await createInvoices();
  await giveMandate(world, { id: 'one' });
  const { guard, options, ...of } = await createEndpoints(world);
  ({ tokenOf } = of);
  const serve = withSessions(() => {
    const server = guard(new McpServer({ name: 'a', version: '1' }));
    const content = [{ type: 'text' as const, text: 'secret' }];
    server.registerTool('totals', {}, async () => ({ content }));
    const inputSchema = { place: z.string(), amount: z.number() };
    server.registerTool('pay', { inputSchema }, async () => ({ content }));
    return server;
  });
  endpoint = mcpEndpoint({ ...options, issuers: BY_ISSUER }, serve);
});

/** A session in which a tool was called, and how its stream is taken up again. */
async function session(claims?: object, tools: readonly object[] = [{ name: 'totals', arguments: {} }]) {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${await tokenOf('ann', claims)}` };
  const post = (body: object, more: object = {}) =>
    endpoint(
      new Request(RESOURCE, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      }),
    );
  const clientInfo = { name: 'c', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await post({ id: 0, method: 'initialize', params });
  await opened.text();
  const of = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  let text = '';
  for (const [at, tool] of tools.entries())
    text = await (await post({ id: at + 1, method: 'tools/call', params: tool }, of)).text();
  const first = /^id: (.*)$/m.exec(text)?.[1] ?? '';
  const resume = async (more: object = of) => {
    const stream = new AbortController();
    const given = { ...headers, ...more, 'last-event-id': first };
    const answer = await endpoint(new Request(RESOURCE, { headers: given, signal: stream.signal }));
    const chunk = answer.status === 200 ? await answer.body?.getReader().read() : undefined;
    return { status: answer.status, text: new TextDecoder().decode(chunk?.value) };
  };
  return { text, resume };
}

const AGENT = { azp: 'bot', mandate: 'one' };

test('a stream is taken up again', async () => {
  for (const claims of [undefined, AGENT]) {
    const { text, resume } = await session(claims);
    expect(text).toContain('secret');
    expect(await resume()).toEqual({ status: 200, text: expect.stringContaining('secret') });
  }
});

test('not without its session', async () => {
  const { resume } = await session();
  expect((await resume({})).status).toBe(403);
  expect((await resume({ 'mcp-session-id': 'guessed' })).status).toBe(404);
});

describe.each<[string, object | undefined, string, Record<string, unknown>, number]>([
  [
    'the right is lost',
    undefined,
    'assignment.delete',
    { user: 'ann', role: 'clerk', scope: 'location:north' },
    403,
  ],
  ['the agent loses the right', AGENT, 'grant.delete', { user: 'agent:bot', scope: 'tenant:acme' }, 403],
  ['the mandate is ended', AGENT, 'mandate.end', { id: 'one' }, 401],
])('not when %s', (_what, claims, command, input, status) => {
  test('since', async () => {
    const { resume } = await session(claims);
    await world.run(command, input);
    world.settle();
    expect(await resume()).toEqual({ status, text: '' });
  });
});

test('not when more was allowed than is remembered', async () => {
  const pay = (amount: number) => ({ name: 'pay', arguments: { place: 'north', amount } });
  const some = Array.from({ length: 100 }, (_, amount) => pay(amount));
  expect((await (await session(undefined, [...some, pay(0)])).resume()).status).toBe(200);
  expect((await (await session(undefined, [...some, pay(100)])).resume()).status).toBe(403);
});
