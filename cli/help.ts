import type { Command, Help, Option } from 'commander';
import { exitCodesOf as codesOf } from './exit-codes.ts';

/** What the help of a subcommand shows beside its arguments and options. */
export interface HelpTexts {
  /** Command lines, each indented by two spaces. */
  readonly examples: string;
  /** Paragraphs after the options. */
  readonly notes?: string;
  /** What the given arguments name: it stands before all that is general. */
  readonly about?: (args: readonly string[]) => string | undefined;
}

/** How a command is called: `gatehouse route add`. */
export const lineOf = (command: Command): string =>
  `${command.parent ? `${lineOf(command.parent)} ` : ''}${command.name()}`;

/** How a command is called, with its arguments: `gatehouse route remove [options] <id>`. */
export const usageOf = (command: Command): string => `${lineOf(command)} ${command.usage()}`;

/** Usage, what was asked about, description, examples, arguments, options, notes, exit codes. */
export const formatterOf =
  ({ examples, notes, about }: Partial<HelpTexts>) =>
  (command: Command, help: Help): string =>
    [
      `Usage: ${usageOf(command)}`,
      about?.(command.args),
      help.boxWrap(help.commandDescription(command), widthOf(help)),
      titled('Examples', examples),
      titled('Arguments', argumentsText(command, help)),
      titled('Subcommands', subcommandsText(command, help, help.visibleCommands(command))),
      titled('Options', `${optionsText(command, help)}\n  ${GLOBAL_OPTIONS}`),
      notes,
      titled('Exit codes', exitCodesOf(command, help)),
    ]
      .flatMap((part) => (part ? [`${part}\n`] : []))
      .join('\n');

const GLOBAL_OPTIONS = 'and those of every subcommand, such as --table and --json: see gatehouse help';

const INTRODUCTION = `Usage: gatehouse <subcommand> [options]

Gatehouse decides who may do what, and where. Its data is in one DynamoDB table.

Example:
  npx gatehouse-authz check tina@school.example grades "North School"

  subject      who acts: a user, or a program (technical user)
  permission   what for: a page such as grades, or an action on a kind of
               resource such as doors:open:door
  scope        where: a tenant, or a place below one such as a building

In this help, gatehouse stands for npx gatehouse-authz.
`;

const END = `gatehouse help SUBCOMMAND shows examples, options and exit codes.
npm docs gatehouse-authz opens the documentation.
`;

/** The help of the program: what it is for, subcommands by what a person wants to do, and options of all of them. */
export function formatProgramHelp(program: Command, help: Help): string {
  const groups = help.groupItems(program.commands.slice(), help.visibleCommands(program), (each) =>
    each.helpGroup(),
  );
  return [
    INTRODUCTION,
    ...[...groups].map(([title, commands]) => `${title}\n${subcommandsText(program, help, commands)}\n`),
    `${titled('Options of every subcommand', optionsText(program, help))}\n`,
    END,
  ].join('\n');
}

const titled = (title: string, text: string | undefined): string => (text ? `${title}:\n${text}` : '');

const widthOf = (help: Help): number => help.helpWidth ?? 80;

type Items = readonly (readonly [term: string, description: string])[];

const itemsText = (items: Items, help: Help, width = Math.max(...items.map(([term]) => term.length))) =>
  items.map(([term, description]) => help.formatItem(term, width, description, help)).join('\n');

const subcommandsText = (parent: Command, help: Help, commands: readonly Command[]): string => {
  const width = Math.max(...help.visibleCommands(parent).map((each) => each.name().length));
  return itemsText(
    commands.map((each) => [each.name(), help.subcommandDescription(each)]),
    help,
    width,
  );
};

const argumentsText = (command: Command, help: Help): string =>
  itemsText(
    help.visibleArguments(command).map((each) => [help.argumentTerm(each), help.argumentDescription(each)]),
    help,
  );

const optionsText = (command: Command, help: Help): string =>
  itemsText(
    help.visibleOptions(command).map((each) => [help.optionTerm(each), descriptionOf(each, help)]),
    help,
  );

/** An option that may be repeated is empty by default: that is not worth saying. */
const descriptionOf = (option: Option, help: Help): string =>
  Array.isArray(option.defaultValue) ? option.description : help.optionDescription(option);

const exitCodesOf = (command: Command, help: Help): string =>
  itemsText(
    codesOf(lineOf(command).replace(/^gatehouse /, '')).map(([code, meaning]) => [String(code), meaning]),
    help,
  );
