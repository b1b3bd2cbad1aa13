import { Argument } from 'commander';
import { withChoices } from '../choices.ts';
import { rowsOf } from '../completion/rows.ts';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import { addHelpTexts } from '../help.ts';
import type { Subcommand } from '../subcommand.ts';

const EXAMPLES = `  gatehouse completion bash > ~/.local/share/bash-completion/completions/gatehouse
  gatehouse completion zsh > "\${fpath[1]}/_gatehouse"
  gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish`;

const NOTES = 'Open a new shell afterwards. Print the script again after an update.';

/** `gatehouse completion`: a completion script for a shell. */
export const addCompletion: Subcommand = (program, context) => {
  const command = program
    .command('completion')
    .summary('print a completion script for bash, zsh or fish')
    .description('Prints a script that completes subcommands, options, commands, their fields, and files.')
    .addArgument(withChoices(new Argument('<shell>', 'the shell'), SHELLS));
  addHelpTexts(command, { examples: EXAMPLES, notes: NOTES }).action((shell: Shell) =>
    context.out(completionScript(shell, program.name(), rowsOf(program))),
  );
};
