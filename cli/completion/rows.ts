import type { Command, Option } from 'commander';
import { describeCommands, fieldsOf } from '../../provisioning/index.ts';
import { typeText } from '../input.ts';

/** A word that can follow others on a line. */
export interface Row {
  /** The words before it, from the subcommand on: `route`, `command user.create`; empty for the first word. */
  readonly path: string;
  /**
   * A subcommand, a choice or the name of a command; a field (`email=`); an option (`--strong`), which ends with `=`
   * where it takes a value (`--at=`); or a value that an option takes (`--kind=page`).
   */
  readonly word: string;
  readonly description: string;
}

/** Everything that a shell can offer for a program. Where nothing is offered, a file may stand. */
export const rowsOf = (program: Command): readonly Row[] => [
  ...rowsBelow(program, '', program),
  { path: '', word: '--help', description: 'show the help of a subcommand' },
];

function* rowsBelow(command: Command, path: string, program: Command): Generator<Row> {
  for (const option of command.options) yield* optionRows(option, path);
  for (const choice of command.registeredArguments[0]?.argChoices ?? [])
    yield { path, word: choice, description: '' };
  if (path === 'command') yield* provisioningRows(path);
  if (path === 'help') yield* subcommandRows(program, path);
  for (const child of command.commands) {
    yield { path, word: child.name(), description: child.summary() };
    yield* rowsBelow(child, joined(path, child.name()), program);
  }
}

function* optionRows({ long, required, description, argChoices }: Option, path: string): Generator<Row> {
  if (!long) return;
  yield { path, word: required ? `${long}=` : long, description };
  for (const choice of argChoices ?? []) yield { path, word: `${long}=${choice}`, description: '' };
}

/** The commands of provisioning with their fields. */
function* provisioningRows(path: string): Generator<Row> {
  for (const described of describeCommands()) {
    const { name, summary } = described;
    yield { path, word: name, description: summary };
    for (const { name: field, property, isRequired } of fieldsOf(described))
      yield {
        path: joined(path, name),
        word: `${field}=`,
        description: `${isRequired ? 'required, ' : ''}${typeText(property)}`,
      };
  }
}

function* subcommandRows(command: Command, path: string): Generator<Row> {
  for (const child of command.commands) {
    yield { path, word: child.name(), description: child.summary() };
    yield* subcommandRows(child, joined(path, child.name()));
  }
}

const joined = (path: string, word: string): string => (path === '' ? word : `${path} ${word}`);
