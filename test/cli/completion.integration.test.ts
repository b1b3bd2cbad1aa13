import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { gatehouse } from './support.ts';

/** What bash offers after a line when Tab is pressed, by the script of `gatehouse completion bash`. */
let script: string;
beforeAll(async () => {
  script = (await gatehouse(['completion', 'bash'])).out;
});

/** Bash splits a line at `:` and `=` too. */
const wordsOf = (line: string): readonly string[] => {
  const words = line.split(' ').flatMap((word) => word.match(/[:=]+|[^:=]+/g) ?? []);
  return line.endsWith(' ') ? [...words, ''] : words;
};

async function offered(line: string): Promise<readonly string[]> {
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    [
      ...['--norc', '--noprofile', '-uc'],
      `source <(printf %s "$SCRIPT"); [[ $(complete -p gatehouse) == *' -o default -F _gatehouse gatehouse' ]] || exit 9
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ...['bash', ...wordsOf(line)],
    ],
    { env: { ...process.env, SCRIPT: script } },
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter((each) => each !== '');
}

const helpOf = async (...path: readonly string[]) => (await gatehouse([...path, '--help'])).out;
const listed = (help: string, title: string): readonly string[] => {
  const [, rest = ''] = help.split(`\n${title}:\n`);
  return (rest.split('\n\n')[0] ?? '').split('\n');
};
const commandsIn = (help: string): readonly string[] =>
  listed(help, 'Commands').flatMap((line) => /^ {2}([a-z][a-z-]*)/.exec(line)?.[1] ?? []);
const optionsIn = (help: string): readonly string[] =>
  [...listed(help, 'Options'), ...listed(help, 'Global Options')].flatMap(
    (line) => /^ {2}(?:-\w, )?(--[a-z-]+)/.exec(line)?.[1] ?? [],
  );

test('offers every subcommand of the help, and every option of each', async () => {
  const names = commandsIn(await helpOf());
  expect(names.length).toBeGreaterThan(15);
  expect([...(await offered('gatehouse '))].sort()).toEqual([...names, 'run'].sort());
  const nested = commandsIn(await helpOf('route'));
  expect(await offered('gatehouse route ')).toEqual(nested);
  const paths = [...names.map((name) => [name]), ...nested.map((name) => ['route', name])];
  for (const path of paths.filter((each) => each.at(-1) !== 'help')) {
    const options = optionsIn(await helpOf(...path));
    expect(options).toContain('--help');
    const found = await offered(`gatehouse ${path.join(' ')} --`);
    expect([...found].sort(), path.join(' ')).toEqual([...options].sort());
    expect(options).toEqual(expect.arrayContaining(['--table', '--json']));
  }
});

test.each([
  ['gatehouse rev', ['revoke-user', 'revoke-session', 'revoke-token']],
  ['gatehouse apply --pr', ['--prune', '--prune-shared']],
  ['gatehouse apply school.yaml --y', ['--yes']],
  ['gatehouse load ', ['users', 'subjects', 'memberships', 'assignments']],
  ['gatehouse load --parallel 3 m', ['memberships']],
  ['gatehouse load --table a:b m', ['memberships']],
  ['gatehouse load users --par', ['--parallel']],
  ['gatehouse completion ', ['bash']],
  ['gatehouse help appl', ['apply']],
  ['gatehouse route help g', ['gaps']],
  ['gatehouse command tenant.cr', ['tenant.create']],
  ['gatehouse run tenant.cr', ['tenant.create']],
  ['gatehouse run tenant.create --inp', ['--input']],
] as const)('%s', async (line, words) => {
  expect(await offered(line)).toEqual(words);
});

test('`command` offers every command of provisioning', async () => {
  expect([...(await offered('gatehouse command '))].sort()).toEqual([...COMMANDS.keys()].sort());
});

test.each([
  'gatehouse apply ',
  'gatehouse plan --actor me ',
  'gatehouse load users ',
  'gatehouse load users - --refused ',
  'gatehouse route import ',
])('%s: no words, so bash completes files', async (line) => {
  expect(await offered(line)).toEqual([]);
});

test('an unknown shell is a usage error', async () => {
  const { code, error } = await gatehouse(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(error).toContain('Allowed choices are bash');
});
