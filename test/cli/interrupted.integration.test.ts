import { afterAll, expect, test } from 'vitest';
import { createWritten } from '../../cli/written.ts';
import { createWorld } from '../support/world.ts';
import { createProxy } from './bulk/support.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Ctrl-C in subcommands that do not listen to it: one line says what was written, and how to go on. */
afterAll(removeFiles);

/** Runs the command line, and sends a signal when it makes this call for the n-th time; the call is answered late. */
async function interruptedAt(operation: string, nth: number) {
  const world = await createWorld();
  let listener: (() => void) | undefined;
  let calls = 0;
  const proxy = await createProxy(world.endpoint, (each) => {
    if (each !== operation || ++calls !== nth) return 'pass';
    listener?.();
    return 'delay';
  });
  const env = { TABLE_NAME: world.table, DYNAMODB_ENDPOINT: proxy.endpoint };
  const onInterrupt = (given: () => void) => {
    listener = given;
    return () => {
      listener = undefined;
    };
  };
  const run = (...args: readonly string[]) => gatehouse(args, { env, onInterrupt });
  return { world, run, isListening: () => listener !== undefined };
}

const MANIFEST = 'scopes: { acme: { type: tenant, id: acme } }\nroles: { reader: { allow: [] } }\n';

test.each([
  ['plan', [fileOf(MANIFEST)]],
  ['apply', [fileOf(MANIFEST), '--yes']],
  ['check', ['ann@example.com', 'invoices.read', 'tenant:t1']],
  ['export', []],
])('%s that reads: nothing was written', async (name, args) => {
  const { run } = await interruptedAt('BatchGetItem', 1);
  expect(await run(name, ...args)).toEqual({
    code: 2,
    out: '',
    error: `gatehouse ${name}: interrupted: nothing was written\n`,
  });
});

test('a command that has no answer yet: it is not known, and its operation is repeated', async () => {
  const { run, world } = await interruptedAt('TransactWriteItems', 1);
  const args = ['command', 'user.create', 'email=ann@example.com', '--operation', 'mine'];
  expect(await run(...args)).toEqual({
    code: 2,
    out: '',
    error:
      'gatehouse command: interrupted: 0 writes done, and of 1 more it is not known; ' +
      'run it again with --operation mine: nothing is done twice\n',
  });
  const { code } = await run(...args);
  expect(code).toBe(0);
  expect(await world.run('user.read', { email: 'ann@example.com' })).toMatchObject({
    email: 'ann@example.com',
  });
});

test('several writes: those that were answered are counted, and refusals are none', async () => {
  const written = createWritten();
  const isDone = (answer: string) => answer === 'done';
  for (const answer of ['done', 'done', 'refused']) await written.note(async () => answer, { isDone });
  expect(written.interrupted()).toMatchObject({
    message: 'interrupted: 2 writes done',
    operationId: undefined,
  });
  void written.note(() => new Promise(() => {}), { operationId: 'op-1' });
  expect(written.interrupted()).toMatchObject({
    message: 'interrupted: 2 writes done, and of 1 more it is not known',
    operationId: 'op-1',
  });
});

test('who listens no more does not keep the signal', async () => {
  const { run, isListening } = await interruptedAt('none', 1);
  expect((await run('help')).code).toBe(0);
  expect(isListening()).toBe(false);
});
