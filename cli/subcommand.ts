import type { Command } from 'commander';
import type { Context } from './context.ts';

/**
 * One subcommand: adds itself to the program. Its action passes its exit code to `finish`. It throws
 * {@link UsageError} for a usage error and anything else for a fault; program.ts prints both.
 */
export type Subcommand = (program: Command, context: Context, finish: (exitCode: number) => void) => void;
