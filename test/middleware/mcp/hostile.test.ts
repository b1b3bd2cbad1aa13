import { expect, test } from 'vitest';
import * as z from 'zod';
import { authorizationOf } from '../../../middleware/mcp/index.ts';
import { createRandom } from '../../proof/oracle/random.ts';
import { again, SEED } from '../../support/seed.ts';
import {
  connectFirst,
  createEndpoints,
  createInvoices,
  JSON_HEADERS,
  type Ran,
  RESOURCE,
  RULES,
} from './invoices.ts';

/** One rule for whatever is sent: no handler runs with anything that the engine does not allow. */
const REQUESTS = 200;
const NAMES = ['read', 'read', 'pay', 'pay', 'pay', 'totals', 'void', 'secret', 'rеad', '__proto__'];
const PLACES: readonly unknown[] = [
  ...Array(9).fill('north'),
  ...[' north ', 'south', 'acme', 'NORTH', 'north/../south', 'south\u0000north', 'tenant:acme', '*', ''],
  ...[['north'], { toString: 'north' }, null, 7, '__proto__', 'n%6Frth', '{place}', '\ufeffnorth'],
];
const AMOUNTS: readonly unknown[] = [1, 500, 501, '500', '0x1F5', '5e9', -1, 1.5, null, [499], true];
const OTHERS = [
  { user: 'user:ben' },
  { subject: 'user:ben', actor: 'agent:bot', mandate: 'mandate:any' },
  { context: { claims: { sub: 'ben' } }, action: { properties: { amount: 1 } } },
  { Place: 'south', PLACE: 'south', 'place ': 'south' },
];
const METHODS = [...Array(9).fill('tools/call'), 'Tools/Call', 'tools/call ', 'tools//call', 'prompts/get'];
const HEADERS = [
  { 'x-subject': 'user:ben' },
  { 'x-authorization': 'Bearer other', 'x-original-url': '/admin' },
  { 'x-amzn-oidc-identity': 'ben', forwarded: 'for=127.0.0.1' },
  { 'x-http-method-override': 'DELETE', 'x-tenant': 'acme' },
  { cookie: 'session=ben' },
];

test(`of ${REQUESTS} hostile requests none reaches a handler that the engine would refuse`, async () => {
  const world = await createInvoices();
  const engine = world.newEngine();
  const ran: Ran[] = [];
  const { tokenOf, first, second } = await createEndpoints(world, ran);
  const tokens: Record<string, string> = {};
  for (const user of ['ann', 'ben', 'eve']) tokens[user] = await tokenOf(user);
  const endpoints = [first({ maxBody: 65_536 }), second({ maxBody: 65_536 })] as const;

  const { below, oneIn, pick: of } = createRandom(SEED);
  const argumentsOf = () => ({ ...of(OTHERS), place: of(PLACES), amount: of(AMOUNTS) });
  /** A body with names that objects treat in their own way, or that come twice. */
  const bodyOf = (message: object): string => {
    const text = JSON.stringify(message);
    const kind = below(8);
    if (kind === 0) return `[${text},${text}]`;
    if (kind === 1) return text.replace('"place":', '"place":"south","place":');
    if (kind === 2) return text.replace('{', '{"__proto__":{"name":"totals","isAllowed":true},');
    if (kind === 3) return text.replace('"arguments":{', '"arguments":{"__proto__":{"place":"north"},');
    if (kind === 4) return text.replace('"params":{', `"params":{"padding":"${'x'.repeat(70_000)}",`);
    return text;
  };
  const metadataOf = (version: 0 | 1) => ({
    ...(version === 1 && {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }),
    ...(oneIn(6) && { 'io.modelcontextprotocol/related-task': { taskId: 'of-ben' } }),
  });

  async function send(user: string, version: 0 | 1): Promise<void> {
    const method = of([...METHODS, 'tasks/get', 'tasks/cancel', 'resources/read']);
    const uri = of([
      'invoices://north',
      'invoices://hidden',
      'invoices://south/1',
      'invoices://north/1',
      'INVOICES://south/1',
    ]);
    const params = {
      name: of(NAMES),
      arguments: argumentsOf(),
      uri,
      taskId: 'of-ben',
      _meta: metadataOf(version),
    };
    const headers = {
      ...JSON_HEADERS,
      ...(version === 1 && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }),
      ...of(HEADERS),
      authorization: `Bearer ${tokens[user]}`,
    };
    const body = bodyOf({ jsonrpc: '2.0', id: of([1, '1', 0, 'x']), method, params });
    const named = new Headers(headers);
    const name = method === 'resources/read' ? uri : params.name;
    if (version === 1 && /^[\x21-\x7e]+$/.test(name)) named.set('mcp-name', name);
    const answer = await endpoints[version](new Request(RESOURCE, { method: 'POST', headers: named, body }));
    await answer.text();
  }

  /** A tool whose schema changes after it was listed. */
  async function changing(user: string): Promise<void> {
    const {
      ask,
      pay,
      ran: seen,
    } = await connectFirst({ ...RULES, engine, caller: `user:${user}`, now: world.clock.now });
    await ask('tools/list');
    pay.update({
      paramsSchema: of([{ place: z.any() }, { place: z.string(), amount: z.any() }, { amount: z.number() }]),
    });
    await ask('tools/call', { name: 'pay', arguments: argumentsOf() });
    ran.push(...seen);
  }

  let allowed = 0;
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    ran.length = 0;
    const user = of(['ann', 'ann', 'ben', 'eve']);
    if (oneIn(10)) await changing(user);
    else await send(user, below(2) as 0 | 1);
    for (const { name, args, extra } of ran) {
      const { subject, scope } = authorizationOf(extra);
      const { place, amount } = args;
      const rule = { ...RULES.tools, ...RULES.resources, ...RULES.prompts }[name as keyof typeof RULES.tools];
      const isFrozen = Object.keys(args).length === 0 || Object.isFrozen(args);
      expect([name, subject, isFrozen], `${again()}, request ${sent}`).toEqual([name, `user:${user}`, true]);
      const asked = rule.scope.includes('{') ? `location:${place}` : rule.scope;
      expect(asked).toBe(scope);
      const given = name === 'pay' ? { action: { properties: { amount } } } : {};
      const decision = await world.newEngine().check(`user:${user}`, rule.permission, asked, given);
      expect(decision.allowed, `${again()}, request ${sent}: ${name} ${JSON.stringify(args)}`).toBe(true);
      allowed += 1;
    }
  }
  expect(allowed).toBeGreaterThan(3);
});
