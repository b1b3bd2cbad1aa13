import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

/** The command line as it is published and installed, run by Node.js alone. */
const run = promisify(execFile);
const PACKAGE = join(inject('installed'), 'node_modules/gatehouse-authz');
const EXAMPLE = fileURLToPath(new URL('../../docs/examples/school.test.yaml', import.meta.url));

test('it keeps its first line, and behaves as in the checkout', async () => {
  const { bin } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    bin: { gatehouse: string };
  };
  const main = join(PACKAGE, bin.gatehouse);
  expect(readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);

  const help = await run(process.execPath, [main, '--help']);
  expect(help.stdout).toContain('Usage: gatehouse <subcommand>');

  const env = { ...process.env, DYNAMODB_ENDPOINT: '', NO_COLOR: '' };
  const example = await run(process.execPath, [main, 'test', EXAMPLE], { env });
  expect(example.stdout).toMatch(/\n\d+ passed, 0 failed\n$/);
  expect(example.stderr).toBe('');

  const early = await run('bash', ['-c', `'${process.execPath}' '${main}' --help | true`]);
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

  const wrong = run(process.execPath, [main, 'tset']);
  await expect(wrong).rejects.toMatchObject({
    code: 2,
    stderr: 'gatehouse: there is no subcommand tset: did you mean test?\n',
  });
});
