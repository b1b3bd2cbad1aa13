import { rowsOf } from '../completion/rows.ts';
import { completionScript, SHELLS } from '../completion/scripts.ts';
import { choiceArgument } from '../options.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse completion`: a completion script for a shell. */
export const addCompletion = subcommand({
  name: 'completion',
  summary: 'print a completion script for bash, zsh or fish',
  description: 'Prints a script that completes subcommands, options, commands, their fields, and files.',
  arguments: [choiceArgument('<shell>', 'the shell', SHELLS)],
  examples: `  gatehouse completion bash > ~/.local/share/bash-completion/completions/gatehouse
  gatehouse completion zsh > "\${fpath[1]}/_gatehouse"
  gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish`,
  notes: 'Open a new shell afterwards. Print the script again after an update.',
  run: ([shell], _options, { out }, { parent }) => {
    if (parent) out(completionScript(shell, parent.name(), rowsOf(parent)));
  },
});
