import { Command, CommanderError } from 'commander';
import { addApply } from './commands/apply.ts';
import { addCheck } from './commands/check.ts';
import { addCommand } from './commands/command.ts';
import { addCompletion } from './commands/completion.ts';
import { addExplain } from './commands/explain.ts';
import { addExport } from './commands/export.ts';
import { addMenu, addWhere, addWho } from './commands/lists.ts';
import { addLoad } from './commands/load.ts';
import { addLog } from './commands/log.ts';
import { addOnboard } from './commands/onboard.ts';
import { addPlan } from './commands/plan.ts';
import { addRevokeSession, addRevokeToken } from './commands/revoke-credential.ts';
import { addRevokeUser } from './commands/revoke-user.ts';
import { addRoute } from './commands/route.ts';
import { addSuspendTenant } from './commands/suspend-tenant.ts';
import { addTest } from './commands/test.ts';
import { addVerify } from './commands/verify.ts';
import { type Context, EXIT_CODES, OK, USAGE } from './context.ts';
import { ProblemsError } from './document.ts';
import type { Subcommand } from './subcommand.ts';
import { TransportError } from './transport.ts';

/** In the order of the help. */
const SUBCOMMANDS: readonly Subcommand[] = [
  addCheck,
  addExplain,
  addWho,
  addMenu,
  addWhere,
  addTest,
  addRoute,
  addCommand,
  addPlan,
  addApply,
  addExport,
  addOnboard,
  addLoad,
  addRevokeUser,
  addSuspendTenant,
  addRevokeSession,
  addRevokeToken,
  addLog,
  addVerify,
  addCompletion,
];

/**
 * The command line `gatehouse`, as a function of its arguments.
 *
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], context: Context): Promise<number> {
  let exitCode = OK;
  const program = new Command('gatehouse')
    .description('Authorization on one DynamoDB table: check, explain, test and administer access.')
    .usage('<subcommand> [options]')
    .addHelpText('after', `${EXIT_CODES}\n\ngatehouse help SUBCOMMAND shows options and examples.`)
    .exitOverride()
    .configureOutput({
      writeOut: context.out,
      writeErr: context.error,
      // Commander puts its suggestion on a line of its own.
      outputError: (text, write) =>
        write(
          `${text
            .trim()
            .replace(/^error: /, prefix())
            .replace(/\n+/g, ' ')}\n`,
        ),
    });
  const prefix = (): string => `${['gatehouse', ...namedIn(program, args)].join(' ')}: `;
  for (const add of SUBCOMMANDS) {
    add(program, context, (code) => {
      exitCode = code;
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE;
    if (error instanceof ProblemsError) {
      context.error(`${error.message}\n`);
      return USAGE;
    }
    context.error(`${prefix()}${error instanceof Error ? error.message : String(error)}${adviceOn(error)}\n`);
    return USAGE;
  }
}

/** The subcommands that the arguments name: `route`, `add`. */
function namedIn(program: Command, args: readonly string[]): readonly string[] {
  const names: string[] = [];
  let at = program;
  for (const arg of args) {
    const next = at.commands.find((command) => command.name() === arg);
    if (next) {
      names.push(arg);
      at = next;
    } else if (!arg.startsWith('-')) break;
  }
  return names;
}

/** What to do about faults that the SDK only names. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/\bResourceNotFoundException\b/, 'the table does not exist: check --table, --endpoint and --region'],
  [
    /\b(?:CredentialsProviderError|UnrecognizedClientException|InvalidSignatureException|ExpiredTokenException)\b/,
    'no valid AWS credentials: set AWS_PROFILE, or log in (aws sso login)',
  ],
  [/\bAccessDeniedException\b/, 'these AWS credentials are not allowed to do this on the table'],
  [/did not get an answer in time$/, 'check --endpoint, --region and the network'],
  [/\bRegion is missing\b/, 'which region? Give --region, or set AWS_REGION'],
];

function adviceOn(error: unknown): string {
  // Its message has advice already.
  if (error instanceof TransportError) return '';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const texts = error instanceof Error ? [error.message, `${cause?.name} ${cause?.message}`] : [];
  const [, advice] = ADVICE.find(([fault]) => texts.some((text) => fault.test(text))) ?? [];
  return advice === undefined ? '' : `: ${advice}`;
}
