import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Context } from '../../cli/context.ts';
import { choice, choiceArgument, type OptionKind } from '../../cli/options.ts';
import { subcommand } from '../../cli/subcommand.ts';
import { gatehouse } from './support.ts';

/** Options and arguments of subcommands that take one of some texts. */

test('a choice is read in any case, and is what was listed', async () => {
  const given: unknown[] = [];
  const one = subcommand({
    name: 'one',
    summary: '',
    description: '',
    arguments: [choiceArgument('<shell>', '', ['bash', 'zsh'])],
    options: { kind: choice('<kind>', '', ['page', 'Permission']) as OptionKind<string> },
    examples: '',
    run: ([shell], { kind }) => void given.push([shell, kind]) as undefined,
  });
  const program = new Command();
  one(program, {} as Context, () => {});
  const run = (...args: readonly string[]) => program.parseAsync(['one', ...args], { from: 'user' });
  await run('BASH', '--kind', 'Page');
  await run('zsh', '--kind', 'permission');
  await run('Zsh', '--kind', 'PERMISSION');
  expect(given).toEqual([
    ['bash', 'page'],
    ['zsh', 'Permission'],
    ['zsh', 'Permission'],
  ]);
  await expect(run('bash', '--kind', 'role')).rejects.toThrow('--kind role is not one of page, Permission');
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
  expect(own).toEqual(['options.ts']);
});
