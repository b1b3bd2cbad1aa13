import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('a commit that was not checked is not published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-publish-'));
  const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    spawnSync(command, args, { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' });
  expect(run('git', ['init', '-q']).status).toBe(0);
  expect(run('mkdir', ['.ci']).status).toBe(0);
  expect(run('cp', [join(ROOT, '.ci/publish'), '.ci/publish']).status).toBe(0);
  run('git', ['add', '.']);
  run('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.example', 'commit', '-qm', 'x']);
  // As npm runs `prepublishOnly`.
  const guard = (env: NodeJS.ProcessEnv) =>
    run('bash', ['.ci/publish', '--guard'], { npm_command: 'publish', ...env });
  expect(guard({})).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^This commit was not checked/),
  });
  expect(guard({ npm_config_dry_run: 'true' }).status).toBe(0);
  rmSync(folder, { recursive: true });
});
