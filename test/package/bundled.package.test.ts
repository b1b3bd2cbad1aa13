import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, test } from 'vitest';
import { link } from '../support/packed.ts';

/** A Lambda handler of a user, bundled by the line of docs/deployment.md. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(inject('installed'), 'bundled');
const alone = mkdtempSync(join(tmpdir(), 'gatehouse-bundled-handler-'));
afterAll(() => rmSync(alone, { recursive: true, force: true }));

test('a bundled handler runs alone, and its conditions are a file that it loads when it meets one', () => {
  mkdirSync(join(folder, 'src'), { recursive: true });
  link('@middy/core', join(folder, 'node_modules'));
  const consumers = fileURLToPath(new URL('consumers', import.meta.url));
  cpSync(join(consumers, 'lambda.ts'), join(folder, 'src/handler.ts'));
  cpSync(join(consumers, 'world.ts'), join(folder, 'src/world.ts'));
  const documented = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
  const [, options = ''] = /^npx esbuild (src\/handler\.ts .*)$/m.exec(documented) ?? [];
  const esbuild = join(ROOT, 'node_modules/esbuild/bin/esbuild');
  execFileSync(esbuild, [...options.split(' '), '--log-level=error'], { cwd: folder });

  cpSync(join(folder, 'out'), alone, { recursive: true });
  const conditions = readdirSync(alone).filter((file) => /^cel-.*\.mjs$/.test(file));
  expect(conditions).toHaveLength(1);
  // Nothing in this service has a condition.
  for (const file of conditions) rmSync(join(alone, file));
  const run = execFileSync(process.execPath, [join(alone, 'handler.mjs')], { cwd: alone, encoding: 'utf8' });
  expect(run).toBe('ann 200\nben 403\n');
});
