import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type EmbeddedEngine, startEmbeddedEngine } from '../../local/embedded-engine.ts';

/**
 * How long the first answer of the installed command line takes, beside `node -e 0` in the same rounds. On two quiet cores
 * it is 1.5 times as long for the version, and 9.3 times for a check.
 */
const MAIN = join(inject('installed'), 'node_modules/gatehouse-authz/dist/cli/main.js');
const MANIFEST = fileURLToPath(new URL('../../docs/examples/first.manifest.yaml', import.meta.url));
const [LEAST_ROUNDS, MOST_ROUNDS] = [5, 60];
/** Bounds, in times of `node -e 0`. */
const [VERSION, CHECK] = [2.2, 12];

let engine: EmbeddedEngine;
let stack: ChildProcess;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  engine = await startEmbeddedEngine();
  env = { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint, TABLE_NAME: 'gatehouse' };
  const ports = ['--port', '0', '--lambda-port', '0'];
  stack = spawn(process.execPath, [MAIN, 'dev', MANIFEST, ...ports], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'] as const,
  });
  await new Promise<void>((resolve, reject) => {
    stack.once('exit', () => reject(new Error('gatehouse dev ended')));
    stack.stdout?.on('data', (chunk: Buffer) => {
      if (/^[a-z]+ http:\S+$/m.test(chunk.toString())) resolve();
    });
  });
});
afterAll(async () => {
  stack.kill('SIGINT');
  await engine.stop();
});

/** Milliseconds of a run of Node with these arguments. */
function timeOf(args: readonly string[]): number {
  const began = performance.now();
  execFileSync(process.execPath, args, { env });
  return performance.now() - began;
}

test('takes at most 2.2 times as long for its version, and twelve times for a check', () => {
  const lines = [
    ['-e', '0'],
    [MAIN, '--version'],
    [MAIN, 'check', 'ann@example.com', 'reports', 'acme'],
  ];
  // The quickest of each: what else the machine does makes all of them slower, and asks for more rounds.
  const quickest = lines.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (const [line, args] of lines.entries())
      quickest[line] = Math.min(quickest[line] as number, timeOf(args));
    const [node = 0, version = 0, check = 0] = quickest;
    if (round >= LEAST_ROUNDS && version / node < VERSION && check / node < CHECK) break;
  }
  const [node = 0, version = 0, check = 0] = quickest;
  console.log(
    `node -e 0: ${node.toFixed()} ms; --version ${version.toFixed()} ms; check ${check.toFixed()} ms`,
  );
  expect(version / node).toBeLessThan(VERSION);
  expect(check / node).toBeLessThan(CHECK);
});
