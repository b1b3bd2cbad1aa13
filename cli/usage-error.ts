import type { Command, CommanderError } from 'commander';
import { closest } from '../provisioning/suggestions.ts';
import { lineOf, usageOf } from './help.ts';
import type { ReportedError } from './report-error.ts';

/**
 * An error of commander in our words: what is wrong, and what to type instead.
 *
 * @param command the subcommand that was named; the program where none was
 */
export const usageErrorOf = ({ code, message }: CommanderError, command: Command): ReportedError => ({
  code: 'usage',
  message: MESSAGES[code]?.(message, command) ?? message.trim().replace(/^error: /, ''),
  retryable: false,
});

/** By commander's codes. Its messages hold names and values in single quotes. */
const MESSAGES: Readonly<Record<string, (message: string, command: Command) => string>> = {
  'commander.help': (_, command) =>
    `which subcommand? There are ${command.commands.map((each) => each.name()).join(', ')}`,
  'commander.unknownCommand': (message, command) =>
    unknown('subcommand', message, command, [
      ...command.commands.map((each) => each.name()),
      // Somebody who types `gatehouse version` means the option.
      ...optionsOf(command),
    ]),
  'commander.unknownOption': (message, command) => unknown('option', message, command, optionsOf(command)),
  'commander.missingArgument': (message, command) => `<${quotedIn(message)}> is missing. ${usage(command)}`,
  'commander.excessArguments': (message, command) =>
    `${/got (\d+)/.exec(message)?.[1]} arguments are too many: put a value with spaces in quotes. ${usage(command)}`,
  'commander.optionMissingArgument': (message) => `${flagIn(message)} needs a value: ${quotedIn(message)}`,
  'commander.missingMandatoryOptionValue': (message, command) =>
    `${quotedIn(message)} is missing. ${lineOf(command)} --help shows examples`,
  'commander.invalidArgument': (message) => {
    const [, value, argument, choices] =
      /(?:value|argument) '(.*?)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)\.$/.exec(
        message,
      ) ?? [];
    return `${argument === undefined ? flagIn(message) : `<${argument}>`} ${value} is not one of ${choices}`;
  },
};

function unknown(what: string, message: string, command: Command, known: readonly string[]): string {
  const name = quotedIn(message);
  // Somebody who types `gatehouse user.delete` means the command.
  const meant = /^[a-z-]+\.[a-z-]+$/.test(name) ? `command ${name}` : closest(name, known);
  return `there is no ${what} ${name}: ${
    meant === undefined ? `${lineOf(command)} --help lists them` : `did you mean ${meant}?`
  }`;
}

const usage = (command: Command): string => `Usage: ${usageOf(command)}`;

const quotedIn = (message: string): string => /'(.*?)'/.exec(message)?.[1] ?? '';

const flagIn = (message: string): string => /--[\w-]+/.exec(message)?.[0] ?? '';

/** The long flags of a command and of those above it. */
const optionsOf = (command: Command): readonly string[] => [
  ...command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []),
  ...(command.parent ? optionsOf(command.parent) : []),
];
