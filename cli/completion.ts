import type { Argument, Command, Option } from 'commander';
import { describeCommands } from '../provisioning/documents/commands.ts';

/** What may be typed in one place: words, or a file. */
const FILE = '<file>';
/** Where all further arguments stand. */
const REST = 'rest';

/** A subcommand with what can follow it. */
interface Place {
  /** Names from the program down: `route add`; the program itself is nothing. */
  readonly path: string;
  /** Subcommands by every name that they have. */
  readonly commands: readonly (readonly [name: string, path: string])[];
  readonly options: readonly Option[];
  /** What stands at which argument, or behind which option. */
  readonly words: readonly (readonly [at: string, words: string])[];
}

function placesOf(command: Command, path: string): readonly Place[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const pathOf = (child: Command) => `${path} ${child.name()}`.trim();
  const place: Place = {
    ...{ path, options },
    commands: below.flatMap((child) =>
      [child.name(), ...child.aliases()].map((name) => [name, pathOf(child)] as const),
    ),
    words: [
      ...command.registeredArguments.map(
        (argument, position) =>
          [argument.variadic ? REST : String(position), wordsOf(command, argument)] as const,
      ),
      ...options.flatMap((option) =>
        namesOf(option).map(
          (name) => [name, option.argChoices?.join(' ') ?? (isFile(option.flags) ? FILE : '')] as const,
        ),
      ),
    ].filter(([, words]) => words !== ''),
  };
  return [
    place,
    ...below.flatMap((child): readonly Place[] => {
      // Commander makes it; what it explains are its neighbours.
      if (child.name() !== 'help') return placesOf(child, pathOf(child));
      const names = below.filter((each) => each !== child).map((each) => each.name());
      return [{ path: pathOf(child), commands: [], options: [], words: [['0', names.join(' ')]] }];
    }),
  ];
}

const isFile = (flags: string): boolean => /<files?(?:\.\.\.)?>/.test(flags);

function wordsOf(command: Command, argument: Argument): string {
  if (argument.argChoices) return argument.argChoices.join(' ');
  if (command.name() === 'command' && argument.name() === 'name')
    return describeCommands()
      .map(({ name }) => name)
      .join(' ');
  return isFile(`<${argument.name()}>`) ? FILE : '';
}

const namesOf = ({ long, short }: Option): readonly string[] => [long, short].flatMap((name) => name ?? []);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A script that lets bash complete the words of a program: what it offers is written into it, nothing is asked.
 * Bash hands over words that it has also parted at `:` and `=`, so these are put together again.
 */
export function bashCompletion(program: Command): string {
  const places = placesOf(program, '');
  const name = program.name();
  const steps = places.flatMap(({ path, commands }) =>
    commands.map(([word, to]) => `    ${quoted(`${path} ${word}`)}) at=${quoted(to)} position=0 ;;`),
  );
  const valued = places.flatMap(({ path, options }) => {
    const names = options.filter(({ required }) => required).flatMap(namesOf);
    return names.map((option) => quoted(`${path} ${option}`));
  });
  const words = places.flatMap((place) =>
    place.words.map(([at, text]) => {
      const where = quoted(`${place.path} ${at === REST ? '' : at}`);
      return `    ${where}${at === REST ? '[0-9]*' : ''}) words=${quoted(text)} ;;`;
    }),
  );
  const offers = places.map(({ path, commands, options }) => {
    const flags = options.flatMap(namesOf).join(' ');
    return `    ${quoted(path)}) commands=${quoted(commands.map(([word]) => word).join(' '))} options=${quoted(flags)} ;;`;
  });
  return `# Completion of ${name} for bash: eval "$(${name} completion bash)"
_${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} at='' option='' position=0 commands='' options='' words='' i each
  for ((i = 1; i <= COMP_CWORD; i++)); do
    each=\${COMP_WORDS[i]}
    if [[ $each =~ ^[:=]+$ ]]; then
      # What follows belongs to what came before.
      option=\${option:-:}
      if ((i == COMP_CWORD)); then word=''; fi
      continue
    fi
    if ((i == COMP_CWORD)); then break; fi
    if [[ -n $option ]]; then
      option=''
      continue
    fi
    case "$at $each" in
${steps.join('\n')}
    ${valued.join(' | ')}) option=$each ;;
    *' '-?*) ;;
    *) position=$((position + 1)) ;;
    esac
  done
  case $at in
${offers.join('\n')}
  esac
  case "$at \${option:-$position}" in
${words.join('\n')}
  esac
  if [[ -z $option && $word == -* ]]; then
    words=$options
  elif [[ -z $option && -n $commands ]]; then
    words=$commands
  fi
  if [[ $words == '${FILE}' ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=()
    while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -f -- "$word")
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}
complete -F _${name} ${name}
`;
}
