import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { type EmbeddedEngine, startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { createServiceClient } from '../../table/dynamodb/client.ts';
import { eventually } from '../support/eventually.ts';
import { fileOf, gatehouse as gatehouseWith, removeFiles } from './support.ts';

/** `gatehouse test` on tables of an engine. What it prints: transcripts/model-tests.txt. */
afterAll(removeFiles);

// An engine that nobody else uses: which tables are left on it is asked for.
const engine: EmbeddedEngine = await startEmbeddedEngine();
afterAll(() => engine.stop());

const gatehouse: typeof gatehouseWith = (words, changes = {}) =>
  gatehouseWith(words, { ...changes, env: { DYNAMODB_ENDPOINT: engine.endpoint, ...changes.env } });

const tablesLeft = async (): Promise<readonly string[]> => {
  const { TableNames = [] } = await createServiceClient({ endpoint: engine.endpoint }).send(
    new ListTablesCommand({}),
  );
  return TableNames.filter((name) => name.startsWith('gatehouse-test-'));
};
afterAll(async () => expect(await tablesLeft()).toEqual([]));

test('the example passes on an engine that is started for it', async () => {
  const env = { DYNAMODB_ENDPOINT: undefined };
  const { code, out } = await gatehouse(['test', 'docs/examples/school.test.yaml'], { env });
  expect({ code, ends: out.endsWith(', 0 failed\n') }).toEqual({ code: 0, ends: true });
});

test('an interruption stops what was started', async () => {
  const listeners: (() => void)[] = [];
  const onInterrupt = (listener: () => void) => {
    listeners.push(listener);
    return () => undefined;
  };
  const started = eventually(async () => expect(await tablesLeft()).not.toEqual([]));
  // All at once, as with a signal: who is told later finds the table while it is removed.
  void started.then(() => {
    for (const listener of listeners) listener();
  });
  const users = Array.from({ length: 500 }, (_, each) => `u${each}:`).join(', ');
  const file = fileOf(`manifest: { pages: [home], scopes: { here: { type: tenant } }, users: { ${users} } }
tests: [{ subject: u1, permission: home, scope: here, expect: deny }]`);
  const { code, out, error } = await gatehouse(['test', file], { onInterrupt });
  expect({ code, out, error }).toEqual({ code: 2, out: '', error: 'gatehouse test: interrupted\n' });
  expect(await tablesLeft()).toEqual([]);
});
