import type { Command } from 'commander';
import { type Context, type Paint, painter, wantsColours } from './context.ts';
import { OK, REFUSED, USAGE } from './exit-codes.ts';
import { formatterOf, type HelpTexts } from './help.ts';
import type { GlobalOptions, Options, Positional, ValuesOf } from './options.ts';
import { asJson } from './print.ts';

type Positions = readonly Positional<unknown>[];
type ArgumentsOf<A extends Positions> = {
  readonly [I in keyof A]: A[I] extends Positional<infer T> ? T : never;
};

/** What a subcommand answers. */
export interface Outcome {
  /** For programs, with `--json`. */
  readonly data?: unknown;
  /** For people. */
  readonly text?: string | ((paint: Paint) => string);
  /** Lines for the standard error, below the text. */
  readonly notes?: readonly string[];
  /** Whether the answer is no, or a check found something: exit code 1. */
  readonly refused?: boolean;
  /** Whether it failed, and has said so: exit code 2. */
  readonly failed?: boolean;
}

export interface Named {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
}

/** `run` throws UsageError for a usage error and anything else for a fault; program.ts prints both. */
interface Definition<A extends Positions, O extends Options> extends Named, HelpTexts {
  readonly arguments?: A;
  /** In the order of the help. */
  readonly options?: O;
  readonly run: (
    given: ArgumentsOf<A>,
    options: ValuesOf<O> & GlobalOptions,
    context: Context,
    command: Command,
  ) => Outcome | undefined | Promise<Outcome | undefined>;
}

/** Adds itself to the program, or to a group of it. Passes its exit code to `finish`. */
export type Subcommand = (parent: Command, context: Context, finish: (exitCode: number) => void) => void;

const added = (
  parent: Command,
  { name, summary, description, ...help }: Named & Partial<HelpTexts>,
): Command => {
  const command = parent.command(name).summary(summary).description(description);
  return command.configureHelp({ formatHelp: formatterOf(help) });
};

export function withOptions(command: Command, options: Options): Command {
  for (const [name, optionOf] of Object.entries(options))
    command.addOption(optionOf(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`));
  return command;
}

/** One subcommand, as data: its help, its exit code, its text and its JSON are made here. */
export const subcommand =
  <const A extends Positions = [], const O extends Options = Record<never, never>>(
    of: Definition<A, O>,
  ): Subcommand =>
  (parent, context, finish) => {
    const command = withOptions(added(parent, of), of.options ?? {});
    for (const each of of.arguments ?? []) command.addArgument(each);
    command.action(async () => {
      const options = command.opts<ValuesOf<O> & GlobalOptions>();
      const given = command.processedArgs as unknown as ArgumentsOf<A>;
      const outcome = (await of.run(given, options, context, command)) ?? {};
      const { data, text, notes = [], refused, failed } = outcome;
      if (options.json && data !== undefined) context.out(asJson(data));
      if (!options.json && text !== undefined)
        context.out(typeof text === 'string' ? text : text(painter(wantsColours(context))));
      for (const note of notes) context.error(`note: ${note}\n`);
      finish(failed ? USAGE : refused ? REFUSED : OK);
    });
  };

/** Subcommands of a subcommand. */
export const group =
  (of: Named, subcommands: readonly Subcommand[]): Subcommand =>
  (parent, context, finish) => {
    const command = added(parent, of).usage('<subcommand> [options]').helpCommand(false);
    for (const add of subcommands) add(command, context, finish);
  };
