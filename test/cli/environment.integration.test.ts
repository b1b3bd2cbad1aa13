import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../cli/program.ts';
import { textOf } from '../documents/documents.ts';
import { cliMain } from '../support/cli-process.ts';

/** Every variable of docs/configuration.md, through the command line: an empty one counts as not set. */
const NAMES = [
  ...new Set(
    textOf('docs/configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) =>
        [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => String(name)),
      ),
  ),
];

async function run(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const code = await runProgram(args, { env, out: print, error: print, isTerminal: false, now: () => 0 });
  return { code, printed };
}

test('what needs no table, and reads the settings of the authorizer', async () => {
  expect(NAMES.length).toBeGreaterThan(40);
  const args = ['doctor', '--only', 'configuration'];
  const env = { TABLE_NAME: 'gatehouse', TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'api' };
  for (const name of NAMES)
    expect([name, await run(args, { ...env, [name]: '' })]).toEqual([
      name,
      await run(args, { ...env, [name]: undefined }),
    ]);
});

/** Of the SDK, which reads them itself; an empty one is set for it. */
const SDK = [
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ...['AWS_SESSION_TOKEN', 'AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_ENDPOINT_URL'],
  ...['AWS_MAX_ATTEMPTS', 'AWS_RETRY_MODE', 'AWS_CA_BUNDLE', 'AWS_DEFAULTS_MODE'],
];

test('the variables of the SDK are empty: it says that no region is set', async () => {
  const { PATH } = process.env;
  const config = { AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [await cliMain(), 'command', 'page.list', '--table', 'gatehouse'],
    {
      encoding: 'utf8',
      env: {
        PATH,
        AWS_EC2_METADATA_DISABLED: 'true',
        ...config,
        ...Object.fromEntries(SDK.map((name) => [name, ''])),
      },
    },
  );
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^gatehouse command: no AWS region is set: give --region or set AWS_REGION/);
});

test('a full disk behind the standard output is one line and a failure', async () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [await cliMain(), '--help'], {
    encoding: 'utf8',
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^gatehouse: the output cannot be written: ENOSPC[^\n]*\n$/);
});

test('a file that cannot be written whole is not left behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const out = join(folder, 'manifest.yaml');
  const policy = join(folder, 'policy.csv');
  writeFileSync(
    policy,
    Array.from({ length: 100 }, (_, n) => `p, user-${n}, acme, invoice, read, allow`).join('\n'),
  );
  const model = 'docs/examples/coming-from/casbin.conf';
  const line = [process.execPath, await cliMain(), 'import', 'casbin', model, policy, '--out', out];
  // No file of more than a block: as on a full disk, a part of it is written before the error.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 1; exec "$@"', '-', ...line];
  const { status, stderr } = spawnSync('bash', limited, { encoding: 'utf8' });
  expect([status, readdirSync(folder)]).toEqual([2, ['policy.csv']]);
  expect(stderr).toContain(`${out} `);
  rmSync(folder, { recursive: true });
});
