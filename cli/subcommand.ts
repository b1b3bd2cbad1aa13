import type { Command } from 'commander';
import type { Context } from './context.ts';

/**
 * One subcommand: adds itself to the program. Its action says its exit code to `finish`, and throws
 * {@link UsageError} for wrong use and anything else for a fault; program.ts tells either.
 */
export type Subcommand = (program: Command, context: Context, finish: (exitCode: number) => void) => void;
