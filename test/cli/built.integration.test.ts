import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The command line as it is published: compiled, and run by Node.js alone. */
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// Inside of the package, so that Node.js sees its package.json and its dependencies.
const DIST = join(ROOT, 'dist');
let built: string;
beforeAll(async () => {
  mkdirSync(DIST, { recursive: true });
  built = mkdtempSync(join(DIST, '.test-'));
  const args = ['--no-install', 'tsc', '-p', 'tsconfig.build.json', '--outDir', relative(ROOT, built)];
  await run('npx', args, { cwd: ROOT });
});
afterAll(() => rmSync(built, { recursive: true }));

test('it keeps its first line, and behaves as in the checkout', async () => {
  const main = join(built, 'cli', 'main.js');
  expect(readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    bin: { gatehouse: string };
  };
  expect(join(built, relative('dist', bin.gatehouse))).toBe(main);

  const help = await run(process.execPath, [main, '--help'], { cwd: ROOT });
  expect(help.stdout).toContain('Usage: gatehouse <subcommand>');

  const env = { ...process.env, DYNAMODB_ENDPOINT: '', NO_COLOR: '' };
  const example = await run(process.execPath, [main, 'test', 'docs/examples/school.test.yaml'], {
    cwd: ROOT,
    env,
  });
  expect(example.stdout).toMatch(/\n\d+ passed, 0 failed\n$/);
  expect(example.stderr).toBe('');

  const early = await run('bash', ['-c', `'${process.execPath}' '${main}' --help | true`], { cwd: ROOT });
  expect(early).toEqual({ stdout: '', stderr: '' });

  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const waiting = spawn(process.execPath, [main, 'check', 'ann', 'reports', 'tenant:acme'], {
    env: { ...process.env, DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: 'none' },
  });
  let said = '';
  waiting.stderr.on('data', (chunk) => (said += chunk));
  await once(silent, 'connection');
  waiting.kill('SIGINT');
  expect(await once(waiting, 'exit')).toEqual([2, null]);
  expect(said).toBe('gatehouse check: interrupted: nothing was written\n');
  silent.close();

  const wrong = run(process.execPath, [main, 'tset'], { cwd: ROOT });
  await expect(wrong).rejects.toMatchObject({
    code: 2,
    stderr: 'gatehouse: there is no subcommand tset: did you mean test?\n',
  });
});
