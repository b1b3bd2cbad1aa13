import { Command, CommanderError } from 'commander';
import { addCheck } from './commands/check.ts';
import { addExplain } from './commands/explain.ts';
import { addTest } from './commands/test.ts';
import { ProblemsError } from './document.ts';
import type { Subcommand } from './subcommand.ts';
import { EXIT_CODES, FAULT, FINE, type Surroundings } from './surroundings.ts';

/** All there are, in the order of the help. */
const SUBCOMMANDS: readonly Subcommand[] = [addCheck, addExplain, addTest];

/**
 * The command line `gatehouse`, as a function of its arguments.
 *
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], around: Surroundings): Promise<number> {
  let exitCode = FINE;
  const program = new Command('gatehouse')
    .description('Authorization on one DynamoDB table: ask it, have it explained, test it.')
    .usage('<subcommand> [options]')
    .addHelpText('after', `${EXIT_CODES}\n\ngatehouse help SUBCOMMAND shows options and examples.`)
    .exitOverride()
    .configureOutput({
      writeOut: around.out,
      writeErr: around.error,
      // Commander puts its suggestion on a line of its own.
      outputError: (text, write) =>
        write(
          `${text
            .trim()
            .replace(/^error: /, prefix())
            .replace(/\n+/g, ' ')}\n`,
        ),
    });
  const named = () => program.commands.find((command) => args.includes(command.name()));
  const prefix = (): string => `${['gatehouse', named()?.name()].filter(Boolean).join(' ')}: `;
  for (const add of SUBCOMMANDS) {
    add(program, around, (code) => {
      exitCode = code;
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? FINE : FAULT;
    if (error instanceof ProblemsError) {
      around.error(`${error.message}\n`);
      return FAULT;
    }
    around.error(`${prefix()}${error instanceof Error ? error.message : String(error)}\n`);
    return FAULT;
  }
}
