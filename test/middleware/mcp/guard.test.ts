import * as v1 from '@modelcontextprotocol/sdk/server/mcp.js';
import { ReadResourceRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Engine } from '../../../engine/index.ts';
import { authorizationOf, type McpGuardOptions, mcpGuard } from '../../../middleware/mcp/index.ts';
import { askingOver, createInvoices, type Invoices, RULES, reasonIn, VERSIONS } from './invoices.ts';

let world: Invoices;
let engine: Engine;
beforeAll(async () => {
  world = await createInvoices();
  engine = world.newEngine();
});

const as = (user: string, more: Partial<McpGuardOptions> = {}): McpGuardOptions => ({
  ...RULES,
  engine,
  caller: `user:${user}`,
  now: world.clock.now,
  ...more,
});

describe.each(VERSIONS)('%s', (_, connect) => {
  const call = async (
    user: string,
    name: string,
    given: object = {},
    more: Partial<McpGuardOptions> = {},
  ) => {
    const { ask, ran } = await connect(as(user, more));
    const answer = await ask('tools/call', { name, arguments: given });
    return { answer, ran, reason: reasonIn(answer) };
  };

  test('a tool runs where the caller may, and finds the decision', async () => {
    const { answer, ran } = await call('ann', 'read', { place: 'north' });
    expect(answer.result.content).toEqual([{ type: 'text', text: 'read user:ann location:north' }]);
    expect(ran).toHaveLength(1);
    expect(authorizationOf(ran[0]?.extra ?? {})).toMatchObject({ tenant: 'tenant:acme', reason: 'role' });
  });

  test('… and does not run elsewhere: the result has the reason, and a model can read it', async () => {
    const { answer, ran } = await call('ann', 'read', { place: 'south' });
    expect(answer.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'refused: no_grant' }],
      _meta: { 'gatehouse/reason': 'no_grant' },
    });
    expect(ran).toEqual([]);
  });

  test('it is decided on the arguments that the schema gives, and the handler gets these, frozen', async () => {
    const { ran } = await call('ann', 'pay', { place: ' north ', amount: '12' });
    expect(ran[0]?.args).toEqual({ place: 'north', amount: 12 });
    const deep = { place: 'north', lines: [{ amount: 1 }] };
    const [{ args } = { args: undefined }] = (await call('ann', 'read', deep)).ran;
    const { lines } = args as unknown as typeof deep;
    expect([args, lines, lines[0]].every(Object.isFrozen)).toBe(true);
  });

  test('conditions see the arguments that the rule names', async () => {
    expect((await call('ann', 'pay', { place: 'north', amount: 500 })).ran).toHaveLength(1);
    expect((await call('ann', 'pay', { place: 'north', amount: 501 })).reason).toBe('no_grant');
    const unnamed = { tools: { pay: { ...RULES.tools.pay, action: [] } } };
    expect((await call('ann', 'pay', { place: 'north', amount: 1 }, unnamed)).reason).toBe(
      'condition_failed',
    );
  });

  test('a tool without a rule, or that does not exist, is refused alike', async () => {
    for (const name of ['secret', 'nothing', 'READ', 'read.', '__proto__', 'constructor', 'toString']) {
      const { answer, ran } = await call('ann', name, { place: 'north' });
      expect(answer.error, name).toMatchObject({ code: -32_003, data: { reason: 'unmapped' } });
      expect(ran).toEqual([]);
    }
  });

  test('lists hold what the caller may use; a scope that an argument names is not known before', async () => {
    const listed = async (user: string, more: Partial<McpGuardOptions> = {}) => {
      const { ask } = await connect(as(user, more));
      const of = async (method: string, field: string) =>
        (await ask(method)).result[field].map(({ name }: { name: string }) => name);
      return [
        await of('tools/list', 'tools'),
        await of('resources/list', 'resources'),
        await of('resources/templates/list', 'resourceTemplates'),
        await of('prompts/list', 'prompts'),
      ];
    };
    expect(await listed('ann')).toEqual([['read', 'pay', 'totals'], ['north'], ['invoice'], ['remind']]);
    expect(await listed('eve')).toEqual([['read', 'pay'], [], ['invoice'], []]);
    const listScopes = async (subject: string) => ({
      items: subject === 'user:ann' ? ['location:north'] : [],
    });
    expect(await listed('eve', { lists: { listScopes } })).toEqual([[], [], [], []]);
    expect((await listed('ann', { lists: { listScopes } }))[0]).toEqual(['read', 'pay', 'totals']);
  });

  test('resources and prompts are decided as tools are', async () => {
    const { ask, ran } = await connect(as('ann'));
    const reasonOf = async (method: string, params: object) => reasonIn(await ask(method, params));
    expect(await reasonOf('resources/read', { uri: 'invoices://north' })).toBeUndefined();
    expect(await reasonOf('resources/read', { uri: 'invoices://north/17' })).toBeUndefined();
    expect(await reasonOf('prompts/get', { name: 'remind' })).toBeUndefined();
    expect(ran.map(({ name }) => name)).toEqual(['north', 'invoice', 'remind']);
    expect(await reasonOf('resources/read', { uri: 'invoices://south/17' })).toBe('no_grant');
    expect(await reasonOf('resources/read', { uri: 'invoices://hidden' })).toBe('unmapped');
    expect(await reasonOf('resources/read', { uri: 'file:///etc/passwd' })).toBe('unmapped');
    expect(await reasonOf('prompts/get', { name: 'threaten' })).toBe('unmapped');
    expect(ran).toHaveLength(3);
  });

  test('what else a client sends is refused, but for the first words of a connection', async () => {
    const { ask } = await connect(as('ann'));
    for (const method of [
      'resources/subscribe',
      'completion/complete',
      'tasks/get',
      'tasks/cancel',
      'admin/reset',
    ])
      expect(
        (await ask(method, { uri: 'invoices://hidden', taskId: 't', ref: {} })).error,
        method,
      ).toBeDefined();
    const discovered = await ask('server/discover');
    expect(reasonIn(discovered)).toBeUndefined();
  });

  test('nobody, and a caller that is no reference, may nothing', async () => {
    for (const caller of [undefined, async () => undefined]) {
      const { ask, ran } = await connect({ ...as('ann'), caller });
      expect(reasonIn(await ask('tools/call', { name: 'totals', arguments: {} }))).toBe('credential_refused');
      expect((await ask('tools/list')).error?.data).toEqual({ reason: 'credential_refused' });
      expect(ran).toEqual([]);
    }
  });

  test('a fault is no decision: nothing runs, nothing is listed, and it is reported', async () => {
    const faults: unknown[] = [];
    const failing = () => Promise.reject(new Error('secret of the table'));
    const broken = { ...engine, checkAsked: failing, checkManyAsked: failing };
    const { ask, ran } = await connect(as('ann', { engine: broken, onFault: (error) => faults.push(error) }));
    const called = await ask('tools/call', { name: 'totals', arguments: {} });
    const listed = await ask('tools/list');
    expect(reasonIn(called)).toBe('unavailable');
    expect(listed.error).toEqual({
      code: -32_603,
      message: 'refused: unavailable',
      data: { reason: 'unavailable' },
    });
    expect(JSON.stringify([called, listed])).not.toContain('secret');
    expect(faults).toHaveLength(2);
    expect(ran).toEqual([]);
  });

  test('another callback, and another schema, stay behind the guard', async () => {
    const { ask, ran, pay, server } = await connect(as('ann'));
    if (server.isConnected()) {
      pay.update({ callback: () => ran.push({ name: 'replaced', args: {}, extra: {} }) });
      expect(
        reasonIn(await ask('tools/call', { name: 'pay', arguments: { place: 'south', amount: 1 } })),
      ).toBe('no_grant');
      pay.update({ paramsSchema: { amount: z.number() } });
      expect(reasonIn(await ask('tools/call', { name: 'pay', arguments: { amount: 1 } }))).toBe(
        'scope_unknown',
      );
      pay.update({ name: 'totals' });
      expect(reasonIn(await ask('tools/call', { name: 'totals', arguments: { amount: 1 } }))).toBe(
        'unmapped',
      );
    }
    expect(ran).toEqual([]);
  });

  test('a handler finds no token', async () => {
    const authInfo = { token: 'secret', clientId: 'me', scopes: [], extra: { kept: true } };
    const { ask, ran } = await connect(as('ann'), { authInfo });
    await ask('tools/call', { name: 'totals', arguments: {} });
    const [{ extra } = { extra: {} }] = ran;
    const { authInfo: first, http } = extra as {
      authInfo?: object;
      http?: { authInfo: object; req?: Request };
    };
    expect(first ?? http?.authInfo).toEqual({ ...authInfo, token: '' });
    expect(http?.req?.headers.get('authorization') ?? null).toBeNull();
  });
});

test('a server is guarded before anything is registered, and rules are checked when the guard is made', () => {
  const server = new v1.McpServer({ name: 'a', version: '1' });
  server.registerTool('early', {}, async () => ({ content: [] }));
  expect(() => mcpGuard(as('ann'))(server)).toThrow(expect.objectContaining({ field: 'server' }));
  const guarded = mcpGuard(as('ann'))(new v1.McpServer({ name: 'a', version: '1' }));
  expect(() => guarded.tool('late', async () => ({ content: [] }))).toThrow(/newer name/);
  const rule = { permission: 'p', scope: 'tenant:acme' };
  for (const [field, more] of [
    ['engine', { engine: {} }],
    ['use', { use: true }],
    ['tools.a.permission', { tools: { a: { ...rule, permission: '' } } }],
    ['tools.a.scope', { tools: { a: { ...rule, scope: 'tenant' } } }],
    ['prompts.a.scope', { prompts: { a: { ...rule, scope: 'tenant:{header:x-tenant}' } } }],
    ['resources.a.action', { resources: { a: { ...rule, scope: 'tenant:{x}', action: 'x' } } }],
  ] as const)
    expect(() => mcpGuard({ ...as('ann'), ...more } as unknown as McpGuardOptions)).toThrow(
      expect.objectContaining({ field }),
    );
});

test('a result that the guard did not allow does not leave, whoever made it', async () => {
  const server = mcpGuard(as('ann'))(new v1.McpServer({ name: 'a', version: '1' }));
  server.registerResource('north', 'invoices://north', {}, async () => ({ contents: [] }));
  server.server.setRequestHandler(ReadResourceRequestSchema, () => ({
    contents: [{ uri: 'x:y', text: 'all' }],
  }));
  const ask = await askingOver(server);
  expect((await ask('resources/read', { uri: 'invoices://north' })).error?.data).toEqual({
    reason: 'unmapped',
  });
});
