import { type Command, CommanderError } from 'commander';
import { type Context, IncompleteError, NothingDoneError } from './context.ts';
import { REFUSED, USAGE } from './exit-codes.ts';
import { lineOf } from './help.ts';
import { asJson, columns } from './print.ts';
import { candidateRows } from './references.ts';
import { reportedOf } from './report-error.ts';
import { usageErrorOf } from './usage-error.ts';

/** Where an error came from. */
export interface ErrorPlace {
  readonly context: Context;
  readonly isJson: boolean;
  /** The subcommand that was named; the program where none was. */
  readonly named: Command;
  /** All arguments of the program. */
  readonly args: readonly string[];
  /** Whether it has `--operation`. */
  readonly repeats: boolean;
}

/** Prints an error for people, or for programs; answers the exit code. */
export function printError(error: unknown, { context, isJson, named, args, repeats }: ErrorPlace): number {
  const reported =
    error instanceof CommanderError
      ? usageErrorOf(error, { command: named, args })
      : reportedOf(error, repeats);
  if (isJson) {
    const data = error instanceof IncompleteError || error instanceof NothingDoneError ? error.data : {};
    context.out(asJson({ ...data, ok: false, error: reported }));
  } else if (reported.problems) context.error(`${reported.message}\n`);
  else if (!isHelp(error)) {
    const rows = reported.code === 'name_ambiguous' ? columns(candidateRows(reported.candidates ?? [])) : [];
    context.error([`${lineOf(named)}: ${reported.message}`, ...rows, ''].join('\n'));
  }
  return error instanceof NothingDoneError ? REFUSED : USAGE;
}

/** The help was the answer, to an error. */
const isHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === 'commander.help';
