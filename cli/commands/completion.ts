import { Argument } from 'commander';
import { bashCompletion } from '../completion.ts';
import type { Subcommand } from '../subcommand.ts';

const HELP = `
Examples:
  eval "$(gatehouse completion bash)"
  gatehouse completion bash > ~/.local/share/bash-completion/completions/gatehouse`;

/** `gatehouse completion`: for a shell that completes what is typed. */
export const addCompletion: Subcommand = (program, around) => {
  program
    .command('completion')
    .summary('let the shell complete what is typed')
    .description('Prints a script for the shell: it knows the subcommands, their options and choices.')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash']))
    .addHelpText('after', HELP)
    .action(() => around.out(bashCompletion(program)));
};
