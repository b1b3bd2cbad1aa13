import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { mcpGuard } from '../../../middleware/mcp/index.ts';
import { createMandates } from '../../../provisioning/index.ts';
import {
  askingOver,
  type Connected,
  createInvoices,
  giveMandate,
  type Invoices,
  RULES,
  reasonIn,
} from './invoices.ts';

/** Tasks of MCP: of whoever made them, for as long as the call is allowed that made them. */
let world: Invoices;
let taskStore: InMemoryTaskStore;
let connect: (who: string) => Promise<Connected['ask']>;
beforeEach(async () => {
  world = await createInvoices();
  taskStore = new InMemoryTaskStore();
  for (const id of ['one', 'other']) await giveMandate(world, { id });
  await giveMandate(world, { id: 'counted', budget: { uses: 1 } });
  const guard = mcpGuard({
    ...RULES,
    engine: world.newEngine(),
    use: createMandates(world).use,
    now: world.clock.now,
    caller: (extra) => {
      const [subject = '', mandate] = (extra.authInfo as { clientId: string }).clientId.split(' by ');
      if (mandate === undefined) return subject;
      return { subject, actor: { subject: 'agent:bot', mandate } };
    },
  });
  // A server for each connection, with one store, as the SDK has it.
  connect = async (who) => {
    const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
    const server = guard(new McpServer({ name: 'a', version: '1' }, { capabilities, taskStore }));
    server.experimental.tasks.registerToolTask(
      'totals',
      {},
      {
        createTask: async (extra) => ({
          task: await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 10 }),
        }),
        getTask: async (extra) => extra.taskStore.getTask(extra.taskId),
        getTaskResult: async (extra) => extra.taskStore.getTaskResult(extra.taskId) as never,
      },
    );
    return askingOver(server, { authInfo: { token: 't', clientId: `user:${who}`, scopes: [] } });
  };
});

const CLERK = { user: 'ann', role: 'clerk', scope: 'location:north' };
const TASK = { name: 'totals', arguments: {}, task: { ttl: 60_000 } };
const make = async (ask: Connected['ask']): Promise<string> =>
  (await ask('tools/call', TASK)).result.task.taskId;
const complete = (taskId: string) =>
  taskStore.storeTaskResult(taskId, 'completed', { content: [{ type: 'text', text: 'secret' }] });

test('are of the caller who made them', async () => {
  const [ann, eve] = [await connect('ann'), await connect('eve')];
  const taskId = await make(ann);
  expect((await ann('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    expect(reasonIn(await eve(method, { taskId })), method).toBe('task_unknown');
  expect(reasonIn(await ann('tasks/get', { taskId: 'another' }))).toBe('task_unknown');
  const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
  expect(reasonIn(await eve('tools/list', related))).toBe('task_unknown');
  const listed = async (ask: typeof ann) => (await ask('tasks/list')).result.tasks.length;
  expect([await listed(ann), await listed(eve)]).toEqual([1, 0]);
  expect((await ann('tasks/cancel', { taskId })).result.status).toBe('cancelled');
});

test('… and of the mandate by which that was', async () => {
  const [one, other] = [await connect('ann by mandate:one'), await connect('ann by mandate:other')];
  const taskId = await make(one);
  expect((await one('tasks/get', { taskId })).result).toMatchObject({ taskId });
  expect(reasonIn(await other('tasks/result', { taskId }))).toBe('task_unknown');
});

test('are not made by who may not', async () => {
  expect(reasonIn(await (await connect('eve'))('tools/call', TASK))).toBe('no_grant');
});

test('of a mandate with a budget are counted when they are made, and then read', async () => {
  const ask = await connect('ann by mandate:counted');
  const taskId = await make(ask);
  await complete(taskId);
  expect(reasonIn(await ask('tools/call', TASK))).toBe('budget_spent');
  expect((await ask('tasks/result', { taskId })).result).toMatchObject({ content: [{ text: 'secret' }] });
});

describe.each<[string, string, string, Record<string, unknown>, string]>([
  ['a user loses the right', 'ann', 'assignment.delete', CLERK, 'no_grant'],
  ['the mandate is ended', 'ann by mandate:one', 'mandate.end', { id: 'one' }, 'credential_refused'],
  [
    'the agent loses the right',
    'ann by mandate:one',
    'grant.delete',
    { user: 'agent:bot', scope: 'tenant:acme' },
    'actor_no_grant',
  ],
  [
    'the mandate with a budget is ended',
    'ann by mandate:counted',
    'mandate.end',
    { id: 'counted' },
    'credential_refused',
  ],
])('when %s', (_what, who, command, input, reason) => {
  const change = async () => {
    await world.run(command, input);
    world.settle();
  };

  test('nothing of a task is handed out any more', async () => {
    const ask = await connect(who);
    const taskId = await make(ask);
    await complete(taskId);
    expect((await ask('tasks/result', { taskId })).result).toBeDefined();
    await change();
    for (const method of ['tasks/get', 'tasks/result'])
      expect(reasonIn(await ask(method, { taskId })), method).toBe(reason);
    const listed = await ask('tasks/list');
    expect(listed.result?.tasks ?? []).toEqual([]);
  });

  test('… nor to whoever waits for its result', async () => {
    const ask = await connect(who);
    const taskId = await make(ask);
    const waiting = ask('tasks/result', { taskId });
    await change();
    await complete(taskId);
    expect(reasonIn(await waiting)).toBe(reason);
  });
});

test('whoever lost the right may still cancel', async () => {
  const ask = await connect('ann');
  const taskId = await make(ask);
  await world.run('assignment.delete', CLERK);
  world.settle();
  expect((await ask('tasks/cancel', { taskId })).result.status).toBe('cancelled');
});
