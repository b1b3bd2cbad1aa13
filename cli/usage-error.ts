import type { Command, CommanderError, Option } from 'commander';
import { closest } from '../table/similar-words.ts';
import { lineOf, usageOf } from './help.ts';
import type { ReportedError } from './report-error.ts';

/** What was typed wrongly. */
interface Typed {
  /** The subcommand that was named; the program where none was. */
  readonly command: Command;
  /** All arguments of the program. */
  readonly args: readonly string[];
}

/** An error of commander in our words: what is wrong, and what to type instead. */
export const usageErrorOf = ({ code, message }: CommanderError, typed: Typed): ReportedError => ({
  code: 'usage',
  message: MESSAGES[code]?.(typed) ?? message,
  retryable: false,
});

/** By commander's codes. Its errors have no fields: what is wrong is found where it finds it. */
const MESSAGES: Readonly<Record<string, (typed: Typed) => string>> = {
  'commander.help': ({ command }) => whichOf(command),
  // Somebody who types `gatehouse version` means the option.
  'commander.unknownCommand': ({ command, args }) => {
    const [name = ''] = command.args;
    return isOfSubcommand(command, args[args.indexOf(name) - 1])
      ? whichOf(command)
      : unknown('subcommand', name, command, [...namesIn(command), ...flagsOf(command)]);
  },
  'commander.unknownOption': ({ command }) => {
    const typed = lineage(command).flatMap(({ args }) => args);
    const option = typed.find((arg) => arg.startsWith('-'));
    return isOfSubcommand(command, option)
      ? whichOf(command)
      : unknown('option', option, command, flagsOf(command));
  },
  'commander.missingArgument': ({ command }) => {
    const missing = command.registeredArguments[command.args.length];
    return `<${missing?.name()}> is missing. Usage: ${usageOf(command)}`;
  },
  'commander.excessArguments': ({ command }) =>
    `${command.args.length} arguments are too many: put a value with spaces in quotes. Usage: ${usageOf(command)}`,
  'commander.optionMissingArgument': ({ command, args }) => {
    const option = optionsOf(command).find(({ long }) => long === args.at(-1));
    return `${option?.long} needs a value: ${option?.flags}`;
  },
  'commander.missingMandatoryOptionValue': ({ command }) => {
    const missing = command.options.find(
      (each) => each.mandatory && command.getOptionValue(each.attributeName()) === undefined,
    );
    return `${missing?.flags} is missing. ${lineOf(command)} --help shows examples`;
  },
};

const whichOf = (command: Command): string => `which subcommand? There are ${namesIn(command).join(', ')}`;

/** Whether it is an option of a subcommand, which was forgotten: what follows may be its value. */
const isOfSubcommand = ({ commands }: Command, option = ''): boolean =>
  commands.some(({ options }) => options.some(({ long }) => long === option.split('=')[0]));

function unknown(what: string, name = '', command: Command, known: readonly string[]): string {
  // Somebody who types `gatehouse user.delete` means the command.
  const meant = /^[a-z-]+\.[a-z-]+$/.test(name) ? `command ${name}` : closest(name, known);
  return `there is no ${what} ${name}: ${
    meant === undefined ? `${lineOf(command)} --help lists them` : `did you mean ${meant}?`
  }`;
}

const namesIn = ({ commands }: Command): readonly string[] => commands.map((each) => each.name());

/** A command and those above it. */
const lineage = (command: Command): readonly Command[] => [
  command,
  ...(command.parent ? lineage(command.parent) : []),
];

const optionsOf = (command: Command): readonly Option[] =>
  lineage(command).flatMap((each) => each.createHelp().visibleOptions(each));

const flagsOf = (command: Command): readonly string[] => optionsOf(command).flatMap(({ long }) => long ?? []);
