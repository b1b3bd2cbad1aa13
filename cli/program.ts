import { Command, CommanderError } from 'commander';
import { variablesSetIn } from '../table/environment.ts';
import { addApply } from './commands/apply.ts';
import { addCheck } from './commands/check.ts';
import { addCommand } from './commands/command.ts';
import { addCompletion } from './commands/completion.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addExplore } from './commands/explore.ts';
import { addExport } from './commands/export.ts';
import { addHelp } from './commands/help.ts';
import { addInit } from './commands/init.ts';
import { addMenu, addWhere, addWho } from './commands/lists.ts';
import { addLoad } from './commands/load.ts';
import { addLog } from './commands/log.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOnboard } from './commands/onboard.ts';
import { addPlan } from './commands/plan.ts';
import { addReplay } from './commands/replay.ts';
import { addRevokeSession, addRevokeToken } from './commands/revoke-credential.ts';
import { addRevokeUser } from './commands/revoke-user.ts';
import { addRoute } from './commands/route.ts';
import { addServe } from './commands/serve.ts';
import { addSuspendTenant } from './commands/suspend-tenant.ts';
import { addTest } from './commands/test.ts';
import { addTypes } from './commands/types.ts';
import { addVerify } from './commands/verify.ts';
import { addGlobalOptions, assertOneConnection, type ConnectionOptions } from './connection.ts';
import { type Context, NothingDoneError } from './context.ts';
import { OK, REFUSED, USAGE } from './exit-codes.ts';
import { formatProgramHelp, formatterOf, lineOf } from './help.ts';
import { asJson, columns } from './print.ts';
import { candidateRows } from './references.ts';
import { IncompleteError, reportedOf } from './report-error.ts';
import type { Subcommand } from './subcommand.ts';
import { usageErrorOf } from './usage-error.ts';
import { readVersion } from './version.ts';

/** By what a person wants to do, in the order of the help. */
const SUBCOMMANDS: readonly (readonly [string, readonly Subcommand[]])[] = [
  ['Get started', [addInit, addTest, addDev, addTypes]],
  ['Ask', [addCheck, addExplain, addWho, addMenu, addWhere, addExplore]],
  ['Administer', [addPlan, addApply, addExport, addOnboard, addLoad, addRoute, addCommand]],
  ['Revoke', [addRevokeUser, addSuspendTenant, addRevokeSession, addRevokeToken]],
  ['Operate', [addDoctor, addLog, addVerify, addMigrate, addReplay, addServe]],
  ['Command line', [addCompletion, addHelp]],
];

/**
 * The command line `gatehouse`, as a function of its arguments.
 *
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], given: Context): Promise<number> {
  const context = { ...given, env: variablesSetIn(given.env) };
  let exitCode = OK;
  let active: Command | undefined;
  // Also of arguments that cannot be parsed.
  const isJson = args.slice(0, [...args, '--'].indexOf('--')).includes('--json');
  const program = addGlobalOptions(new Command('gatehouse'))
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({ formatHelp: formatterOf() })
    .exitOverride()
    .configureOutput({
      writeOut: context.out,
      writeErr: isJson ? () => {} : context.error,
      // Errors are reported below.
      outputError: () => {},
    })
    .hook('preAction', (_, action) => {
      active = action;
      const given = program.opts<ConnectionOptions>();
      for (const [name, value] of Object.entries(given)) action.setOptionValue(name, value);
      assertOneConnection(given);
    });
  for (const [title, subcommands] of SUBCOMMANDS) {
    program.commandsGroup(`${title}:`);
    for (const add of subcommands)
      add(program, context, (code) => {
        exitCode = code;
      });
  }
  program.configureHelp({ formatHelp: formatProgramHelp });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return OK;
    const named = namedIn(program, args);
    const repeats = active?.options.some(({ long }) => long === '--operation') === true;
    const reported =
      error instanceof CommanderError ? usageErrorOf(error, named) : reportedOf(error, repeats);
    if (isJson) {
      const data = error instanceof IncompleteError || error instanceof NothingDoneError ? error.data : {};
      context.out(asJson({ ...data, ok: false, error: reported }));
    } else if (reported.problems) context.error(`${reported.message}\n`);
    else if (!isHelp(error)) {
      const rows =
        reported.code === 'name_ambiguous' ? columns(candidateRows(reported.candidates ?? [])) : [];
      context.error([`${lineOf(named)}: ${reported.message}`, ...rows, ''].join('\n'));
    }
    return error instanceof NothingDoneError ? REFUSED : USAGE;
  }
}

/** The help was the answer, to an error. */
const isHelp = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === 'commander.help';

/** The subcommand that the arguments name, between the options that all have: that of `route add`. */
function namedIn(program: Command, args: readonly string[]): Command {
  let at = program;
  let isValue = false;
  for (const arg of args) {
    const next = at.commands.find((command) => command.name() === arg);
    if (isValue) isValue = false;
    else if (arg.startsWith('-'))
      isValue = program.options.some(({ long, required }) => long === arg && required);
    else if (next) at = next;
    else break;
  }
  return at;
}
