import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const NAME = 'gatehouse-proof-0123abcd';
const WORDS = ['--account', '123456789012', '--region', 'eu-central-1'];

/** An AWS CLI of an account without any of what a proof makes. */
const EMPTY = `#!/bin/sh
case "$1 $2" in
  'sts get-caller-identity') echo '{"Account":"123456789012"}' ;;
  'dynamodb list-tables') echo '{"TableNames":["gatehouse-proof-4567cdef-restored"]}' ;;
  'logs describe-log-groups') echo '{"logGroups":[]}' ;;
  's3api get-bucket-location') echo 'NoSuchBucket' >&2; exit 254 ;;
  *) echo 'Stack does not exist' >&2; exit 254 ;;
esac
`;

/** What `npm run bench -- aws-proof` says on stderr, and its exit code. */
function run(cli: string, ...words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-aws-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'aws'), cli, { mode: 0o755 });
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'bench/run.ts', 'aws-proof', ...words],
    { encoding: 'utf8', env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } },
  );
  return { status, said: stderr.trim().split('\n') };
}

test('--remove fails where nothing has that name', () => {
  const { status, said } = run(EMPTY, ...WORDS, '--remove', NAME);
  expect(said.at(-1)).toBe(`aws-proof: nothing named ${NAME} in eu-central-1`);
  expect(status).toBe(1);
});

test('says how to remove what it makes before it calls AWS', () => {
  const { said } = run('#!/bin/sh\nexit 1\n', ...WORDS);
  expect(said).toEqual([
    expect.stringMatching(
      /: npm run -s bench -- aws-proof --account 123456789012 --region eu-central-1 --remove gatehouse-proof-[0-9a-f]{8}$/,
    ),
    'aws-proof: aws sts get-caller-identity: ended with 1',
  ]);
});
