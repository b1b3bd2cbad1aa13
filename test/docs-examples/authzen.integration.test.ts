import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNodeServer, type NodeServer } from '../../authzen/node-server.ts';
import { createCertificationFixture } from '../authzen/certification/fixture.ts';
import { serve } from '../authzen/support.ts';
import { createWorld } from '../support/world.ts';

/** The clients of docs/authzen.md, each run where its tool is. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(ROOT, 'docs/examples/authzen');
const run = promisify(execFile);
let server: NodeServer;
let env: Record<string, string>;

beforeAll(async () => {
  const world = await createWorld();
  const token = await createCertificationFixture(world);
  world.settle();
  server = createNodeServer({
    handle: serve({ world }),
    isReachable: async () => true,
    maxRequests: 100,
    graceMs: 0,
    log: () => undefined,
    clock: world.clock,
  });
  const url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  env = { ...process.env, PDP_URL: url, PDP_TOKEN: token } as Record<string, string>;
});
afterAll(() => server.stop());

const hasTool = (tool: string, ...args: string[]): boolean => spawnSync(tool, args).status === 0;

describe.each([
  ['python3', ['client.py'], ['--version']],
  ['go', ['run', 'client.go'], ['version']],
  ['java', ['Client.java'], ['--version']],
] as const)('the client for %s', (tool, args, version) => {
  const client = test.skipIf(!hasTool(tool, ...version));
  const options = () => ({ cwd: EXAMPLES, env });

  client('gets decisions', async () => {
    const { stdout } = await run(tool, [...args], options());
    expect(stdout).toBe('alice write record-1: allow\nbob write record-1: deny\n');
  });

  client('takes a fault for a deny', async () => {
    const { stdout } = await run(tool, [...args], { ...options(), env: { ...env, PDP_TOKEN: 'wrong' } });
    expect(stdout).not.toContain('allow');
  });
});

test.skipIf(!hasTool('curl', '--version'))('the curl lines of the document work as they stand', async () => {
  const document = readFileSync(join(ROOT, 'docs/authzen.md'), 'utf8');
  const blocks = [...document.matchAll(/```sh\n(curl [\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(3);
  for (const block of blocks) {
    const { stdout } = await run('bash', ['-ec', block], { cwd: dirname(EXAMPLES), env });
    expect(() => JSON.parse(stdout), block).not.toThrow();
  }
});
