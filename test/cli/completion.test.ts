import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../provisioning/index.ts';
import { gatehouse } from './support.ts';

/** What bash offers with the script of `gatehouse completion bash`, when Tab is pressed after what is typed. */
let folder: string;
let script: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
  writeFileSync(join(folder, 'school.yaml'), '');
  writeFileSync(join(folder, 'two words.yaml'), '');
  mkdirSync(join(folder, 'check'));
  script = (await gatehouse(['completion', 'bash'])).out;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Words as bash parts a line: also at `:` and `=`, which are words of their own. */
const wordsOf = (line: string): readonly string[] => {
  const words = line.split(' ').flatMap((word) => word.match(/[:=]+|[^:=]+/g) ?? []);
  return line.endsWith(' ') ? [...words, ''] : words;
};

async function offered(line: string): Promise<readonly string[]> {
  const words = wordsOf(line);
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    [
      ...['--norc', '--noprofile', '-uc'],
      `source <(printf %s "$SCRIPT"); [[ $(complete -p gatehouse) == *' -F _gatehouse gatehouse' ]] || exit 9
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ...['bash', ...words],
    ],
    { cwd: folder, env: { ...process.env, SCRIPT: script } },
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
  listed(help, 'Options').flatMap((line) => /^ {2}(?:-\w, )?(--[a-z-]+)/.exec(line)?.[1] ?? []);

test('every subcommand of the help is offered, and every option of each', async () => {
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
  }
});

describe('what is offered after', () => {
  test.each([
    ['gatehouse rev', ['revoke-user', 'revoke-session', 'revoke-token']],
    ['gatehouse apply --pr', ['--prune', '--prune-shared']],
    ['gatehouse apply school.yaml --y', ['--yes']],
    ['gatehouse load ', ['users', 'memberships', 'assignments']],
    ['gatehouse load --parallel 3 m', ['memberships']],
    ['gatehouse load --table a:b m', ['memberships']],
    ['gatehouse load --table=load m', ['memberships']],
    ['gatehouse load --dry-run m', ['memberships']],
    ['gatehouse completion ', ['bash']],
    ['gatehouse help appl', ['apply']],
    ['gatehouse route help g', ['gaps']],
    ['gatehouse command tenant.cr', ['tenant.create']],
    ['gatehouse run tenant.cr', ['tenant.create']],
    ['gatehouse run tenant.create --inp', ['--input']],
  ] as const)('%s', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  test('command: all that there are', async () => {
    expect([...(await offered('gatehouse command '))].sort()).toEqual([...COMMANDS.keys()].sort());
  });

  test.each([
    'gatehouse apply ',
    'gatehouse plan --actor me ',
    'gatehouse load users ',
    'gatehouse load --table=t users ',
    'gatehouse load users - --refused ',
    'gatehouse load users - --refused=',
    'gatehouse test one.yaml two.yaml ',
    'gatehouse route import ',
  ])('%sfiles and folders', async (line) => {
    expect([...(await offered(line))].sort()).toEqual(['check', 'school.yaml', 'two words.yaml']);
  });

  test.each([
    'gatehouse check ',
    'gatehouse check user:',
    'gatehouse apply --actor ',
    'gatehouse apply --actor a',
    'gatehouse load users users.csv ',
    'gatehouse command user.create email=',
    'gatehouse command user.create email=c',
    'gatehouse command user.create email:=',
    'gatehouse nonsense',
  ])('%s: nothing', async (line) => {
    expect(await offered(line)).toEqual([]);
  });
});

test('a shell that it does not know is wrong use', async () => {
  const { code, error } = await gatehouse(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(error).toContain('Allowed choices are bash');
});
