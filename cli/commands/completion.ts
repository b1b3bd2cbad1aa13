import { Argument, type Command } from 'commander';
import { describeCommands } from '../../provisioning/documents/commands.ts';
import type { Subcommand } from '../subcommand.ts';

const HELP = `
Examples:
  eval "$(gatehouse completion bash)"
  gatehouse completion bash > ~/.local/share/bash-completion/completions/gatehouse`;

/** `gatehouse completion`: a completion script for the shell. */
export const addCompletion: Subcommand = (program, context) => {
  program
    .command('completion')
    .summary('print a completion script for the shell')
    .description('Prints a completion script: it completes subcommands, options, choices and files.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash']))
    .addHelpText('after', HELP)
    .action(() => context.out(bashCompletion(program)));
};

/** What bash offers after the words that lead to a command. */
interface Offer {
  /** Patterns of those words: `route add`, or `load *` for what follows a choice. */
  readonly paths: readonly string[];
  /** Subcommands, or choices of the first argument; files where there are none. */
  readonly words: readonly string[];
  readonly options: readonly string[];
}

function offersOf(
  command: Command,
  paths: readonly string[],
  siblings: readonly string[] = [],
): readonly Offer[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap(
    ({ long }) => long ?? [],
  );
  const children = help.visibleCommands(command);
  if (children.length > 0) {
    const words = children.flatMap((child) => [child.name(), ...child.aliases()]);
    return [
      { paths, words, options },
      ...children.flatMap((child) =>
        offersOf(
          child,
          paths.flatMap((path) => [child.name(), ...child.aliases()].map((name) => `${path} ${name}`)),
          words,
        ),
      ),
    ];
  }
  const words = choicesOf(command, siblings);
  return [
    { paths, words, options },
    ...(words.length > 0 ? [{ paths: paths.map((path) => `${path} *`), words: [], options }] : []),
  ];
}

function choicesOf(command: Command, siblings: readonly string[]): readonly string[] {
  if (command.name() === 'command') return describeCommands().map(({ name }) => name);
  if (command.name() === 'help') return siblings;
  return command.registeredArguments[0]?.argChoices ?? [];
}

/** The pattern of a case: every word is a literal but a `*` at the end. */
const patternOf = (path: string): string =>
  `'${path.replace(/ \*$/, '')}'${path.endsWith(' *') ? "' '*" : ''}`;

/**
 * A bash function that holds all words it offers, so pressing Tab starts no process. Where it offers none, bash
 * completes file names (`-o default`).
 */
function bashCompletion(program: Command): string {
  const name = program.name();
  const cases = offersOf(program, ['']).map(
    ({ paths, words, options }) =>
      `    ${paths.map(patternOf).join(' | ')}) words='${words.join(' ')}' options='${options.join(' ')}' ;;`,
  );
  return `# Completion of ${name} for bash: eval "$(${name} completion bash)"
_${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} path='' words='' options='' each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}" ''; do
    case $path in
${cases.join('\n')}
    esac
    if [[ -n $each && " $words " == *" $each "* ]]; then path+=" $each"; fi
  done
  if [[ $word == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _${name} ${name}
`;
}
