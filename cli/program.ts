import { Command, CommanderError } from 'commander';
import { variablesSetIn } from '../table/environment.ts';
import type { Context, Process } from './context.ts';
import { OK } from './exit-codes.ts';
import { formatProgramHelp } from './help.ts';
import { assertOneConnection, GLOBAL, type GlobalOptions } from './options.ts';
import { type Subcommand, withOptions } from './subcommand.ts';
import { readVersion } from './version.ts';
import { createWritten } from './written.ts';

/** Loads a subcommand: one that is not asked for costs no time. */
type Load = () => Promise<Subcommand>;

/** By name, grouped by what a person wants to do, in the order of the help. */
const SUBCOMMANDS: readonly (readonly [title: string, Readonly<Record<string, Load>>])[] = [
  [
    'Get started',
    {
      init: async () => (await import('./commands/init.ts')).addInit,
      test: async () => (await import('./commands/test.ts')).addTest,
      dev: async () => (await import('./commands/dev.ts')).addDev,
      types: async () => (await import('./commands/types.ts')).addTypes,
    },
  ],
  [
    'Ask',
    {
      check: async () => (await import('./commands/check.ts')).addCheck,
      explain: async () => (await import('./commands/explain.ts')).addExplain,
      who: async () => (await import('./commands/lists.ts')).addWho,
      menu: async () => (await import('./commands/lists.ts')).addMenu,
      where: async () => (await import('./commands/lists.ts')).addWhere,
      narrow: async () => (await import('./commands/narrow.ts')).addNarrow,
      matrix: async () => (await import('./commands/matrix.ts')).addMatrix,
      usage: async () => (await import('./commands/usage.ts')).addUsage,
      prove: async () => (await import('./commands/prove.ts')).addProve,
      explore: async () => (await import('./commands/explore.ts')).addExplore,
    },
  ],
  [
    'Administer',
    {
      plan: async () => (await import('./commands/plan.ts')).addPlan,
      apply: async () => (await import('./commands/apply.ts')).addApply,
      export: async () => (await import('./commands/export.ts')).addExport,
      import: async () => (await import('./commands/import.ts')).addImport,
      onboard: async () => (await import('./commands/onboard.ts')).addOnboard,
      load: async () => (await import('./commands/load.ts')).addLoad,
      route: async () => (await import('./commands/route.ts')).addRoute,
      rows: async () => (await import('./commands/rows.ts')).addRows,
      command: async () => (await import('./commands/command.ts')).addCommand,
    },
  ],
  [
    'Revoke',
    {
      'revoke-user': async () => (await import('./commands/revoke-user.ts')).addRevokeUser,
      'suspend-tenant': async () => (await import('./commands/suspend-tenant.ts')).addSuspendTenant,
      'revoke-session': async () => (await import('./commands/revoke-credential.ts')).addRevokeSession,
      'revoke-token': async () => (await import('./commands/revoke-credential.ts')).addRevokeToken,
    },
  ],
  [
    'Operate',
    {
      doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
      log: async () => (await import('./commands/log.ts')).addLog,
      verify: async () => (await import('./commands/verify.ts')).addVerify,
      migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
      replay: async () => (await import('./commands/replay.ts')).addReplay,
      serve: async () => (await import('./commands/serve.ts')).addServe,
      scim: async () => (await import('./commands/scim.ts')).addScim,
    },
  ],
  [
    'Command line',
    {
      completion: async () => (await import('./commands/completion.ts')).addCompletion,
      help: async () => (await import('./commands/help.ts')).addHelp,
    },
  ],
];

/**
 * The command line `gatehouse`, as a function of its arguments.
 *
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], given: Process): Promise<number> {
  const { signalled, onInterrupt, stopListening } = listenToSignals(given);
  const written = createWritten();
  const context: Context = { ...given, env: variablesSetIn(given.env), written, onInterrupt };
  let exitCode = OK;
  let active: Command | undefined;
  // Also of arguments that cannot be parsed.
  const isJson = args.slice(0, [...args, '--'].indexOf('--')).includes('--json');
  const program = withOptions(new Command('gatehouse'), GLOBAL)
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({ formatHelp: formatProgramHelp })
    .exitOverride()
    .configureOutput({
      writeOut: context.out,
      writeErr: isJson ? () => {} : context.error,
      // Errors are reported below.
      outputError: () => {},
    })
    .hook('preAction', (_, action) => {
      active = action;
      const given = program.opts<GlobalOptions>();
      for (const [name, value] of Object.entries(given)) action.setOptionValue(name, value);
      assertOneConnection(given);
    });
  const asked = subcommandsIn(program, args);
  for (const [title, subcommands] of SUBCOMMANDS) {
    program.commandsGroup(`${title}:`);
    for (const name of asked ?? Object.keys(subcommands))
      (await subcommands[name]?.())?.(program, context, (code) => {
        exitCode = code;
      });
  }
  const { at: named, unknown } = namedIn(program, args);
  try {
    await Promise.race([
      // The help of a subcommand that there is not would be that of all.
      program.parseAsync([...(unknown ?? args)], { from: 'user' }),
      signalled.then(() => Promise.reject(written.interrupted())),
    ]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return OK;
    const { printError } = await import('./print-error.ts');
    const repeats = active?.options.some(({ long }) => long === '--operation') === true;
    return printError(error, { context, isJson, named, args, repeats });
  } finally {
    stopListening();
  }
}

/** Signals that no subcommand listens to, and what subcommands listen with. */
function listenToSignals({ onInterrupt, isErrorTerminal, error }: Process) {
  let listeners = 0;
  let stopListening: (() => void) | undefined;
  const signalled = new Promise<void>((resolve) => {
    stopListening = onInterrupt?.(() => {
      if (listeners > 0) return;
      // After the `^C` of the terminal.
      if (isErrorTerminal) error('\n');
      resolve();
    });
  });
  const listen = (listener: () => void): (() => void) => {
    listeners += 1;
    const stop = onInterrupt?.(listener);
    return () => {
      listeners -= 1;
      stop?.();
    };
  };
  return { signalled, onInterrupt: listen, stopListening: () => stopListening?.() };
}

/** Those that tell of the others. */
const OF_ALL: readonly string[] = ['help', 'completion'];

/** The subcommands that answer; undefined where it takes all of them, also to say which there are. */
function subcommandsIn(program: Command, args: readonly string[]): readonly string[] | undefined {
  const [name] = wordsIn(program, args);
  if (name === undefined) return args.some((arg) => ['-V', '--version'].includes(arg)) ? [] : undefined;
  const isOne = SUBCOMMANDS.some(([, each]) => Object.hasOwn(each, name)) && !OF_ALL.includes(name);
  return isOne ? [name] : undefined;
}

interface Named {
  /** The last subcommand that there is: that of `route add`. */
  readonly at: Command;
  /** The words up to one that is no subcommand, where one has to be. */
  readonly unknown?: readonly string[];
}

/** What the arguments name, between the options that all have. */
function namedIn(program: Command, args: readonly string[]): Named {
  let at = program;
  const words = wordsIn(program, args);
  for (const [position, word] of words.entries()) {
    const next = at.commands.find((command) => command.name() === word);
    if (!next) return at.commands.length === 0 ? { at } : { at, unknown: words.slice(0, position + 1) };
    at = next;
  }
  return { at };
}

/** The arguments without the options that all subcommands have, and their values. */
const wordsIn = (program: Command, args: readonly string[]): readonly string[] => {
  const takesValue = (arg: string | undefined) =>
    program.options.some(({ long, required }) => long === arg && required);
  return args.filter((arg, position) => !arg.startsWith('-') && !takesValue(args[position - 1]));
};
