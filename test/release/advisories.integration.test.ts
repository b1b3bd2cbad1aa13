import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../.ci/advisories', import.meta.url));

/** `.ci/advisories` with an npm that prints this. */
async function advisories(printed: string, ...options: readonly string[]): Promise<[number, string]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-npm-'));
  try {
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${printed}\nEND\nexit 1\n`);
    chmodSync(join(folder, 'npm'), 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return await new Promise((resolve) => {
      execFile('bash', [SCRIPT, ...options], { env }, (error, stdout) =>
        resolve([Number(error?.code ?? 0), stdout.trim()]),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const answer = (...found: readonly (readonly [name: string, severity: string])[]): string =>
  JSON.stringify({
    vulnerabilities: Object.fromEntries(
      found.map(([name, severity]) => [name, { name, severity, range: '<1.0.1' }]),
    ),
    metadata: { vulnerabilities: { total: found.length } },
  });

test('no advisory, and one of moderate severity, pass', async () => {
  expect(await advisories(answer())).toEqual([0, '0 advisories, 0 of them high or critical']);
  expect(await advisories(answer(['left', 'moderate']))).toEqual([
    0,
    '1 advisories, 0 of them high or critical',
  ]);
});

test.each(['high', 'critical'])('one of severity %s fails and is named', async (severity) => {
  expect(await advisories(answer(['left', severity], ['right', 'low']))).toEqual([
    1,
    `${severity}: left <1.0.1\n2 advisories, 1 of them high or critical`,
  ]);
});

test.each([
  ['refuses', JSON.stringify({ statusCode: 405, error: { summary: '' } }), '405'],
  ['cannot be found', JSON.stringify({ error: { code: 'ENOTFOUND' } }), 'ENOTFOUND'],
  ['answers nothing', '', 'no answer'],
])('where the registry %s, it says so; a release fails', async (_, printed, reason) => {
  const said = `not checked: the registry has no answer about advisories (${reason})`;
  expect(await advisories(printed)).toEqual([0, said]);
  expect(await advisories(printed, '--required')).toEqual([1, said]);
});
