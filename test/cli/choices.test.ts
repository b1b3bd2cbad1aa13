import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { withChoices } from '../../cli/choices.ts';
import { gatehouse } from './support.ts';

/** Options and arguments of subcommands that take one of some texts. */

test('a choice is read in any case, and is what was listed', async () => {
  const given: unknown[] = [];
  const command = new Command()
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .addArgument(withChoices(new Argument('<shell>'), ['bash', 'zsh']))
    .addOption(withChoices(new Option('--kind <kind>'), ['page', 'Permission']))
    .action((shell: string, { kind }: { kind?: string }) => void given.push([shell, kind]));
  for (const [shell, kind] of [
    ['BASH', 'Page'],
    ['zsh', 'permission'],
    ['Zsh', 'PERMISSION'],
  ])
    await command.parseAsync([String(shell), '--kind', String(kind)], { from: 'user' });
  expect(given).toEqual([
    ['bash', 'page'],
    ['zsh', 'Permission'],
    ['zsh', 'Permission'],
  ]);
  await expect(command.parseAsync(['bash', '--kind', 'role'], { from: 'user' })).rejects.toMatchObject({
    code: 'commander.invalidArgument',
  });
});

test.each(['menu tina north --kind Page', 'matrix --format CSV', 'load USERS no-such-file.csv'])(
  'gatehouse %s: its choice is none of the mistakes',
  async (typed) => {
    const { code, error } = await gatehouse(typed.split(' '), { env: { DYNAMODB_ENDPOINT: undefined } });
    expect(code).toBe(2);
    expect(error).not.toContain('is not one of');
  },
);

test('gatehouse completion BASH is completion bash', async () => {
  const { code, out } = await gatehouse(['completion', 'BASH']);
  expect({ code, out }).toEqual({ code: 0, out: (await gatehouse(['completion', 'bash'])).out });
});

test('no subcommand has choices in another way', () => {
  const cli = join(import.meta.dirname, '../../cli');
  const files = readdirSync(cli, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const own = files.filter((file) => readFileSync(join(cli, file), 'utf8').includes('.choices('));
  expect(own).toEqual(['choices.ts']);
});
