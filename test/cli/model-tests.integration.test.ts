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

const WORLD = `
manifest:
  pages: [grades, home]
  scopes:
    school: { type: tenant }
    north: { type: location, parent: school }
  roles:
    teacher: { allow: [grades] }
  groups:
    teachers: { scope: north, roles: [teacher] }
  users:
    ann: { groups: [teachers] }
    ben:
`;

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

test('colours on a terminal only', async () => {
  const file = fileOf(`${WORLD}tests: [{ subject: ben, permission: grades, scope: north, expect: allow }]`);
  expect((await gatehouse(['test', file], { isTerminal: true })).out).toContain('\u001b[31mFAILED');
  expect((await gatehouse(['test', file])).out).not.toContain('\u001b');
  const env = { NO_COLOR: '1' };
  expect((await gatehouse(['test', file], { isTerminal: true, env })).out).not.toContain('\u001b');
});

test('--json prints data, with the explanation of failures', async () => {
  const { code, out } = await gatehouse([
    'test',
    '--json',
    fileOf(`${WORLD}
tests:
  - { name: seen, subject: ann, permission: grades, scope: north, at: 2026-03-01, expect: role }
  - { subject: ben, permission: grades, scope: north, at: 2026-03-01, expect: allow }
`),
  ]);
  const data = JSON.parse(out);
  expect(code).toBe(1);
  const at = '2026-03-01T00:00:00.000Z';
  expect(data).toMatchObject({
    passed: 1,
    failed: 1,
    files: [
      {
        tests: [
          { name: 'seen', passed: true, answers: [{ subject: 'ann', expect: 'role', at, allowed: true }] },
          {
            passed: false,
            answers: [
              { subject: 'ben', allowed: false, reason: 'no_grant', explanation: { allowed: false } },
            ],
          },
        ],
      },
    ],
  });
  expect(data.files[0].tests[0]?.answers[0]?.explanation).toBeUndefined();
});

test('more questions than one read can answer', async () => {
  const users = Array.from({ length: 150 }, (_, each) => `u${each}`);
  const lines = users.map(
    (name) => `- { subject: ${name}, permission: home, scope: here, expect: no_grant }`,
  );
  const { code, out } = await gatehouse([
    'test',
    fileOf(`
manifest:
  pages: [home]
  scopes: { here: { type: tenant } }
  users: { ${users.map((name) => `${name}:`).join(', ')} }
tests:
  ${lines.join('\n  ')}
`),
  ]);
  expect({ code, ends: out.endsWith('150 passed, 0 failed\n') }).toEqual({ code: 0, ends: true });
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
