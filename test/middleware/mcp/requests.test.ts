import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { beforeEach, expect, test } from 'vitest';
import { mcpGuard } from '../../../middleware/mcp/index.ts';
import { until } from '../../support/eventually.ts';
import { createInvoices, type Invoices, RULES } from './invoices.ts';

/** Requests under way on one connection: each has one answer, whatever ids its client chooses. */
// biome-ignore lint/suspicious/noExplicitAny: messages of any form
type Message = any;

let world: Invoices;
let answers: Message[];
let send: (message: Message) => Promise<void>;
/** Lets the tool `totals` end, call by call. */
let ends: (() => void)[];
/** What the tool says meanwhile, in the stream of its request. */
let notes: (() => Promise<void>)[];
/** The ids under which its calls came. */
let ids: unknown[];
let look: Promise<void> | undefined;
/** How many completions reached the server. */
let completed: number;

beforeEach(async () => {
  world = await createInvoices();
  [answers, ends, notes, ids, look] = [[], [], [], [], undefined];
  const engine = world.newEngine();
  const checkAsked: typeof engine.checkAsked = async (...asked) => {
    await look;
    return engine.checkAsked(...asked);
  };
  const guard = mcpGuard({
    ...RULES,
    engine: { ...engine, checkAsked },
    caller: 'user:ann',
    now: world.clock.now,
  });
  const server = guard(new McpServer({ name: 'a', version: '1' }, { capabilities: { logging: {} } }));
  server.registerTool('totals', {}, (extra) => {
    const params = { level: 'info', data: ends.length } as const;
    ids.push(extra.requestId);
    notes.push(() => extra.sendNotification({ method: 'notifications/message', params }));
    const text = String(ends.length);
    return new Promise((resolve) => ends.push(() => resolve({ content: [{ type: 'text', text }] })));
  });
  completed = 0;
  server.server.fallbackRequestHandler = async () => {
    completed += 1;
    return {};
  };
  server.registerPrompt('remind', {}, () => ({ messages: [] }));
  const [here, there] = InMemoryTransport.createLinkedPair();
  const options: unknown[] = [];
  const handed = there.send.bind(there);
  there.send = (message, given) => {
    options.push(given?.relatedRequestId);
    return handed(message, given);
  };
  here.onmessage = (message) => void answers.push({ ...message, within: options.at(-1) });
  await here.start();
  await server.connect(there);
  send = (message) => here.send({ jsonrpc: '2.0', ...message });
});

const CALL = { method: 'tools/call', params: { name: 'totals', arguments: {} } };
const cancel = (requestId: unknown) => send({ method: 'notifications/cancelled', params: { requestId } });
/** Until all that can go on has gone on. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('an id is of one request at a time, and free again with its answer', async () => {
  await send({ ...CALL, id: 7 });
  await until(() => ends.length === 1);
  await send({ method: 'ping', id: 7 });
  expect(answers).toMatchObject([{ id: 7, error: { data: { reason: 'id_in_use' } } }]);
  ends[0]?.();
  await until(() => answers.length === 2);
  await send({ method: 'ping', id: 7 });
  await until(() => answers.length === 3);
  expect(answers.slice(1)).toMatchObject([
    { id: 7, result: { content: [{ text: '0' }] } },
    { id: 7, result: {} },
  ]);
});

test('an id is free again when its request is cancelled, and the late answer is nobody’s', async () => {
  await send({ ...CALL, id: 7 });
  await until(() => ends.length === 1);
  await cancel(7);
  await send({ ...CALL, id: 7 });
  await until(() => ends.length === 2);
  ends[0]?.();
  await settled();
  expect(answers).toEqual([]);
  ends[1]?.();
  await until(() => answers.length === 1);
  expect(answers).toMatchObject([{ id: 7, result: { content: [{ text: '1' }] } }]);
});

test('the second request of an id can be cancelled, too', async () => {
  for (const _ of [1, 2, 3]) {
    await send({ ...CALL, id: 'a' });
    await until(() => ends.length === ids.length);
    await cancel('a');
  }
  for (const end of ends) end();
  await send({ method: 'ping', id: 'a' });
  await until(() => answers.length === 1);
  expect(answers).toMatchObject([{ id: 'a', result: {} }]);
});

test('what is cancelled before it is decided never runs, and is not answered', async () => {
  let go = () => {};
  look = new Promise((resolve) => {
    go = resolve;
  });
  // This one is decided before it is handed to the server.
  const params = { ref: { type: 'ref/prompt', name: 'remind' }, argument: { name: 'a', value: 'b' } };
  for (const id of [1, 2]) await send({ method: 'completion/complete', id, params });
  await cancel(2);
  go();
  await until(() => answers.length === 1);
  await settled();
  expect(answers.map(({ id }) => id)).toEqual([1]);
  expect(completed).toBe(1);
});

test('a client cannot cancel by the id of another one, nor by one that it guesses', async () => {
  await send({ ...CALL, id: 1 });
  await until(() => ends.length === 1);
  for (const guess of ['1', ids[0], 'request-1', 0, null, undefined, { id: 1 }]) await cancel(guess);
  ends[0]?.();
  await until(() => answers.length === 1);
  expect(answers).toMatchObject([{ id: 1, result: { content: [{ text: '0' }] } }]);
});

test('what a handler says goes into the stream of its request', async () => {
  await send({ ...CALL, id: 'mine' });
  await until(() => ends.length === 1);
  expect(ids).not.toContain('mine');
  await notes[0]?.();
  expect(answers).toMatchObject([{ method: 'notifications/message', within: 'mine' }]);
  ends[0]?.();
});
