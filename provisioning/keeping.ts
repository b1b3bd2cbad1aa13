import type * as z from 'zod';
import type { Command } from './command.ts';

/** Whether a command takes `ifExists`. */
const takesIfExists = (command: Command | undefined): boolean =>
  command !== undefined && 'shape' in command.input && 'ifExists' in (command.input as z.ZodObject).shape;

/**
 * The input of one of several commands, with the `ifExists` of the whole where it takes one and says nothing itself.
 * What is no object stays as it is: its own schema refuses it.
 */
export const keeping = <I>(
  ifExists: 'keep' | undefined,
  commands: ReadonlyMap<string, Command>,
  { command, input }: { readonly command: string; readonly input: I },
): I =>
  ifExists !== undefined &&
  typeof input === 'object' &&
  input !== null &&
  !Array.isArray(input) &&
  takesIfExists(commands.get(command))
    ? { ifExists, ...input }
    : input;
