import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createNodeServer } from '../../authorizer/service/node-server.ts';
import { createHandleFrom } from '../../authzen/compose.ts';
import { createManifestTable } from '../../cli/serve/manifest-table.ts';
import { createCertificationFixture } from '../authzen/certification/fixture.ts';
import { send, serve } from '../authzen/support.ts';
import { fileOf, removeFiles } from '../cli/support.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listening.ts';
import { NO_LOG } from '../support/log.ts';
import { createWorld } from '../support/world.ts';

/** The clients of docs/authzen.md, each run where its tool is. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(ROOT, 'docs/examples/authzen');
const DOCUMENT = readFileSync(join(ROOT, 'docs/authzen.md'), 'utf8');
const firstBlock = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(DOCUMENT)?.[1] ?? '';
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clients-'));

const world = await createWorld();
const token = await createCertificationFixture(world);
world.settle();
const server = createNodeServer({
  handle: serve({ world }),
  isReachable: async () => true,
  maxRequests: 100,
  graceMs: 0,
  log: NO_LOG,
  clock: world.clock,
});
const url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
const env: Record<string, string> = { ...process.env, PDP_URL: url, PDP_TOKEN: token } as Record<
  string,
  string
>;
afterAll(removeFiles);
afterAll(() => rmSync(folder, { recursive: true }));
afterAll(() => server.stop());

const hasTool = (tool: string, ...args: string[]): boolean => spawnSync(tool, args).status === 0;

/** A client, the tool that it needs, what compiles it into a folder, and what runs it there. */
const CLIENTS: readonly (readonly [tool: string, compile: readonly string[], run: readonly string[]])[] = [
  ['python3', [], ['python3', 'client.py']],
  ['go', ['go', 'build', '-o', 'FOLDER/client', 'client.go'], ['FOLDER/client']],
  ['javac', ['javac', '-d', 'FOLDER', 'Client.java'], ['java', '-cp', 'FOLDER', 'Client']],
];

/** Runs a line with these arguments, in the folder of the examples. */
const runLine = (line: readonly string[], given: Readonly<Record<string, string>> = env) => {
  const [tool = '', ...args] = line.map((word) => word.replace('FOLDER', folder));
  return run(tool, args, { cwd: EXAMPLES, env: given });
};

describe.each(CLIENTS)('the client for %s', (tool, compile, line) => {
  const client = test.skipIf(!hasTool(tool, tool === 'go' ? 'version' : '--version'));
  let compiled: Promise<unknown> | undefined;
  const ask = async (changes: Readonly<Record<string, string>> = {}, ...names: readonly string[]) => {
    if (compile.length > 0) compiled ??= runLine(compile);
    await compiled;
    return runLine([...line, ...names], { ...env, ...changes });
  };

  client('gets decisions', () =>
    // Again where the machine is too slow for the client's own timeout: that is a deny.
    eventually(async () => {
      const { stdout } = await ask();
      expect(stdout).toBe('alice write record-1: allow\nbob write record-1: deny\n');
    }),
  );

  client('takes a fault for a deny', async () => {
    const { stdout } = await ask({ PDP_TOKEN: 'wrong' });
    expect(stdout).not.toContain('allow');
  });

  client('takes whatever is no decision for a deny, and goes where it is sent by nobody', async () => {
    const yes = '{"decision":true}';
    const faults: readonly [status: number, body: string, headers?: Record<string, string>][] = [
      [307, '', { location: `${env.PDP_URL}/access/v1/evaluation` }],
      [303, '', { location: '/yes' }],
      [201, yes],
      [500, yes],
      [200, '[true]'],
      [200, 'null'],
      [200, '{"decision":"true"}'],
      [200, yes, { 'content-length': '1000' }],
    ];
    const asked: string[] = [];
    const PDP_URL = await listen((request, response) => {
      const [status, body, headers] = faults[asked.length % faults.length] ?? [500, ''];
      asked.push(String(request.url));
      if (request.url === '/yes') return void response.end(yes);
      response.writeHead(status, headers).end(body, () => response.destroy());
    });
    // Who takes names asks once for each fault, as it takes long to start; the others ask two by two.
    while (asked.length < faults.length) {
      const before = asked.length;
      const { stdout } = await ask({ PDP_URL }, ...faults.map(() => 'alice'));
      expect(stdout.match(/: \w+$/gm), `fault ${before}`).toEqual(
        Array(asked.length - before).fill(': deny'),
      );
    }
    expect(new Set(asked)).toEqual(new Set(['/access/v1/evaluation']));
  });
});

test.skipIf(!hasTool('java', '--version'))(
  'the client for java, as its document starts it, asks about no name that is not one',
  async () => {
    const names = ['bob"},"subject":{"type":"user","id":"alice', '', 'alice\n'];
    const { stdout } = await runLine(['java', 'Client.java', 'alice', ...names]);
    expect(stdout.match(/: \w+$/gm)).toEqual([': allow', ': deny', ': deny', ': deny']);
  },
);

test('the invoice of the document, which no table keeps, is decided at the tenant that is passed', async () => {
  const question = JSON.parse(firstBlock('json'));
  const file = fileOf(firstBlock('yaml'));
  const { reader, token, close } = await createManifestTable(file, {}, Date.now);
  onTestFinished(close);
  const handle = createHandleFrom({ TABLE_NAME: 'manifest' }, { reader, log: () => undefined });
  const ask = async (resource: object) => {
    const body = { ...question, resource: { ...question.resource, ...resource } };
    const { json } = await send(handle, '/access/v1/evaluation', { token, body });
    return [json.decision, json.context.reason];
  };
  expect(await ask({})).toEqual([true, 'role']);
  expect(await ask({ id: 'any other' })).toEqual([true, 'role']);
  expect(await ask({ properties: { tenant: 'other' } })).toEqual([false, 'scope_unknown']);
  expect(await ask({ properties: {} })).toEqual([false, 'scope_unknown']);
  expect(await ask({ type: 'receipt' })).toEqual([false, 'scope_unknown']);
});

test.skipIf(!hasTool('curl', '--version'))('the curl lines of the document work as they stand', async () => {
  const blocks = [...DOCUMENT.matchAll(/```sh\n(curl [\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) {
    const { stdout } = await run('bash', ['-ec', block], { cwd: dirname(EXAMPLES), env });
    expect(() => JSON.parse(stdout), block).not.toThrow();
  }
});
