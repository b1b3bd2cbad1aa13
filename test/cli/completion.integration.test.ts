import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHELLS, type Shell } from '../../cli/completion/scripts.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { gatehouse, subcommandsIn } from './support.ts';

/**
 * What the real shells offer after a line when Tab is pressed, by the script of `gatehouse completion`. A shell that is
 * not installed is skipped; `.ci/run` installs all of them.
 */
const SEPARATOR = '\u001e';

/** How each shell is asked, not interactively: the lines are its arguments. */
const ASKED: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    ...['--norc', '--noprofile', '-uc'],
    `source <(printf %s "$SCRIPT"); [[ $(complete -p gatehouse) == *' -o default -F _gatehouse gatehouse' ]] || exit 9
    for COMP_LINE in "$@"; do
      COMP_POINT=\${#COMP_LINE}; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}" '${SEPARATOR}'
    done`,
    'bash',
  ],
  // Functions of its completion system exist only where somebody types.
  zsh: [
    '-fc',
    `compdef() { [[ "$*" == '_gatehouse gatehouse' ]] || exit 9 }
    compadd() { print -l -- "\${(@M)candidates:#$PREFIX*}" }
    _files() {}
    source =(printf %s "$SCRIPT")
    for line in "$@"; do
      words=("\${(@s: :)line}") CURRENT=$#words PREFIX=$words[-1]; _gatehouse; print -r -- '${SEPARATOR}'
    done`,
    'zsh',
  ],
  fish: [
    ...['--no-config', '-c'],
    `printf %s "$SCRIPT" | source
    for line in $argv; complete -C $line | string replace -r '\\t.*' ''; echo '${SEPARATOR}'; end`,
  ],
};

const installed = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe.each(SHELLS)('%s', (shell) => {
  const proof = test.skipIf(!installed(shell));
  let script: string;
  // Without files, which would be offered where there are no words.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
  beforeAll(async () => {
    script = (await gatehouse(['completion', shell])).out;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function offered(...lines: readonly string[]): Promise<readonly (readonly string[])[]> {
    const { stdout, stderr } = await promisify(execFile)(shell, [...ASKED[shell], ...lines], {
      cwd: folder,
      env: { ...process.env, HOME: folder, SCRIPT: script },
    });
    expect(stderr).toBe('');
    return stdout
      .split(`${SEPARATOR}\n`)
      .slice(0, -1)
      .map((part) =>
        part
          .split('\n')
          .filter((each) => each !== '')
          .sort(),
      );
  }

  proof('offers every subcommand of the help, and every option of each', async () => {
    const helpOf = async (...path: readonly string[]) => (await gatehouse([...path, '--help'])).out;
    const optionsIn = (help: string) =>
      [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, each]) => each);
    const top = await helpOf();
    const names = subcommandsIn(top);
    const nested = subcommandsIn(await helpOf('route'));
    expect(names.length).toBeGreaterThan(15);
    expect(
      await offered('gatehouse ', 'gatehouse route ', 'gatehouse help ', 'gatehouse help route '),
    ).toEqual([[...names].sort(), [...nested].sort(), [...names].sort(), [...nested].sort()]);
    expect(await offered('gatehouse rows ')).toEqual([['check']]);
    const paths = [...names.map((name) => [name]), ...nested.map((name) => ['route', name])];
    const found = await offered(...paths.map((path) => `gatehouse ${path.join(' ')} --`));
    for (const [position, path] of paths.entries()) {
      const options = [...new Set([...optionsIn(top), ...optionsIn(await helpOf(...path))])];
      expect(options).toEqual(expect.arrayContaining(['--table', '--json', '--help']));
      expect(found[position], path.join(' ')).toEqual(options.sort());
    }
  });

  const OFFERS: readonly (readonly [string, readonly string[]])[] = [
    ['gatehouse rev', ['revoke-session', 'revoke-token', 'revoke-user']],
    ['gatehouse apply --pr', ['--prune', '--prune-shared']],
    ['gatehouse apply school.yaml --y', ['--yes']],
    ['gatehouse load ', ['assignments', 'memberships', 'subjects', 'users']],
    ['gatehouse load --parallel 3 m', ['memberships']],
    ['gatehouse --table load load m', ['memberships']],
    ['gatehouse load users --par', ['--parallel']],
    ['gatehouse menu --kind ', ['page', 'permission']],
    ['gatehouse completion ', ['bash', 'fish', 'zsh']],
    ['gatehouse help appl', ['apply']],
    ['gatehouse help route g', ['gaps']],
    ['gatehouse command user.cr', ['user.create']],
    ['gatehouse command tenant.create --inp', ['--input']],
    ['gatehouse command user.create ema', ['email=', 'emailProvider=']],
    ['gatehouse command user.create email=a@b.de disp', ['displayName=']],
    ['gatehouse command ', [...COMMANDS.keys()].sort()],
  ];
  proof('offers choices, commands and fields', async () => {
    const found = await offered(...OFFERS.map(([line]) => line));
    expect(Object.fromEntries(OFFERS.map(([line], position) => [line, found[position]]))).toEqual(
      Object.fromEntries(OFFERS),
    );
  });

  proof.each([
    'gatehouse apply ',
    'gatehouse plan --actor me ',
    'gatehouse load users ',
    'gatehouse load users - --refused ',
    'gatehouse route import ',
  ])('%s: no words, so files are completed', async (line) => {
    expect(await offered(line)).toEqual([[]]);
  });
});
